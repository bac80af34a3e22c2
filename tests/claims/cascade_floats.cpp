// Cascades in floating point: what is certified is right, and in double precision all of it is.
#include <gtest/gtest.h>

#include <random>

#include "objects/named_monoids.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/tokens.hpp"
#include "tests/support/cascades.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::cascade_floats_tests {
namespace {

using support::CascadeForm;
using support::Language;
using Engine = FloatOptions::Engine;

/// Of the verdict and the state of every prefix.
struct Certified {
  std::size_t answers = 0, certified = 0;
};

/// Expects that what is certified is right.
Certified run(const Language& language, const CascadeForm& form, Engine engine, const Word& word) {
  const auto [model, program, facts] = support::compiled_cascade(language.action, form);
  FloatOptions options;
  options.engine = engine;
  FloatRunner runner(model, facts, options);
  const auto tokens = tokens_of(model, support::letter_names(language.action.alphabet, word));
  const FloatStream stream = runner.run(tokens.value()).value();
  Certified counts;
  const auto judge = [&](const auto& answer, const auto& expected, std::size_t letters) {
    ++counts.answers;
    if (!answer.has_value() || answer.value().certificate != Certificate::certified) return;
    ++counts.certified;
    EXPECT_TRUE(answer.value().value == expected)
        << language.name << form.name() << ", after " << letters << " letters";
  };
  judge(runner.accepts(stream, stream.tokens - 1), language.member(word), word.size());
  State state = language.action.initial.value();
  for (std::size_t i = 0; i < word.size(); ++i) {
    state = language.action.generators[word[i]][state];
    judge(runner.prefix(stream, 1 + i), PrefixAnswer(state), i + 1);
  }
  return counts;
}

TEST(CascadeInFloatingPoint, IsRightWhereItIsCertifiedAndInDoublePrecisionItAlwaysIs) {
  std::mt19937_64 random(laws::seed());
  const auto forms = support::cascade_forms();
  std::size_t single = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t letters = 1 + i % 3;
    const Language language = support::random_automaton(random, 2 + i % 4, letters);
    const Word word = support::random_word(random, letters, random() % 200);
    const Certified counts = run(language, forms[i % 4], Engine::float64, word);
    EXPECT_EQ(counts.certified, counts.answers) << language.name << forms[i % 4].name();
    single += run(language, forms[i % 4], Engine::float32, word).certified;
  }
  EXPECT_GT(single, 0u);
}

TEST(CascadeInFloatingPoint, IsCertifiedAtTwoThousandLettersForGroupsWithAnyOrderOfFactors) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"Z2", "Z9", "Z11", "S3", "S4", "A5"}) {
    Action action = named_monoid(name);
    action.initial = 0;
    action.accepting.assign(action.points, false);
    const Language language{name, action, [](const Word&) { return false; }};
    const Word word = support::random_word(random, action.alphabet.size(), 2000);
    for (const CascadeForm& form : support::cascade_forms()) {
      const Certified counts = run(language, form, Engine::float64, word);
      EXPECT_EQ(counts.certified, counts.answers) << name << form.name();
    }
  }
}

}  // namespace
}  // namespace logdepth::cascade_floats_tests
