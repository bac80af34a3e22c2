#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "logdepth/errors.hpp"
#include "objects/phrases.hpp"
#include "objects/quoted_text.hpp"
#include "proofs-check/check/test_division.hpp"
#include "proofs-check/ledger/claim_exam.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth {
namespace {

/// Divisions to one weights file. Heads are causal, so the answers at a token are those of the
/// input that ends there, and one long run holds many small ones.
class Divisions {
 public:
  explicit Divisions(Exam& exam) : exam_(exam), file_(division_file(exam.model())) {}

  bool divides_itself() const { return file_.own_argument; }

  void ask(const DivisionInput& input) {
    const Exam::Attempt attempt = run(input);
    if (!attempt.fine() && input.dividends.size() > 1) {
      shortest_failure(input);
    } else {
      exam_.record(attempt, question(input, input.dividends.size() - 1));
    }
    if (attempt.stream) compare(input, *attempt.stream);
  }

 private:
  Exam::Attempt run(const DivisionInput& input) {
    return exam_.attempt(tokens_of(exam_.model(), division_rows(exam_.model(), input)));
  }

  std::uint64_t dividend(const DivisionInput& input, std::uint64_t i) const {
    return file_.own_argument ? i : input.dividends[i];
  }

  Finding question(const DivisionInput& input, std::uint64_t i) const {
    const std::uint64_t a = dividend(input, i), m = input.divisor;
    Finding finding;
    finding.input =
        fmt::format("i = {}, m = {}{}", i, m, a == i ? ", a_i = i" : fmt::format(", a_i = {}", a));
    finding.order = {std::max(i, m), i, m, i - a};
    finding.expected = fmt::format("quotient {}, remainder {}", a / m, a % m);
    return finding;
  }

  /// The run of the whole input has no answer or breaks a promise: the shortest part that does so.
  void shortest_failure(const DivisionInput& input) {
    DivisionInput part{input.divisor, {}};
    for (std::size_t i = 0; i < input.dividends.size(); ++i) {
      part.dividends.push_back(input.dividends[i]);
      const Exam::Attempt attempt = run(part);
      if (attempt.fine()) continue;
      exam_.record(attempt, question(part, i));
      if (attempt.stream) compare(part, *attempt.stream);
      return;
    }
  }

  void compare(const DivisionInput& input, const Stream<ValueId>& stream) {
    for (std::uint64_t i = 0; i < input.dividends.size(); ++i) {
      const auto right = right_division(dividend(input, i), input.divisor);
      exam_.count_answers(1);
      const std::vector<Real> logits = exam_.runner().logits(stream, i);
      for (std::size_t k = 0; k < right.size(); ++k) {
        if (logits[file_.rows[k]] == right[k]) continue;
        Finding finding = question(input, i);
        finding.got = value(logits, 0, "quotient") + ", " + value(logits, 2, "remainder");
        exam_.wrong(finding);
        return;  // later tokens of this run are larger inputs
      }
    }
  }

  /// "quotient 3" where the two outputs are phi(3), else the outputs themselves.
  std::string value(const std::vector<Real>& logits, std::size_t first,
                    const std::string& name) const {
    const Real &x = logits[file_.rows[first]], &y = logits[file_.rows[first + 1]];
    for (std::int64_t z = 0; z < 600; ++z)
      if (phi_code(z) == std::array{x, y}) return fmt::format("{} {}", name, z);
    return name + " (" + x.text() + ", " + y.text() + ")";
  }

  Exam& exam_;
  const DivisionFile file_;
};

bool same(const std::vector<Real>& got, const std::vector<Real>& wanted) {
  return std::equal(got.begin(), got.end(), wanted.begin(), wanted.end());
}

std::string listed(const std::vector<std::string>& names, const std::vector<Real>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : ", ") + (i < names.size() ? names[i] : "?") + " = " + values[i].text();
  return text;
}

/// A token at which the cell is not zero.
std::optional<std::size_t> leftover(const Model& model, const std::string& cell,
                                    const Stream<ValueId>& stream, Runner& runner) {
  const auto found = model.cells.find(cell);
  if (found == model.cells.end())
    throw InputError("the weights file " + in_quotes(model.name) + " has no cell " +
                     in_quotes(cell));
  for (std::size_t token = 0; token < stream.tokens; ++token)
    for (const std::uint32_t coordinate : found->second.coordinates)
      if (!runner.arithmetic().is_zero(stream.at(token, coordinate))) return token;
  return std::nullopt;
}

}  // namespace

void examine(Exam& exam, const AgainstDivision&) {
  FileVerdict& verdict = exam.verdict();
  Bounds& bounds = verdict.bounds;
  const std::size_t limit =
      exam.model().unroll.max_length.value_or(std::numeric_limits<std::size_t>::max());
  bounds.up_to = std::min(bounds.up_to, limit - 1);
  bounds.max_size = std::min(bounds.max_size, limit);
  Divisions divisions(exam);

  // In rounds of growing size; a round holds the smaller ones, so its smallest failure is the
  // smallest of all.
  std::size_t covered = 0;
  for (std::size_t round = std::min<std::size_t>(2, bounds.up_to); round > 0 && !exam.settled();
       round = covered == bounds.up_to ? 0 : std::min(4 * round, bounds.up_to)) {
    verdict.exhaustive = 0;
    covered = round;
    // a_i = max(i - back, 0) for every back meets every pair a <= i.
    const std::size_t backs = divisions.divides_itself() ? 1 : round + 1;
    for (std::uint64_t divisor = 1; divisor <= round; ++divisor)
      for (std::uint64_t back = 0; back < backs; ++back) {
        DivisionInput input{divisor, {}};
        for (std::uint64_t i = 0; i <= round; ++i)
          input.dividends.push_back(i >= back ? i - back : 0);
        ++verdict.exhaustive;
        divisions.ask(input);
      }
  }
  verdict.bound = fmt::format("every {} and m with i, m <= {} ({})",
                              divisions.divides_itself() ? "a = i" : "a <= i", covered,
                              counted(verdict.exhaustive, "run"));
  if (exam.settled() || bounds.random == 0) return;

  DivisionTestOptions options;
  options.up_to = 0;
  options.random = bounds.random;
  options.max_length = bounds.max_size;
  options.seed = bounds.seed;
  const DivisionReport report = test_division(exam.model(), options);
  exam.add_promises(report.promises, report.unevaluated);
  verdict.random = report.random_inputs;
  verdict.answers += report.divisions;
  verdict.bound += fmt::format(", {} random runs of at most {} positions (seed {})", verdict.random,
                               bounds.max_size, bounds.seed);
  if (!report.counterexample) return;
  divisions.ask(report.counterexample->input);
  if (!exam.settled() && !verdict.without_answer)  // about the run itself: depth, length
    exam.wrong({counted(report.counterexample->input.dividends.size(), "position"),
                report.counterexample->expected,
                report.counterexample->got,
                {}});
}

void examine(Exam& exam, const AgainstStreams& against) {
  const auto* output = std::get_if<CellsOutput>(&exam.model().output);
  if (!output)
    throw InputError("the weights file " + in_quotes(exam.model().name) +
                     " does not answer with cells");
  FileVerdict& verdict = exam.verdict();
  const auto ask = [&](const RawInput& input, const std::vector<std::uint64_t>& order) {
    Finding finding{input.text, "outputs", "", order};
    const Exam::Attempt attempt = exam.attempt(tokens_of(exam.model(), input.rows));
    exam.record(attempt, finding);
    if (!attempt.stream) return;
    const auto right = against.outputs(input);
    for (std::size_t token = 0; token < right.size(); ++token) {
      exam.count_answers(1);
      const auto got = exam.runner().logits(*attempt.stream, token);
      if (same(got, right[token])) continue;
      finding.expected = fmt::format("token {}: {}", token, listed(output->names, right[token]));
      finding.got = listed(output->names, got);
      exam.wrong(finding);
      return;
    }
    for (const std::string& cell : against.blank)
      if (const auto left = leftover(exam.model(), cell, *attempt.stream, exam.runner())) {
        finding.expected = "cell " + cell + " is zero again";
        finding.got = fmt::format("not at token {}", *left);
        exam.wrong(finding);
        return;
      }
  };
  const Bounds& bounds = verdict.bounds;
  for (std::size_t size = 1; size <= bounds.up_to && !exam.settled(); ++size) {
    std::uint64_t index = 0;
    for (const RawInput& input : against.inputs(size)) {
      ++verdict.exhaustive;
      ask(input, {size, index++});
    }
  }
  verdict.bound = fmt::format("{} up to {} ({})", against.name, bounds.up_to,
                              counted(verdict.exhaustive, "run"));
  if (exam.settled() || bounds.random == 0 || !against.random) return;
  std::uint64_t index = 0;
  for (const RawInput& input : against.random(bounds.random, bounds.seed)) {
    ++verdict.random;
    ask(input, {bounds.up_to + 1, index++});
  }
  verdict.bound +=
      fmt::format(", {} (seed {})", counted(verdict.random, "random run"), bounds.seed);
}

}  // namespace logdepth
