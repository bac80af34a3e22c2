#include "library/exports/self_test.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/quoted_text.hpp"
#include "library/exports/test_inputs.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::exports {
namespace {

/// Named numbers are codes, directions and flags (FloatRunner::kLargestCertifiedError).
constexpr double kLargestDifference = 0x1p-8;
constexpr std::size_t kExamples = 8;

/// For readout.hpp.
struct PlainLogits {
  const std::vector<double>& logits;

  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (logits[rows[i]] > logits[rows[best]]) best = i;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i != best && !(logits[rows[i]] < logits[rows[best]])) return std::nullopt;
    return best;
  }
  int sign(std::uint32_t row) const { return (logits[row] > 0) - (logits[row] < 0); }
  std::string text(std::uint32_t row) const { return fmt::format("{}", logits[row]); }
};

/// One input's answers beside those of the exact run.
class Comparison {
 public:
  Comparison(const Model& model, Runner& runner, SelfTest& test)
      : model_(model), runner_(runner), test_(test) {}

  void compare(const TestInput& input, const Stream<ValueId>& exact,
               const std::vector<std::vector<double>>& logits) {
    input_ = &input;
    if (std::holds_alternative<CellsOutput>(model_.output)) {
      for (std::size_t t = 0; t < logits.size(); ++t) compare_numbers(exact, t, logits[t]);
    } else if (std::holds_alternative<RelationOutput>(model_.output)) {
      for (std::size_t t = 0; t < logits.size(); ++t)
        for (std::size_t to = 0; to < model_.unembedding.rows; ++to) {
          PlainLogits plain{logits[t]};
          same(runner_.relation(exact, t, to), read_relation(plain, t, to), t);
        }
    } else {
      const std::size_t last = logits.size() - 1;
      PlainLogits plain{logits[last]};
      same(runner_.accepts(exact, last), read_verdict(model_, plain), last);
      if (reads_prefixes(model_)) compare_prefixes(exact, logits);
    }
  }

 private:
  void compare_prefixes(const Stream<ValueId>& exact,
                        const std::vector<std::vector<double>>& logits) {
    const std::size_t first = runner_.first_letter();
    for (std::size_t t = first; t < first + input_->tokens.size; ++t) {
      PlainLogits plain{logits[t]};
      same(runner_.prefix(exact, t), read_prefix(model_, plain, t), t);
    }
  }

  /// What the exact run leaves undecided is nobody's to decide.
  template <class Answer>
  void same(const Outcome<Answer>& right, const Outcome<Answer>& got, std::size_t token) {
    if (!right.has_value()) return;
    ++test_.answers;
    if (!got.has_value() || !(got.value() == right.value()))
      wrong(token, "the answer is not that of the exact run");
  }

  void compare_numbers(const Stream<ValueId>& exact, std::size_t token,
                       const std::vector<double>& logits) {
    const auto right = runner_.logits(exact, token);
    for (std::size_t row = 0; row < logits.size(); ++row) {
      ++test_.answers;
      const double difference = std::abs(logits[row] - right[row].approximate().value);
      if (!(difference <= kLargestDifference))
        wrong(token, fmt::format("{} is {} and not {}",
                                 in_quotes(std::get<CellsOutput>(model_.output).names[row]),
                                 logits[row], right[row].text()));
      test_.largest_difference = std::max(test_.largest_difference, difference);
    }
  }

  [[noreturn]] void wrong(std::size_t token, const std::string& what) const {
    throw ExportWrong(
        fmt::format("nothing was written: on {}, token {}, {}", input_->text, token, what));
  }

  const Model& model_;
  Runner& runner_;
  SelfTest& test_;
  const TestInput* input_ = nullptr;
};

}  // namespace

template <class Real>
SelfTest self_test(const Model& model, const Network& network, const FloatArrays<Real>& arrays,
                   std::uint64_t seed, bool unrolled) {
  const Evaluation<Real> evaluation(network, arrays, given_place(model).mirror);
  const TestInputs asked = test_inputs(model, network.length, seed);
  Runner runner(model);
  SelfTest test;
  test.exhaustive = asked.exhaustive;
  test.every_length = asked.every_length;
  Comparison comparison(model, runner, test);
  for (const TestInput& input : asked.inputs) {
    const auto exact = runner.run(input.tokens);
    if (!exact.has_value()) continue;  // outside the field
    const auto logits = evaluation.logits(
        input.tokens, unrolled ? network.loops : loops_at(model.unroll, input.tokens.size));
    comparison.compare(input, exact.value(), logits);
    ++test.inputs;
    // The first ones are short.
    const bool longest = input.tokens.size == network.length;
    if (test.examples.size() < (longest ? kExamples : kExamples / 2))
      test.examples.push_back({input.tokens, logits});
  }
  if (test.inputs == 0)
    throw ExportRefused("the exact run decides none of the self-test inputs of " +
                        in_quotes(model.name) + ", so the export cannot be tested");
  return test;
}

template SelfTest self_test(const Model&, const Network&, const FloatArrays<float>&, std::uint64_t,
                            bool);
template SelfTest self_test(const Model&, const Network&, const FloatArrays<double>&, std::uint64_t,
                            bool);

}  // namespace logdepth::exports
