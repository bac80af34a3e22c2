// Pairs of sentences, judged by all small worlds, and statements to pre-train a language model on,
// judged by the prover.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "learned/records/task.hpp"
#include "learned/relit/nli_pairs.hpp"
#include "learned/relit/relit_tokens.hpp"
#include "learned/relit/rule_text_task.hpp"
#include "logdepth/errors.hpp"
#include "oracle/rule_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::relit_texts_tests {
namespace {

using Json = nlohmann::ordered_json;

std::string word(std::int32_t token) {
  return relit_words().at(static_cast<std::size_t>(token));
}

/// The label of two sentences by looking at every way in which three things may be of the nouns and
/// have the adjective.
std::string label_by_models(const NliQuestion& question) {
  struct Sentence {
    std::string quantifier, noun;
    bool negated;
  };
  const auto parse = [](const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    EXPECT_EQ(words.back(), ".");
    const auto are = std::find(words.begin(), words.end(), "are");
    const bool negated = *(are + 1) == "not";
    EXPECT_EQ(are + (negated ? 4 : 3), words.end()) << text;
    return Sentence{words[0] == "Not" ? "Not " + words[1] : words[0], *(are - 1), negated};
  };
  const std::map<std::string, std::string> wider = {
      {"dogs", "animals"},    {"cats", "animals"},   {"birds", "animals"},  {"snakes", "reptiles"},
      {"sharks", "fish"},     {"ants", "insects"},   {"bees", "insects"},   {"roses", "flowers"},
      {"oaks", "trees"},      {"apples", "fruits"},  {"girls", "children"}, {"boys", "children"},
      {"teachers", "people"}, {"singers", "people"}, {"cars", "vehicles"},  {"trucks", "vehicles"}};
  const Sentence premise = parse(question.premise), hypothesis = parse(question.hypothesis);
  const auto is_wider = [&](const std::string& a, const std::string& b) {
    return wider.contains(b) && wider.at(b) == a;
  };
  // Of a thing: bit 0 of the premise's noun, bit 1 of the hypothesis', bit 2 the adjective.
  const auto allowed = [&](int thing) {
    const bool first = thing & 1, second = thing & 2;
    if (premise.noun == hypothesis.noun) return first == second;
    if (is_wider(premise.noun, hypothesis.noun)) return first || !second;
    EXPECT_TRUE(is_wider(hypothesis.noun, premise.noun)) << question.prompt();
    return second || !first;
  };
  const auto holds = [](const Sentence& sentence, const std::vector<int>& things, int noun) {
    int with = 0, without = 0;
    for (const int thing : things)
      if (thing & noun) ++(((thing & 4) != 0) != sentence.negated ? with : without);
    if (sentence.quantifier == "All") return without == 0;
    if (sentence.quantifier == "Some") return with > 0;
    if (sentence.quantifier == "No") return with == 0;
    EXPECT_EQ(sentence.quantifier, "Not all");
    return without > 0;
  };
  bool may_hold = false, may_fail = false;
  for (int world = 0; world < 512; ++world) {
    const std::vector<int> things = {world & 7, world >> 3 & 7, world >> 6 & 7};
    if (!std::all_of(things.begin(), things.end(), allowed)) continue;
    const auto some = [&](int noun) {
      return std::any_of(things.begin(), things.end(), [&](int thing) { return thing & noun; });
    };
    if (!some(1) || !some(2) || !holds(premise, things, 1)) continue;
    (holds(hypothesis, things, 2) ? may_hold : may_fail) = true;
  }
  EXPECT_TRUE(may_hold || may_fail) << "a premise that cannot be: " << question.prompt();
  return may_hold && may_fail ? "neutral" : may_hold ? "yes" : "no";
}

TEST(NliPairs, LabelsAreThoseOfAllSmallWorlds) {
  std::map<std::string, int> words;
  for (const NliLabel label : {NliLabel::entailment, NliLabel::contradiction, NliLabel::neutral})
    for (std::uint64_t index = 0; index < 2000; ++index) {
      CounterRandom random(laws::seed(), RandomStream::validation,
                           static_cast<std::uint64_t>(label), index);
      const NliQuestion question = nli_question(label, index % 2 == 0, random);
      ASSERT_EQ(question.label, label);
      ASSERT_EQ(label_by_models(question), nli_answer_word(label)) << question.prompt();
      ASSERT_NE(question.premise, question.hypothesis);
      std::istringstream in(question.prompt());
      for (std::string word; in >> word;) ++words[word];
    }
  for (const char* word : {"All", "Some", "No", "Not", "not", "dogs", "animals", "tall"})
    EXPECT_GT(words[word], 20) << word;
}

TEST(RuleText, IsStatementsOnlyAndTheTargetsAreTheNextWords) {
  for (const auto set : {RuleTextConfig::Set::rules, RuleTextConfig::Set::nli}) {
    RuleTextConfig config;
    config.set = set;
    config.batch = 20;
    const auto task = config.make_task(3);
    const Samples samples = task->training_batch(0, 4);
    ASSERT_EQ(samples.tokens, 96u);
    ASSERT_EQ(samples.indices.size(), 20u * 96u);
    ASSERT_EQ(samples.targets.size(), samples.indices.size());
    EXPECT_TRUE(samples.lengths.empty());
    for (std::size_t i = 0; i < samples.count; ++i)
      for (std::size_t k = 0; k + 1 < samples.tokens; ++k)
        ASSERT_EQ(samples.targets[i * 96 + k], samples.indices[i * 96 + k + 1]);
    std::set<std::string> seen;
    for (const std::int32_t token : samples.indices) seen.insert(word(token));
    EXPECT_TRUE(seen.contains("<end>"));
    for (const char* word : {"question", "answer", "yes", "no", "unknown", "neutral", ":"})
      EXPECT_FALSE(seen.contains(word)) << word;
    EXPECT_NE(task->training_batch(0, 5).indices, samples.indices);
    const Json result = task->measure(
        [](const Samples& asked, std::uint32_t) {
          Answers answers = asked.targets;
          for (std::size_t i = 0; i < answers.size(); i += 4) answers[i] = -2;
          return answers;
        },
        0, {});
    EXPECT_EQ(result.dump(), R"({"kind":"rule-text","asked":9600,"right":7200})");
    EXPECT_EQ(task->summary(result), "0.750 of the next words right");
  }
}

TEST(RuleText, StatementsBehindATheoryHoldInIt) {
  for (const RuleWorld world : {RuleWorld::closed, RuleWorld::open}) {
    RuleTextConfig with, without;
    with.rules.world = without.rules.world = world;
    with.rules.negation = without.rules.negation = RuleSettings::Negation::rules;
    without.entailed = 0;
    int derived = 0;
    for (std::uint64_t index = 0; index < 100; ++index) {
      CounterRandom first(1, RandomStream::training, 0, index), second = first;
      const std::string theory = statement_text(without, first);
      const std::string text = statement_text(with, second);
      ASSERT_TRUE(text.starts_with(theory + " ")) << text;
      std::string statements = text.substr(theory.size() + 1);
      ASSERT_EQ(std::count(statements.begin(), statements.end(), '.'), 2) << text;
      while (!statements.empty()) {
        const std::size_t end = statements.find('.') + 1;
        const std::string asked = statements.substr(0, end);
        const RuleOracle oracle(theory + " question : " + asked + " answer :",
                                world == RuleWorld::open);
        ASSERT_EQ(oracle.answer(), "yes") << theory << "\n" << asked;
        derived += oracle.depth() > 0;
        statements.erase(0, std::min(statements.size(), end + 1));
      }
    }
    EXPECT_GT(derived, 10);
  }
}

TEST(RuleText, RefusesSettingsThatNamingThemCanMend) {
  const auto with = [](auto change) -> std::string {
    RuleTextConfig config;
    change(config);
    return support::refusal([&] { config.make_task(1); });
  };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  EXPECT_EQ(with([](auto& c) { c.entailed = 17; }), "task.entailed: expected 0 to 16");
  EXPECT_EQ(with([](auto& c) { c.length = 0; }), "task.length: expected 1 to 4096");
  EXPECT_EQ(with([](auto& c) { c.batch = 0; }), "task.batch: expected 1 to 65536");
  EXPECT_EQ(with([](auto& c) { c.validation = 0; }), "task.validation: expected 1 to 100000");
  EXPECT_EQ(with([](auto& c) {
              c.depths = {3, 3};
            }),
            "task.depths: expected growing numbers from 0 to 5");
}

}  // namespace
}  // namespace logdepth::relit_texts_tests
