#include "learned/relit/rule_questions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

constexpr int kMostDraws = 10000;
/// Distractors that are tried, per distractor that is wanted.
constexpr std::uint32_t kMostTries = 8;
constexpr std::uint32_t kPeople = 3;  ///< in a theory

std::size_t words_of(const std::string& sentence) {
  return static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' ')) + 1;
}

/// Sentences that tell the same of an attribute, or the opposite, count as one.
bool alike(const RuleFact& a, const RuleFact& b) {
  return a.name == b.name && a.literal.attribute == b.literal.attribute;
}
bool alike(const ReasoningRule& a, const ReasoningRule& b) {
  return a.premises == b.premises && a.conclusion.attribute == b.conclusion.attribute;
}

/// A theory that is being drawn. Facts 0 and 1 are the first of the chain and the one that it may
/// change persons with; in an open world `last` and `counter` say where the chain ends and which
/// distractor ends the other way round.
class Draft {
 public:
  Draft(const RuleSettings& settings, std::uint32_t depth, CounterRandom& random)
      : settings_(settings), depth_(depth), random_(random) {}

  /// False where this attempt came to nothing.
  bool draw(bool last_negated) {
    order_ = random_.permutation(kRuleAttributes);
    const std::vector<std::uint32_t> names = random_.permutation(kRuleNames);
    std::copy_n(names.begin(), kPeople, people_.begin());
    theory_.world = settings_.world;
    last_negated_ = last_negated;
    return draw_chain() && right() && draw_distractors();
  }

  RuleTheory theory(bool broken) const { return variant(false, broken); }
  RuleFact last() const { return {people_[0], {order_[ranks_.back()], last_negated_}}; }

 private:
  using Negation = RuleSettings::Negation;
  using Status = RuleConclusions::Status;

  bool open() const { return settings_.world == RuleWorld::open; }
  bool coin(double probability) { return random_.chance(probability); }

  /// Ranks of the chain's attributes among all, growing.
  bool draw_chain() {
    const std::vector<std::uint32_t> ranks = random_.permutation(kRuleAttributes);
    ranks_.assign(ranks.begin(), ranks.begin() + depth_ + 1);
    std::sort(ranks_.begin(), ranks_.end());
    const std::uint32_t foil = ranks[depth_ + 1];
    const auto polarity = [&](std::size_t step) {
      if (step == depth_) return open() && last_negated_;
      return open() && coin(0.5);
    };
    RuleLiteral reached{order_[ranks_[0]], polarity(0)};
    const bool foil_negated = open() && (depth_ == 0 ? !last_negated_ : coin(0.5));
    theory_.facts = {{people_[0], reached}, {people_[1], {order_[foil], foil_negated}}};
    for (std::size_t step = 1; step <= depth_; ++step) {
      ReasoningRule rule;
      rule.premises = {reached};
      if (coin(settings_.second_premise)) add_second_premise(rule, step);
      reached = {order_[ranks_[step]], polarity(step)};
      rule.conclusion = reached;
      tell(rule);
      theory_.rules.push_back(rule);
    }
    if (open() && depth_ > 0) {
      // The rule that ends the other way round.
      ReasoningRule rule = random_rule();
      if (rule.conclusion.attribute == reached.attribute) return false;
      rule.conclusion.negated = !last_negated_;
      theory_.rules.push_back(std::move(rule));
    }
    return words() <= settings_.most_words;
  }

  /// An attribute before that of the rule's conclusion which is no link of the chain, if there is
  /// one. It is told as a fact, unless it is negated and a closed world says it.
  void add_second_premise(ReasoningRule& rule, std::size_t step) {
    std::vector<std::uint32_t> before;
    for (std::uint32_t rank = 0; rank < ranks_[step]; ++rank)
      if (!std::binary_search(ranks_.begin(), ranks_.end(), rank)) before.push_back(order_[rank]);
    if (before.empty()) return;
    const RuleLiteral premise{before[random_.below(before.size())],
                              settings_.negation == Negation::rules && coin(0.5)};
    rule.premises.push_back(premise);
    if (coin(0.5)) std::swap(rule.premises[0], rule.premises[1]);
    const RuleFact fact{people_[0], premise};
    const bool told = !premise.negated || open() || coin(0.5);
    if (told && !known(fact)) theory_.facts.push_back(fact);
  }

  /// Says how the rule is told: "All ... things" has no negated premises.
  void tell(ReasoningRule& rule) {
    const bool conditional = coin(0.5);
    rule.conditional = conditional || std::any_of(rule.premises.begin(), rule.premises.end(),
                                                  [](const auto& p) { return p.negated; });
  }

  ReasoningRule random_rule() {
    const std::size_t premises = coin(settings_.second_premise) ? 2 : 1;
    std::vector<std::uint32_t> ranks = random_.permutation(kRuleAttributes);
    ranks.resize(premises + 1);
    std::iter_swap(std::max_element(ranks.begin(), ranks.end()), ranks.end() - 1);
    const bool negation = settings_.negation == Negation::rules;
    ReasoningRule rule;
    for (std::size_t i = 0; i < premises; ++i)
      rule.premises.push_back({order_[ranks[i]], negation && coin(0.3)});
    rule.conclusion = {order_[ranks.back()], negation && coin(open() ? 0.5 : 0.25)};
    tell(rule);
    return rule;
  }

  RuleFact random_fact() {
    const std::uint32_t person = people_[random_.below(kPeople)];
    const auto attribute = static_cast<std::uint32_t>(random_.below(kRuleAttributes));
    return {person, {attribute, settings_.negation != Negation::none && coin(open() ? 0.5 : 0.3)}};
  }

  template <class Sentence>
  static bool among(const std::vector<Sentence>& all, const Sentence& one) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& other) { return alike(other, one); });
  }
  bool known(const ReasoningRule& rule) const { return among(theory_.rules, rule); }
  /// Also as a fact that has changed persons: else it would be told twice where they have.
  bool known(const RuleFact& fact) const {
    return among(theory_.facts, fact) || among(variant(false, true).facts, fact);
  }

  bool draw_distractors() {
    const std::uint32_t least = settings_.distractors_least;
    const auto wanted =
        static_cast<std::uint32_t>(least + random_.below(settings_.distractors_most - least + 1));
    std::uint32_t there = 1;  // the fact that the chain may change persons with
    if (open() && depth_ > 0) ++there;
    for (std::uint32_t tries = kMostTries * wanted; there < wanted && tries > 0; --tries)
      there += coin(0.5) ? add(theory_.facts, random_fact()) : add(theory_.rules, random_rule());
    return there >= least;
  }

  /// Adds the sentence unless it is told already, too long, or changes what is asked.
  template <class Sentence>
  bool add(std::vector<Sentence>& to, Sentence sentence) {
    if (known(sentence)) return false;
    to.push_back(std::move(sentence));
    if (words() <= settings_.most_words && right()) return true;
    to.pop_back();
    return false;
  }

  std::size_t words() const {
    std::size_t count = 0;
    for (const RuleFact& fact : theory_.facts) count += words_of(rule_text(fact));
    for (const ReasoningRule& rule : theory_.rules) count += words_of(rule_text(rule));
    // question : Bob is not smart . answer :
    return count + (open() ? 9 : 8);
  }

  /// `turned`: where the chain ends, and the distractor that ends the other way round, are negated.
  /// `broken`: the first fact of the chain has changed persons.
  RuleTheory variant(bool turned, bool broken) const {
    RuleTheory theory = theory_;
    if (turned) {
      for (std::size_t i = 0; i < 2; ++i) {
        // Rule depth - 1 is the last of the chain, and the next one the other.
        RuleLiteral& literal =
            depth_ == 0 ? theory.facts[i].literal : theory.rules[depth_ - 1 + i].conclusion;
        literal = literal.opposite();
      }
    }
    if (broken) std::swap(theory.facts[0].name, theory.facts[1].name);
    return theory;
  }

  /// Whether depth and answers are as they should be, whichever is asked for: what is kept then
  /// says nothing about the answer.
  bool right() const {
    for (const bool turned : {false, true}) {
      if (turned && !open()) break;
      for (const bool broken : {false, true}) {
        const RuleTheory theory = variant(turned, broken);
        for (std::size_t i = 0; i < kPeople; ++i) {
          const RuleConclusions conclusions(theory, people_[i]);
          if (!conclusions.sound()) return false;
          if (i == 0 &&
              !answers(conclusions, {last().literal.attribute, last_negated_ != turned}, broken))
            return false;
        }
      }
    }
    return true;
  }

  bool answers(const RuleConclusions& conclusions, RuleLiteral last, bool broken) const {
    if (!broken)
      return conclusions.status(last) == Status::holds && conclusions.depth(last) == depth_;
    if (conclusions.status(last) != Status::fails) return false;
    if (!open()) return conclusions.depth(last) == depth_;
    return conclusions.status(last.opposite()) == Status::fails &&
           std::max(conclusions.depth(last), conclusions.depth(last.opposite())) == depth_;
  }

  const RuleSettings& settings_;
  std::uint32_t depth_;
  CounterRandom& random_;
  RuleTheory theory_;
  std::vector<std::uint32_t> order_;  ///< the attribute of each rank
  std::vector<std::uint32_t> ranks_;  ///< of the chain
  std::array<std::uint32_t, kPeople> people_{};
  bool last_negated_ = false;
};

}  // namespace

const char* rule_answer_word(RuleAnswer answer) {
  switch (answer) {
    case RuleAnswer::yes:
      return "yes";
    case RuleAnswer::no:
      return "no";
    case RuleAnswer::unknown:
      break;
  }
  return "unknown";
}

std::string RuleQuestion::prompt() const {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + " ";
  return text + "question : " + rule_text(asked) + " answer :";
}

RuleSettings rule_settings(RuleWorld world) {
  RuleSettings settings;
  settings.world = world;
  if (world == RuleWorld::open) settings.negation = RuleSettings::Negation::rules;
  return settings;
}

void check_rule_settings(const RuleSettings& settings) {
  require(settings.world == RuleWorld::closed || settings.negation == RuleSettings::Negation::rules,
          "task.negation: expected rules in an open world, where nothing else makes an answer no");
  require(settings.second_premise >= 0 && settings.second_premise <= 1,
          "task.second_premise: expected 0 to 1");
  require(settings.distractors_least >= 2 && settings.distractors_most <= 40,
          "task.distractors_least, task.distractors_most: expected 2 to 40");
  require(settings.distractors_least <= settings.distractors_most,
          fmt::format("task.distractors_most: expected at least task.distractors_least = {}, "
                      "found {}",
                      settings.distractors_least, settings.distractors_most));
  require(settings.most_words >= 20 && settings.most_words <= 1000,
          "task.most_words: expected 20 to 1000");
}

RuleQuestion rule_question(const RuleSettings& settings, std::uint32_t depth, RuleAnswer answer,
                           CounterRandom& random) {
  check_rule_settings(settings);
  require(depth <= kDeepestProof,
          fmt::format("a proof: expected a depth of 0 to {}, found {}", kDeepestProof, depth));
  const bool open = settings.world == RuleWorld::open;
  require(open || answer != RuleAnswer::unknown,
          "task.world: expected open, a closed world has no answer unknown");
  const bool asked_negated = open && random.chance(0.5), coin = open && random.chance(0.5);
  const bool last_negated = answer == RuleAnswer::yes  ? asked_negated
                            : answer == RuleAnswer::no ? open && !asked_negated
                                                       : coin;
  const bool broken = answer == (open ? RuleAnswer::unknown : RuleAnswer::no);
  for (int draws = 0; draws < kMostDraws; ++draws) {
    Draft draft(settings, depth, random);
    if (!draft.draw(last_negated)) continue;
    RuleQuestion question;
    question.theory = draft.theory(broken);
    question.asked = draft.last();
    question.asked.literal.negated = asked_negated;
    question.answer = answer;
    question.depth = depth;
    std::vector<std::string> sentences;
    for (const RuleFact& fact : question.theory.facts) sentences.push_back(rule_text(fact));
    for (const ReasoningRule& rule : question.theory.rules) sentences.push_back(rule_text(rule));
    for (const std::uint32_t i : random.permutation(sentences.size()))
      question.sentences.push_back(sentences[i]);
    return question;
  }
  throw InputError(fmt::format(
      "task.most_words: expected room for proofs of depth {} with {} distractors, found "
      "none of at most {} words in {} draws",
      depth, settings.distractors_least, settings.most_words, kMostDraws));
}

}  // namespace logdepth::inline learned_relit
