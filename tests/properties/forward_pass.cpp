// Random small models run by the forward pass, with everything it groups and remembers, and by the
// definition, with nothing of the kind: the stream after every sublayer, what the heads select, and
// where a norm leaves the field.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/segments.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/plain_forward.hpp"
#include "tests/support/random_transformers.hpp"

namespace logdepth::forward_pass_tests {
namespace {

/// Compares a run with the plain one, sublayer by sublayer.
class Comparison : public ForwardObserver<ValueId> {
 public:
  Comparison(const PlainRun& plain, const ValuePool& pool) : plain_(plain), pool_(pool) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    compare(stream, number_of(location), "before");
  }
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    ++rows;
    const auto& selected = plain_.selected.at(number_of(location)).at(head).at(row.row);
    if ((*row.positions)() != selected || row.count != selected.size() ||
        row.last != selected.back())
      fail(location, "head " + std::to_string(head) + ", token " + std::to_string(row.row) +
                         " selects other positions");
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    ++sublayers;
    compare(stream, number_of(location) + 1, "after");
  }

  /// Compares a stream with the `number`-th of the plain run.
  void compare(const Stream<ValueId>& stream, std::size_t number, const std::string& when) {
    if (number >= plain_.streams.size() || stream.tokens != plain_.streams[number].size()) {
      differences.push_back(when + " sublayer " + std::to_string(number) + ": no such stream");
      return;
    }
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (std::size_t c = 0; c < stream.width; ++c) {
        const Real &got = pool_[stream.at(token, c)], &wanted = plain_.streams[number][token][c];
        if (!(got == wanted))
          differences.push_back(when + " sublayer " + std::to_string(number) + ", token " +
                                std::to_string(token) + ", coordinate " + std::to_string(c) + ": " +
                                got.text() + ", by the definition " + wanted.text());
      }
  }

  std::vector<std::string> differences;
  std::size_t sublayers = 0, rows = 0;

 private:
  static std::size_t number_of(const Location& location) {
    return 2 * (location.step - 1) + (location.sublayer == Sublayer::feedforward ? 1 : 0);
  }
  void fail(const Location& location, const std::string& what) {
    differences.push_back("sublayer " + std::to_string(number_of(location)) + ": " + what);
  }
  const PlainRun& plain_;
  const ValuePool& pool_;
};

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (std::size_t token = 0; token < tokens.kinds.size(); ++token) {
    text += "token " + std::to_string(token) + ": " + tokens.kinds[token];
    if (!tokens.given.empty())
      for (const Real& value : tokens.given[token]) text.append(" ").append(value.text());
    text += "\n";
  }
  return text;
}

struct Tally {
  std::size_t runs = 0, to_the_end = 0, sublayers = 0, rows = 0, left_the_field = 0;
};

/// The first difference between a run and the plain one, or nothing.
std::string difference(Runner& runner, const Tokens& tokens, const PlainRun& plain, Tally& tally) {
  Comparison comparison(plain, runner.arithmetic().pool());
  const auto stream = runner.run(tokens, {&comparison});
  ++tally.runs;
  tally.sublayers += comparison.sublayers;
  tally.rows += comparison.rows;
  if (!comparison.differences.empty()) return comparison.differences.front();
  if (!stream.has_value()) {
    ++tally.left_the_field;
    const auto* left = std::get_if<OutsideField>(&stream.refusal());
    if (!left || plain.left_field.empty() || !left->reason.starts_with(plain.left_field + ": "))
      return describe(stream.refusal()) + "; by the definition: " + plain.left_field;
    return "";
  }
  if (!plain.left_field.empty()) return "ran to the end; by the definition: " + plain.left_field;
  ++tally.to_the_end;
  if (comparison.sublayers + 1 != plain.streams.size()) return "another number of sublayers";
  comparison.compare(stream.value(), plain.streams.size() - 1, "at the end of");
  if (!comparison.differences.empty()) return comparison.differences.front();
  for (std::size_t token = 0; token < tokens.kinds.size(); ++token)
    if (runner.logits(stream.value(), token) != plain.logits[token])
      return "other logits at token " + std::to_string(token);
  return "";
}

// The same runner for several inputs, and for the first of them again: what it remembers of one is
// right for the next, also where one left the field.
TEST(ForwardPass, RandomModelsRunAsTheDefinitionSays) {
  RandomTransformers random(laws::seed());
  Tally tally;
  AttentionStatistics statistics;
  std::size_t models = 0, with_long_segments = 0;
  for (; models < 9000; ++models) {
    const Model model = random.model();
    ASSERT_EQ(first_violation(model), "");
    with_long_segments += segments_of(model).size() < model.width;
    Runner runner(model);
    std::vector<Tokens> inputs;
    for (int i = 0; i < 3; ++i) inputs.push_back(random.input(model));
    inputs.push_back(inputs.front());
    for (const Tokens& tokens : inputs) {
      const PlainRun plain = plain_forward(model, tokens);
      const std::string found = difference(runner, tokens, plain, tally);
      ASSERT_EQ(found, "") << "model " << models << "\n" << text_of(tokens) << write_weights(model);
    }
    statistics += runner.arithmetic().statistics();
  }
  std::cout << models << " models, " << with_long_segments
            << " with segments of several coordinates; " << tally.runs << " runs, "
            << tally.to_the_end << " to the end, " << tally.sublayers << " sublayers, "
            << tally.rows << " rows of heads, by rule";
  for (const std::uint64_t rows : statistics.by_rule) std::cout << " " << rows;
  std::cout << "\n";
  EXPECT_GT(with_long_segments, models / 2);
  EXPECT_GT(tally.to_the_end, tally.runs / 3);
  EXPECT_GT(tally.left_the_field, tally.runs / 10);
  EXPECT_GT(tally.sublayers, 2 * tally.runs);
  EXPECT_EQ(statistics.rows, tally.rows);
  for (const std::uint64_t rows : statistics.by_rule) EXPECT_GT(rows, 1000u);
}

constexpr std::size_t kPlenty = std::size_t{1} << 30;

// A pass that forgets everything between runs, and one that forgets between sublayers because
// memory is short, run the same, or say that it does not suffice.
TEST(ForwardPass, ForgettingChangesNoAnswer) {
  RandomTransformers random(laws::seed() + 1);
  std::size_t compared = 0, forgot = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    const Model model = random.model();
    const Tokens first = random.input(model);
    std::size_t needed = 0;  // for the first input, with plenty of memory
    for (const std::size_t eighths : {8, 7, 6, 5, 4, 2}) {
      Exact arithmetic;
      Forward<Exact> forward(model, arithmetic, needed == 0 ? kPlenty : needed * eighths / 8);
      for (const Tokens& tokens : {first, first, random.input(model)}) {
        const PlainRun plain = plain_forward(model, tokens);
        auto stream = forward.stream(tokens.kinds.size());
        ASSERT_FALSE(embed(model, tokens, arithmetic, stream).has_value());
        Comparison comparison(plain, arithmetic.pool());
        try {
          const auto end = forward.run(stream, loops_at(model.unroll, tokens.size), {&comparison});
          ASSERT_EQ(end.has_value(), plain.left_field.empty());
          if (needed == 0) needed = forward.bytes();
          forgot += eighths < 8 && end.has_value();
          forward.forget();
          // A stream from before can still be read.
          if (end.has_value())
            comparison.compare(end.value(), plain.streams.size() - 1, "at the end of");
          ++compared;
        } catch (const SizeLimit&) {
          ++refused;
        }
        ASSERT_EQ(comparison.differences, std::vector<std::string>()) << write_weights(model);
        arithmetic.forget();
        forward.forget();
      }
    }
  }
  std::cout << compared << " runs compared, " << forgot << " of them to the end with less memory, "
            << refused << " refused\n";
  EXPECT_GT(compared, 2500u);
  EXPECT_GT(forgot, 500u);
  EXPECT_GT(refused, 1000u);
}

// With memory for little more than one input a runner drops what it knows before the next.
TEST(ForwardPass, ARunnerThatForgetsEarlierInputsRunsAsTheDefinitionSays) {
  RandomTransformers random(laws::seed() + 2);
  Tally tally;
  std::size_t forgot = 0;
  for (int i = 0; i < 500; ++i) {
    const Model model = random.model();
    std::size_t enough = 0;
    std::vector<Tokens> inputs;
    for (int k = 0; k < 4; ++k) inputs.push_back(random.input(model));
    for (const Tokens& tokens : inputs) {
      Runner runner(model);
      ASSERT_EQ(difference(runner, tokens, plain_forward(model, tokens), tally), "");
      enough = std::max(enough, runner.bytes());
    }
    Runner runner(model, 1, enough + enough / 2);
    std::size_t before = 0;
    for (const Tokens& tokens : inputs) {
      ASSERT_EQ(difference(runner, tokens, plain_forward(model, tokens), tally), "")
          << text_of(tokens) << write_weights(model);
      forgot += runner.bytes() < before;
      before = runner.bytes();
    }
  }
  std::cout << tally.runs << " runs, " << forgot << " after which less was remembered\n";
  EXPECT_GT(tally.to_the_end, 1000u);
  EXPECT_GT(forgot, 300u);
}

}  // namespace
}  // namespace logdepth::forward_pass_tests
