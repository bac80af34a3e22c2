// Questions about facts and rules, judged from their text by a prover that chains backwards, and by
// a classifier that sees counts of words only.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "learned/relit/rule_questions.hpp"
#include "logdepth/errors.hpp"
#include "oracle/rule_oracle.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::rule_text_tests {
namespace {

using Negation = RuleSettings::Negation;

RuleSettings with(RuleWorld world, Negation negation) {
  RuleSettings settings;
  settings.world = world;
  settings.negation = negation;
  return settings;
}

const std::vector<RuleSettings> kKinds = {
    with(RuleWorld::closed, Negation::none), with(RuleWorld::closed, Negation::facts),
    with(RuleWorld::closed, Negation::rules), with(RuleWorld::open, Negation::rules)};

bool open(const RuleSettings& settings) {
  return settings.world == RuleWorld::open;
}

std::vector<RuleAnswer> answers_of(const RuleSettings& settings) {
  std::vector<RuleAnswer> answers = {RuleAnswer::yes, RuleAnswer::no};
  if (open(settings)) answers.push_back(RuleAnswer::unknown);
  return answers;
}

RuleQuestion drawn(const RuleSettings& settings, std::uint32_t depth, RuleAnswer answer,
                   std::uint64_t index) {
  CounterRandom random(laws::seed(), RandomStream::validation, depth, index);
  return rule_question(settings, depth, answer, random);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> sorted_words(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  std::sort(words.begin(), words.end());
  return words;
}

TEST(RuleOracle, AnswersWhatIsWorkedOutByHand) {
  const auto answer = [](const std::string& text, bool open_world) {
    const RuleOracle oracle(text, open_world);
    return oracle.answer() + " " + std::to_string(oracle.depth());
  };
  const std::string theory =
      "Anne is kind . Bob is not young . If someone is kind and not young then they are smart . "
      "All smart , kind things are big . If someone is red then they are big . ";
  EXPECT_EQ(answer(theory + "question : Anne is kind . answer :", false), "yes 0");
  EXPECT_EQ(answer(theory + "question : Anne is smart . answer :", false), "yes 1");
  EXPECT_EQ(answer(theory + "question : Anne is smart . answer :", true), "unknown 1");
  EXPECT_EQ(answer(theory + "question : Anne is big . answer :", false), "yes 2");
  EXPECT_EQ(answer(theory + "question : Anne is not big . answer :", false), "no 2");
  EXPECT_EQ(answer(theory + "question : Bob is young . answer :", true), "no 0");
  EXPECT_EQ(answer(theory + "question : Bob is smart . answer :", false), "no 1");
  // Bob is not kind, which ends both rules: the second is given up at its quicker premise.
  EXPECT_EQ(answer(theory + "question : Bob is big . answer :", false), "no 1");
  // "not smart" follows at once; that nothing says "smart" takes longer.
  EXPECT_EQ(answer("Anne is not smart . All big things are smart . All red things are big . "
                   "question : Anne is smart . answer :",
                   false),
            "no 0");
  EXPECT_THROW(answer("All big things are red . All red things are big . question : Bob is big . "
                      "answer :",
                      false),
               InputError);
  EXPECT_THROW(answer("Bob is big . Bob is not big . question : Bob is big . answer :", false),
               InputError);
  EXPECT_THROW(answer("Bob is big . Bob is not big . question : Bob is big . answer :", true),
               InputError);
  EXPECT_THROW(answer("Bob are big . question : Bob is big . answer :", true), InputError);
  EXPECT_THROW(answer("Bob is big .", true), InputError);
}

TEST(RuleQuestions, AnswersAndDepthsAgreeWithAProverThatChainsBackwards) {
  std::size_t asked = 0;
  for (const RuleSettings& settings : kKinds)
    for (std::uint32_t depth = 0; depth <= kDeepestProof; ++depth)
      for (const RuleAnswer answer : answers_of(settings))
        for (std::uint64_t index = 0; index < 200; ++index) {
          const RuleQuestion question = drawn(settings, depth, answer, index);
          const RuleOracle oracle(question.prompt(), open(settings));
          ASSERT_EQ(oracle.answer(), rule_answer_word(answer)) << question.prompt();
          ASSERT_EQ(oracle.depth(), depth) << question.prompt();
          ASSERT_EQ(question.answer, answer);
          ASSERT_EQ(question.depth, depth);
          ++asked;
        }
  EXPECT_EQ(asked, 10800u);
}

TEST(RuleQuestions, TheSameDrawHasTheSameWordsWhateverTheAnswer) {
  for (const RuleSettings& settings : kKinds)
    for (std::uint32_t depth = 0; depth <= kDeepestProof; ++depth)
      for (std::uint64_t index = 0; index < 100; ++index) {
        const std::string yes = drawn(settings, depth, RuleAnswer::yes, index).prompt();
        for (const RuleAnswer answer : answers_of(settings)) {
          const std::string other = drawn(settings, depth, answer, index).prompt();
          ASSERT_EQ(sorted_words(other), sorted_words(yes)) << other << "\n" << yes;
          ASSERT_EQ(other == yes, answer == RuleAnswer::yes);
        }
      }
}

/// How often each word stands in a prompt, and which answer it has.
struct Bag {
  std::vector<double> counts;
  std::size_t answer = 0;
};

/// Bags of 6000 questions of depths 0 to 3, answers in turn. `told`: a word more in some with yes.
std::vector<Bag> bags_of(const RuleSettings& settings, bool told) {
  const std::vector<RuleAnswer> answers = answers_of(settings);
  std::map<std::string, std::size_t> places = {{"a constant", 0}, {"told", 1}};
  std::vector<Bag> bags;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    Bag& bag = bags.emplace_back();
    bag.answer = i % answers.size();
    const RuleQuestion question =
        drawn(settings, static_cast<std::uint32_t>(i / answers.size() % 4), answers[bag.answer], i);
    std::vector<std::string> words = words_of(question.prompt());
    words.push_back("a constant");
    if (told && bag.answer == 0 && i % 3 != 0) words.push_back("told");
    for (const std::string& word : words) {
      const std::size_t place = places.emplace(word, places.size()).first->second;
      bag.counts.resize(std::max(bag.counts.size(), place + 1));
      ++bag.counts[place];
    }
  }
  for (Bag& bag : bags) bag.counts.resize(places.size());
  return bags;
}

/// The accuracy of an averaged perceptron on a third of the bags, after five passes over the others.
double perceptron_accuracy(const std::vector<Bag>& bags, std::size_t classes) {
  using Weights = std::vector<std::vector<double>>;
  Weights now(classes, std::vector<double>(bags.front().counts.size())), sum = now;
  const auto guess = [&](const Weights& weights, const Bag& bag) {
    std::vector<double> scores;
    for (const auto& row : weights)
      scores.push_back(std::inner_product(row.begin(), row.end(), bag.counts.begin(), 0.0));
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) -
                                    scores.begin());
  };
  const std::size_t trained = bags.size() * 2 / 3;
  double left = 5.0 * static_cast<double>(trained);  // a change counts for what is left
  for (int pass = 0; pass < 5; ++pass)
    for (std::size_t i = 0; i < trained; ++i, --left)
      if (const std::size_t wrong = guess(now, bags[i]); wrong != bags[i].answer)
        for (std::size_t word = 0; word < bags[i].counts.size(); ++word) {
          const double count = bags[i].counts[word];
          now[wrong][word] -= count;
          now[bags[i].answer][word] += count;
          sum[wrong][word] -= left * count;
          sum[bags[i].answer][word] += left * count;
        }
  double right = 0;
  for (std::size_t i = trained; i < bags.size(); ++i)
    right += guess(sum, bags[i]) == bags[i].answer;
  return right / static_cast<double>(bags.size() - trained);
}

TEST(RuleQuestions, ABagOfWordsDoesNotTellTheAnswer) {
  for (const RuleSettings& settings : kKinds) {
    const std::size_t classes = answers_of(settings).size();
    const double accuracy = perceptron_accuracy(bags_of(settings, false), classes);
    EXPECT_LE(accuracy, 0.6);
    EXPECT_NEAR(accuracy, 1.0 / static_cast<double>(classes), 0.06);
  }
  // The classifier finds a word that does.
  EXPECT_GT(perceptron_accuracy(bags_of(kKinds[1], true), 2), 0.75);
}

TEST(RuleQuestions, SentencesAreToldOnceInAnyOrderAndFitThePrompt) {
  for (const RuleSettings& settings : kKinds) {
    std::set<std::size_t> places;  // of the first fact of the chain
    std::set<std::size_t> counts;
    for (std::uint64_t index = 0; index < 300; ++index) {
      const RuleQuestion question =
          drawn(settings, index % 6, answers_of(settings)[index / 6 % 2], index);
      const std::set<std::string> different(question.sentences.begin(), question.sentences.end());
      ASSERT_EQ(different.size(), question.sentences.size()) << question.prompt();
      ASSERT_LE(words_of(question.prompt()).size(), 90u);
      places.insert(
          static_cast<std::size_t>(std::find(question.sentences.begin(), question.sentences.end(),
                                             rule_text(question.theory.facts.front())) -
                                   question.sentences.begin()));
      if (question.depth == 0) counts.insert(question.sentences.size());
    }
    EXPECT_GE(places.size(), 10u);
    EXPECT_EQ(*counts.begin(), 5u) << "the proof, and four distractors";
    EXPECT_EQ(*counts.rbegin(), 11u) << "the proof, and ten distractors";
  }
}

TEST(RuleQuestions, NotStandsWhereTheSettingsAllowIt) {
  for (const RuleSettings& settings : kKinds) {
    bool in_facts = false, in_premises = false, in_conclusions = false, in_questions = false;
    for (std::uint64_t index = 0; index < 100; ++index) {
      const RuleQuestion question = drawn(settings, 2, RuleAnswer::no, index);
      in_questions |= question.asked.literal.negated;
      for (const RuleFact& fact : question.theory.facts) in_facts |= fact.literal.negated;
      for (const ReasoningRule& rule : question.theory.rules) {
        in_conclusions |= rule.conclusion.negated;
        for (const RuleLiteral& premise : rule.premises) in_premises |= premise.negated;
      }
    }
    EXPECT_EQ(in_questions, open(settings));
    EXPECT_EQ(in_facts, settings.negation != Negation::none);
    EXPECT_EQ(in_premises, settings.negation == Negation::rules);
    EXPECT_EQ(in_conclusions, settings.negation == Negation::rules);
  }
}

TEST(RuleConclusions, CirclesAndContradictionsAreNotSound) {
  constexpr RuleLiteral kBig{0, false}, kRed{1, false}, kOld{2, false};
  const auto sound = [](RuleTheory theory, RuleWorld world) {
    theory.world = world;
    return RuleConclusions(theory, 0).sound();
  };
  const RuleTheory circle{{}, {}, {{{kBig}, kRed, true}, {{kRed}, kBig, true}}};
  const RuleTheory against_itself{{}, {}, {{{kBig.opposite()}, kBig, true}}};
  const RuleTheory told{{}, {{0, kBig}, {0, kBig.opposite()}}, {}};
  // Red is said at once, not red two rules later.
  const RuleTheory late{
      {}, {{0, kBig}, {0, kRed}}, {{{kBig}, kOld, true}, {{kOld}, kRed.opposite(), true}}};
  for (const RuleWorld world : {RuleWorld::closed, RuleWorld::open}) {
    EXPECT_FALSE(sound(circle, world));
    EXPECT_FALSE(sound(told, world));
    EXPECT_FALSE(sound(late, world));
    EXPECT_TRUE(sound({{}, {{1, kBig}, {0, kBig.opposite()}}, {}}, world));
  }
  EXPECT_FALSE(sound(against_itself, RuleWorld::closed));
  // Nothing says "not big" there, so the rule has nothing to begin with.
  EXPECT_TRUE(sound(against_itself, RuleWorld::open));
}

std::string refusal_of(const RuleSettings& settings, std::uint32_t depth, RuleAnswer answer) {
  try {
    drawn(settings, depth, answer, 0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RuleQuestions, RefuseSettingsThatNamingThemCanMend) {
  const auto changed = [](auto change) {
    RuleSettings settings;
    change(settings);
    return refusal_of(settings, 3, RuleAnswer::no);
  };
  EXPECT_EQ(changed([](auto&) {}), "accepted");
  EXPECT_EQ(
      changed([](auto& s) { s.world = RuleWorld::open; }),
      "task.negation: expected rules in an open world, where nothing else makes an answer no");
  EXPECT_EQ(changed([](auto& s) { s.second_premise = 1.5; }),
            "task.second_premise: expected 0 to 1");
  EXPECT_EQ(changed([](auto& s) { s.distractors_least = 1; }),
            "task.distractors_least, task.distractors_most: expected 2 to 40");
  EXPECT_EQ(changed([](auto& s) { s.distractors_most = 3; }),
            "task.distractors_most: expected at least task.distractors_least = 4, found 3");
  EXPECT_EQ(changed([](auto& s) { s.most_words = 40; }),
            "task.most_words: expected room for proofs of depth 3 with 4 distractors, found none "
            "of at most 40 words in 10000 draws");
  EXPECT_EQ(refusal_of({}, 6, RuleAnswer::yes), "a proof: expected a depth of 0 to 5, found 6");
  EXPECT_EQ(refusal_of({}, 1, RuleAnswer::unknown),
            "task.world: expected open, a closed world has no answer unknown");
}

}  // namespace
}  // namespace logdepth::rule_text_tests
