#include "learned/depth_recurrent/families.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

enum FamilyWord : std::int32_t {
  kPad,
  kClassify,
  kStop,
  kAsk,
  kIs,
  kThe,
  kOf,
  kParent,
  kChild,
  kSibling,
  kGrandparent,
  kGrandchild,
  kGreat,
  kWords
};

constexpr std::array<const char*, kWords> kSpelling = {
    "[PAD]",  "[CLS]", ".",       "?",           "is",         "the",   "of",
    "parent", "child", "sibling", "grandparent", "grandchild", "great-"};

constexpr std::array<const char*, kFamilyNamePool> kNames = {
    "Ada",  "Ben",  "Cleo", "Dan",  "Eve",  "Finn", "Gia",  "Hugo", "Ida",  "Jack",
    "Kim",  "Leo",  "Mia",  "Ned",  "Olga", "Paul", "Quin", "Rosa", "Sam",  "Tess",
    "Umar", "Vera", "Walt", "Xena", "Yann", "Zoe",  "Amir", "Beth", "Carl", "Dora",
    "Emil", "Fay",  "Glen", "Hana", "Ivan", "June", "Kurt", "Lena", "Milo", "Nora"};

/// Person `who` lives `offset` generations above person `whose`.
struct Relation {
  std::uint32_t who;
  std::int32_t offset;
  std::uint32_t whose;
};

Relation from_the_other_side(const Relation& told) {
  return {told.whose, -told.offset, told.who};
}

/// The facts of a question. People 0 ... depth are the chain, the next one is the stranger.
class Family {
 public:
  Family(const FamilySettings& settings, std::uint32_t depth, CounterRandom& random)
      : depth_(depth), newcomer_(depth + 2) {
    draw_chain(settings.sibling, random);
    const std::uint64_t least = std::uint64_t{settings.distractors_least} * depth;
    const std::uint64_t most = std::min(std::uint64_t{settings.distractors_most} * depth,
                                        std::uint64_t{settings.names} - depth - 2);
    const std::uint64_t distractors = least + random.below(most - least + 1);
    for (std::uint64_t made = 0; made < distractors; ++made, ++newcomer_)
      facts_.push_back(made == 0 || random.chance(0.5) ? decoy(random)
                                                       : outsider(settings.sibling, random));
  }

  const std::vector<Relation>& facts() const { return facts_; }
  Relation true_answer() const { return {depth_, 2 * ups_ - moves_, 0}; }

  Relation false_answer(CounterRandom& random) const {
    Relation answer = true_answer();
    if (random.chance(0.5))
      answer.offset = answer.offset == moves_ ? -moves_ : answer.offset + 2;
    else
      answer.offset = answer.offset == -moves_ ? moves_ : answer.offset - 2;
    return answer;
  }

 private:
  void draw_chain(double sibling, CounterRandom& random) {
    const bool with_sibling = depth_ >= 2 && random.chance(sibling);
    moves_ = static_cast<std::int32_t>(depth_) - (with_sibling ? 1 : 0);
    ups_ = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(moves_) + 1));
    const std::uint64_t sibling_at = with_sibling ? random.below(depth_) : depth_;
    for (std::uint32_t step = 0; step < depth_; ++step) {
      if (step == sibling_at) {
        facts_.push_back({step + 1, 0, step});
        continue;
      }
      const bool up = static_cast<std::int32_t>(moved_.size()) < ups_;
      facts_.push_back({step + 1, up ? 1 : -1, step});
      moved_.push_back(facts_.back());
    }
  }

  /// To one person of a step up or down what the other one is not. Siblings are left out, wherever
  /// they are: where decoys are must not tell how many steps lead up.
  Relation decoy(CounterRandom& random) const {
    Relation step = moved_[random.below(moved_.size())];
    if (random.chance(0.5)) step = from_the_other_side(step);
    return {newcomer_, -step.offset, step.whose};
  }

  Relation outsider(double sibling, CounterRandom& random) const {
    const std::uint32_t stranger = depth_ + 1;
    const auto joined = static_cast<std::uint32_t>(random.below(newcomer_ - stranger));
    const std::int32_t offset = random.chance(sibling) ? 0 : random.chance(0.5) ? 1 : -1;
    return {newcomer_, offset, stranger + joined};
  }

  std::uint32_t depth_, newcomer_;
  std::int32_t moves_ = 0, ups_ = 0;
  std::vector<Relation> facts_, moved_;
};

/// Appends "WHO is the RELATION of WHOSE" and `end`; name[p] is the token of person p.
void write(const Relation& told, FamilyWord end, const std::vector<std::int32_t>& name,
           std::vector<std::int32_t>& tokens) {
  tokens.insert(tokens.end(), {name[told.who], kIs, kThe});
  const std::int32_t generations = std::abs(told.offset);
  for (std::int32_t great = 2; great < generations; ++great) tokens.push_back(kGreat);
  if (generations == 0)
    tokens.push_back(kSibling);
  else if (generations == 1)
    tokens.push_back(told.offset > 0 ? kParent : kChild);
  else
    tokens.push_back(told.offset > 0 ? kGrandparent : kGrandchild);
  tokens.insert(tokens.end(), {kOf, name[told.whose], end});
}

}  // namespace

void check_family_settings(const FamilySettings& settings, std::uint32_t depth) {
  if (depth == 0) throw InputError("family text: a depth of 0, expected at least 1");
  if (settings.names > kFamilyNamePool)
    throw InputError(
        fmt::format("task.names: {}, expected at most {}", settings.names, kFamilyNamePool));
  if (!(settings.sibling >= 0 && settings.sibling <= 1))
    throw InputError(fmt::format("task.sibling: {}, expected a probability", settings.sibling));
  if (settings.distractors_least > settings.distractors_most)
    throw InputError(
        fmt::format("task.distractors_least: {}, expected at most task.distractors_most = {}",
                    settings.distractors_least, settings.distractors_most));
  const std::uint64_t needed =
      2 + depth * (1 + static_cast<std::uint64_t>(settings.distractors_least));
  if (settings.names < needed)
    throw InputError(
        fmt::format("task.names: {}, expected at least {} for questions of depth {} with "
                    "task.distractors_least = {}",
                    settings.names, needed, depth, settings.distractors_least));
}

FamilyQuestion family_question(const FamilySettings& settings, std::uint32_t depth, bool answer,
                               CounterRandom& random) {
  check_family_settings(settings, depth);
  const Family family(settings, depth, random);
  std::vector<std::int32_t> name;
  for (const std::uint32_t place : random.permutation(settings.names))
    name.push_back(kWords + static_cast<std::int32_t>(place));

  FamilyQuestion question;
  question.tokens = {kClassify};
  for (const std::uint32_t place : random.permutation(family.facts().size())) {
    const Relation& fact = family.facts()[place];
    write(random.chance(0.5) ? fact : from_the_other_side(fact), kStop, name, question.tokens);
  }
  question.first_name = question.tokens.size();
  write(answer ? family.true_answer() : family.false_answer(random), kAsk, name, question.tokens);
  question.second_name = question.tokens.size() - 2;
  question.answer = answer;
  question.depth = depth;
  return question;
}

std::vector<std::string> family_vocabulary(const FamilySettings& settings) {
  std::vector<std::string> vocabulary(kSpelling.begin(), kSpelling.end());
  for (std::uint32_t i = 0; i < settings.names; ++i) vocabulary.emplace_back(kNames.at(i));
  return vocabulary;
}

std::string family_text(const std::vector<std::int32_t>& tokens, const FamilySettings& settings) {
  const std::vector<std::string> vocabulary = family_vocabulary(settings);
  std::string text;
  for (const std::int32_t token : tokens) {
    if (!text.empty() && text.back() != '-') text += ' ';
    text += vocabulary.at(static_cast<std::size_t>(token));
  }
  return text;
}

}  // namespace logdepth::inline learned_depth_recurrent
