#include "proofs-check/check/test_division.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <random>
#include <regex>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/quoted_text.hpp"
#include "oracle/division_oracle.hpp"
#include "proofs-check/check/checked_run.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth {
namespace {

Rational rational(std::uint64_t x) {
  return Rational(static_cast<std::int64_t>(x));
}

[[noreturn]] void refuse_names(const Model& model, const std::string& name) {
  throw InputError("the weights file " + in_quotes(model.name) +
                   " is not about division: it names " + in_quotes(name) +
                   ", expected inputs i.0 i.1 m.0 m.1 a.0 a.1 and outputs quotient.0 " +
                   "quotient.1 remainder.0 remainder.1");
}

class DivisionTest {
 public:
  DivisionTest(const Model& model, DivisionReport& report)
      : model_(model), report_(report), file_(division_file(model)), run_(model) {}

  bool divides_itself() const { return file_.own_argument; }

  std::optional<Mismatch> mismatch(const DivisionInput& input, bool count = true) {
    std::optional<Mismatch> found;
    const auto stream = run_.run(tokens_of(model_, division_rows(model_, input)),
                                 "quotients and remainders", found);
    if (!stream) return found;
    for (std::size_t i = 0; i < input.dividends.size(); ++i) {
      const std::uint64_t dividend = file_.own_argument ? i : input.dividends[i];
      const auto expected = right_division(dividend, input.divisor);
      report_.divisions += count;
      const auto logits = run_.runner().logits(*stream, i);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const Real& got = logits[file_.rows[k]];
        if (got == expected[k]) continue;
        const std::string place = fmt::format("token {}, {} by {}: {} = ", i, dividend,
                                              input.divisor, kDivisionOutputs[k]);
        return Mismatch{TestedProperty::answer, place + expected[k].text(), got.text()};
      }
    }
    return std::nullopt;
  }

  std::optional<Mismatch> beyond(std::size_t length) {
    return run_.expect_outside(
        tokens_of(model_, division_rows(model_, {1, std::vector<std::uint64_t>(length, 0)})),
        fmt::format("an input of {} tokens", length));
  }

  const CheckedRun& run() const { return run_; }

 private:
  const Model& model_;
  DivisionReport& report_;
  const DivisionFile file_;
  CheckedRun run_;
};

/// Drops the last positions, lowers the divisor, then sets dividends to zero, while it keeps
/// failing.
DivisionInput shrink_division(DivisionInput input,
                              const std::function<bool(const DivisionInput&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(input.dividends.size() / 2, 1); chunk >= 1;
         chunk /= 2)
      while (input.dividends.size() > chunk) {
        DivisionInput candidate = input;
        candidate.dividends.resize(input.dividends.size() - chunk);
        if (!fails(candidate)) break;
        input = std::move(candidate);
        smaller = true;
      }
    const auto attempt = [&](DivisionInput candidate) {
      if (!fails(candidate)) return;
      input = std::move(candidate);
      smaller = true;
    };
    if (input.divisor > 1) attempt({input.divisor - 1, input.dividends});
    for (std::size_t i = 0; i < input.dividends.size(); ++i) {
      if (input.dividends[i] == 0) continue;
      DivisionInput candidate = input;
      candidate.dividends[i] = 0;
      attempt(std::move(candidate));
    }
  }
  return input;
}

}  // namespace

std::array<Real, 4> right_division(std::uint64_t dividend, std::uint64_t divisor) {
  const Division right = division_oracle(dividend, divisor);
  const auto quotient = phi_code(rational(right.quotient));
  const auto remainder = phi_code(rational(right.remainder));
  return {quotient[0], quotient[1], remainder[0], remainder[1]};
}

std::optional<Rational> phi_argument(const Real& first, const Real& second) {
  // phi(x) = (x, 1) / r: the square of the second is 1 / r^2 and the product x / r^2.
  const Real square = second * second, product = first * second;
  if (!square.is_rational() || square.is_zero() || !product.is_rational()) return std::nullopt;
  const Rational x = product.rational_part() / square.rational_part();
  const auto code = phi_code(x);
  if (first != code[0] || second != code[1]) return std::nullopt;
  return x;
}

DivisionFile division_file(const Model& model) {
  const auto* input = std::get_if<CellsInput>(&model.input);
  const auto* output = std::get_if<CellsOutput>(&model.output);
  if (!input || !output)
    throw InputError("the weights file " + in_quotes(model.name) +
                     " does not take raw streams and answer with cells");
  for (const std::string& name : output->names)
    if (std::find(kDivisionOutputs.begin(), kDivisionOutputs.end(), name) == kDivisionOutputs.end())
      refuse_names(model, name);
  DivisionFile file;
  file.own_argument = std::none_of(input->names.begin(), input->names.end(),
                                   [](const auto& name) { return name == "a.0" || name == "d.0"; });
  for (std::size_t k = 0; k < kDivisionOutputs.size(); ++k) {
    const auto found = std::find(output->names.begin(), output->names.end(), kDivisionOutputs[k]);
    if (found == output->names.end())
      throw InputError("the weights file " + in_quotes(model.name) + " has no output " +
                       in_quotes(kDivisionOutputs[k]));
    file.rows[k] = static_cast<std::size_t>(found - output->names.begin());
  }
  return file;
}

std::vector<std::vector<Real>> division_rows(const Model& model, const DivisionInput& input) {
  const auto* cells = std::get_if<CellsInput>(&model.input);
  if (!cells)
    throw InputError("the weights file " + in_quotes(model.name) + " does not take raw streams");
  std::vector<std::vector<Real>> rows(input.dividends.size());
  static const std::regex known("([imadR]|I([1-9][0-9]{0,8})?)\\.([01])");
  for (const std::string& name : cells->names) {
    std::smatch parts;
    if (!std::regex_match(name, parts, known)) refuse_names(model, name);
    const std::size_t component = parts[3] == "0" ? 0 : 1;
    // I7 is dir(i, 7).
    const std::uint64_t L = parts[2].matched ? std::stoul(parts[2]) : 1;
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      const auto raw = [&](std::uint64_t x) {
        return Real(component == 0 ? static_cast<std::int64_t>(x) : 1);
      };
      // dir(i, m) is phi(i/m).
      const auto phi = [&](const Rational& x) { return phi_code(x)[component]; };
      rows[i].push_back(name[0] == 'i'   ? raw(i)
                        : name[0] == 'm' ? raw(input.divisor)
                        : name[0] == 'd' ? raw(input.dividends[i])
                        : name[0] == 'a' ? phi(rational(input.dividends[i]))
                        : name[0] == 'I' ? phi(rational(i) / rational(L))
                                         : phi(rational(i) / rational(input.divisor)));
    }
  }
  return rows;
}

DivisionReport test_division(const Model& model, const DivisionTestOptions& options) {
  DivisionReport report;
  DivisionTest test(model, report);
  const std::uint64_t limit =
      model.unroll.max_length.value_or(std::numeric_limits<std::uint64_t>::max());
  report.up_to = std::min<std::uint64_t>(options.up_to, limit);
  report.max_length = std::min<std::uint64_t>(options.max_length, limit);
  report.seed = options.seed;
  constexpr std::size_t kMaxPositions = 256;  // 256^3 / 2 divisions, some ten minutes
  if (report.up_to > kMaxPositions)
    throw InputError(
        fmt::format("--up-to {} means more than {} positions and divisors, each with each; lower "
                    "it, or raise --max-length",
                    options.up_to, kMaxPositions));
  // a_i = max(i - back, 0) for every back meets every pair a <= i.
  const std::size_t backs = test.divides_itself() ? 1 : report.up_to;
  const std::size_t total = (report.up_to * backs + options.random) / options.shard.count;
  NumberedCases cases(options.shard);

  const auto check = [&](const DivisionInput& input) {
    if (options.progress) options.progress(report.exhaustive_inputs + report.random_inputs, total);
    if (!test.mismatch(input)) return true;
    const DivisionInput small = shrink_division(
        input, [&](const DivisionInput& in) { return test.mismatch(in, false).has_value(); });
    const auto smallest = test.mismatch(small, false);
    report.counterexample = {small, smallest->expected, smallest->got, input.dividends.size(),
                             cases.number()};
    return false;
  };

  bool fine = true;
  for (std::uint64_t divisor = 1; fine && divisor <= report.up_to; ++divisor)
    for (std::uint64_t back = 0; fine && back < backs; ++back) {
      DivisionInput input{divisor, {}};
      for (std::uint64_t i = 0; i < report.up_to; ++i)
        input.dividends.push_back(i >= back ? i - back : 0);
      if (!cases.next()) continue;
      ++report.exhaustive_inputs;
      fine = check(input);
    }
  std::mt19937_64 random(options.seed);
  for (std::size_t k = 0; fine && report.max_length > 0 && k < options.random; ++k) {
    const std::uint64_t length = 1 + random() % report.max_length;
    // Small divisors have many multiples in sight, large ones none but 0.
    const std::uint64_t largest = random() % 2 == 0 ? 1 + length / 3 : length + 2;
    DivisionInput input{1 + random() % largest, {}};
    for (std::uint64_t i = 0; i < length; ++i)
      input.dividends.push_back(random() % 3 == 0 ? i : random() % (i + 1));
    if (!cases.next()) continue;
    ++report.random_inputs;
    fine = check(input);
  }
  if (fine && limit < (std::uint64_t{1} << 20) && cases.next())
    if (const auto answered = test.beyond(limit + 1))
      report.counterexample = {{1, std::vector<std::uint64_t>(limit + 1, 0)},
                               answered->expected,
                               answered->got,
                               limit + 1,
                               cases.number()};

  report.promises = test.run().promises();
  report.unevaluated = test.run().unevaluated();
  return report;
}

}  // namespace logdepth
