#include "proofs-check/check/divisions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "oracle/division_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_check {
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

/// The number z >= 0 whose phi(z) = (z, 1)/sqrt(z^2 + 1) is (x, y) is x/y, read as the nearest
/// integer; proved where every pair of numbers within the bounds reads the same.
Answered judged_number(const FloatNumber& x, const FloatNumber& y, Certificate certificate,
                       std::uint64_t expected) {
  const auto wanted = static_cast<double>(expected);
  const double low = (x.value - x.error) / (y.value + y.error);
  const double high = (x.value + x.error) / (y.value - y.error);
  const bool bounded = certificate == Certificate::certified && y.value > y.error;
  if (bounded && (low > wanted + 0.001 || high < wanted - 0.001))
    throw std::logic_error("a certified number of a float run is wrong");
  if (!(y.value > 0) || !(std::fabs(x.value / y.value - wanted) < 0.5)) return Answered::wrong;
  return bounded && low > wanted - 0.499 && high < wanted + 0.499 ? Answered::certified
                                                                  : Answered::right;
}

/// The name of an input: a cell (i, m, a, d, R, or I7 for dir(i, 7)) and its component, as in I7.1.
struct DivisionCell {
  std::uint64_t L = 1;
  std::size_t component = 0;
};

DivisionCell division_cell(const Model& model, const std::string& name) {
  DivisionCell cell;
  if (!name.ends_with(".0") && !name.ends_with(".1")) refuse_names(model, name);
  cell.component = name.ends_with(".0") ? 0 : 1;
  const std::string_view letters = std::string_view(name).substr(0, name.size() - 2);
  if (letters.empty() || std::string_view("imadRI").find(letters[0]) == letters.npos)
    refuse_names(model, name);
  const std::string_view digits = letters.substr(1);
  if (digits.empty()) return cell;
  if (letters[0] != 'I' || digits.size() > 9 || digits[0] == '0' ||
      digits.find_first_not_of("0123456789") != digits.npos)
    refuse_names(model, name);
  std::from_chars(digits.data(), digits.data() + digits.size(), cell.L);
  return cell;
}

}  // namespace

std::array<Real, 4> right_division(std::uint64_t dividend, std::uint64_t divisor) {
  const Division right = division_oracle(dividend, divisor);
  const auto quotient = phi_code(rational(right.quotient));
  const auto remainder = phi_code(rational(right.remainder));
  return {quotient[0], quotient[1], remainder[0], remainder[1]};
}

std::optional<Rational> phi_argument(const Real& first, const Real& second) {
  // phi(x) = (x, 1) / r: the square of the second is 1 / r^2 and the product x / r^2. The first is x times
  // the second, so the second tells whether the pair is a code.
  const Real square = second * second, product = first * second;
  if (!square.is_rational() || square.is_zero() || !product.is_rational()) return std::nullopt;
  const Rational x = product.rational_part() / square.rational_part();
  if (second != phi_code(x)[1]) return std::nullopt;
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
  for (const std::string& name : cells->names) {
    const DivisionCell cell = division_cell(model, name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto raw = [&](std::uint64_t x) {
        return Real(cell.component == 0 ? static_cast<std::int64_t>(x) : 1);
      };
      // dir(i, m) is phi(i/m).
      const auto phi = [&](const Rational& x) { return phi_code(x)[cell.component]; };
      rows[i].push_back(name[0] == 'i'   ? raw(i)
                        : name[0] == 'm' ? raw(input.divisor)
                        : name[0] == 'd' ? raw(input.dividends[i])
                        : name[0] == 'a' ? phi(rational(input.dividends[i]))
                        : name[0] == 'I' ? phi(rational(i) / rational(cell.L))
                                         : phi(rational(i) / rational(input.divisor)));
    }
  }
  return rows;
}

DivisionDomain::DivisionDomain(const Model& model)
    : TestDomain(model), file_(division_file(model)) {
  (void)division_rows(model, {1, {0}});  // the names of the input
}

Outcome<Tokens> DivisionDomain::tokens(const DivisionInput& input) const {
  return tokens_of(model_, division_rows(model_, input));
}

bool DivisionDomain::outside(const DivisionInput& input) const {
  const auto limit = model_.unroll.max_length;
  return limit && input.dividends.size() > *limit;
}

std::optional<Failure> DivisionDomain::judge(const DivisionInput& input, DecidedRun& run,
                                             ComparedCounts& counts) {
  for (std::size_t i = 0; i < input.dividends.size(); ++i) {
    const auto right = right_division(dividend(input, i), input.divisor);
    ++counts.numbers;
    std::vector<Real> logits(right.size());
    for (std::size_t k = 0; k < right.size(); ++k) logits[file_.rows[k]] = right[k];
    const auto number = [&](std::size_t k, const std::string& value) {
      return DividedNumber{i, dividend(input, i), input.divisor, kDivisionOutputs[k], value};
    };
    const auto same = run.has_logits(i, logits);
    if (!same.has_value()) return NoAnswer{number(0, right[0].text()), same.refusal()};
    if (!same.value()) {
      const auto got = run.logits(i);
      if (!got.has_value()) return NoAnswer{number(0, right[0].text()), got.refusal()};
      std::size_t k = 0;  // the first that differs
      while (k + 1 < right.size() && got.value()[file_.rows[k]] == right[k].text()) ++k;
      return WrongAnswer{number(k, right[k].text()), number(k, got.value()[file_.rows[k]])};
    }
    ++counts.answers;
  }
  return std::nullopt;
}

Answered DivisionDomain::judge(const DivisionInput& input, const FloatRunner& runner,
                               const FloatStream& stream) const {
  Answered worst = Answered::certified;
  for (std::size_t i = 0; i < input.dividends.size() && worst > Answered::wrong; ++i) {
    const Division right = division_oracle(dividend(input, i), input.divisor);
    const auto got = runner.numbers(stream, i);
    const auto number = [&](std::size_t k, std::uint64_t expected) {
      return judged_number(got.value[file_.rows[k]], got.value[file_.rows[k + 1]], got.certificate,
                           expected);
    };
    worst = std::min({worst, number(0, right.quotient), number(2, right.remainder)});
  }
  return worst;
}

/// Drops the last positions, lowers the divisor, then sets dividends to zero, while it keeps failing.
DivisionInput DivisionDomain::shrunk(DivisionInput input,
                                     const std::function<bool(const DivisionInput&)>& fails) const {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto becomes = [&](DivisionInput candidate) {
      if (!fails(candidate)) return false;
      input = std::move(candidate);
      return smaller = true;
    };
    for (std::size_t chunk = std::max<std::size_t>(input.dividends.size() / 2, 1); chunk >= 1;
         chunk /= 2)
      while (input.dividends.size() > chunk) {
        DivisionInput candidate = input;
        candidate.dividends.resize(input.dividends.size() - chunk);
        if (!becomes(std::move(candidate))) break;
      }
    if (input.divisor > 1) becomes({input.divisor - 1, input.dividends});
    for (std::size_t i = 0; i < input.dividends.size(); ++i) {
      if (input.dividends[i] == 0) continue;
      DivisionInput candidate = input;
      candidate.dividends[i] = 0;
      becomes(std::move(candidate));
    }
  }
  return input;
}

std::string DivisionDomain::text(const DivisionInput& input) const {
  const auto is_own = [&](std::size_t i) { return input.dividends[i] == i; };
  const std::size_t last = input.dividends.empty() ? 0 : input.dividends.size() - 1;
  bool own_before = !input.dividends.empty();
  for (std::size_t i = 0; i < last; ++i) own_before = own_before && is_own(i);
  if (own_before || (file_.own_argument && !input.dividends.empty()))
    return fmt::format("{} by {} at position {}", dividend(input, last), input.divisor, last);
  std::string text = fmt::format("divisor {}, dividends", input.divisor);
  for (const std::uint64_t a : input.dividends) text += fmt::format(" {}", a);
  return text;
}

namespace {

/// Every position i <= up_to, every divisor from 1 to up_to, every dividend a <= i, in rounds of growing
/// size: a run holds one divisor and, at position i, the dividend max(i - back, 0).
CaseGenerator<DivisionInput> every_division(const DivisionDomain& questions, std::size_t up_to) {
  const bool itself = questions.divides_itself();
  std::size_t total = 0, covered = 0;
  std::vector<std::size_t> rounds;  // a round holds the smaller ones, which are cheap
  for (std::size_t round = std::min<std::size_t>(2, up_to); round > covered;
       round = std::min(4 * round, up_to)) {
    rounds.push_back(round);
    total += round * (itself ? 1 : round + 1);
    covered = round;
  }
  return {[itself, rounds = std::move(rounds), round = std::size_t{0}, divisor = std::uint64_t{1},
           back = std::uint64_t{0}]() mutable -> std::optional<AskedCase<DivisionInput>> {
            if (round == rounds.size()) return std::nullopt;
            const std::size_t size = rounds[round];
            DivisionInput input{divisor, {}};
            for (std::uint64_t i = 0; i <= size; ++i)
              input.dividends.push_back(i >= back ? i - back : 0);
            if (++back > (itself ? 0 : size)) back = 0, ++divisor;
            if (divisor > size) divisor = 1, ++round;
            return AskedCase<DivisionInput>{CaseStage::exhaustive, {std::move(input)}};
          },
          total};
}

/// Small divisors, which have many multiples in sight, and large ones, which have none but 0.
CaseGenerator<DivisionInput> random_divisions(std::size_t count, std::size_t max_length,
                                              std::uint64_t seed) {
  if (max_length == 0) count = 0;
  return {[count, max_length, random = std::mt19937_64(seed),
           drawn = std::size_t{0}]() mutable -> std::optional<AskedCase<DivisionInput>> {
            if (drawn == count) return std::nullopt;
            ++drawn;
            const std::uint64_t length = 1 + random() % max_length;
            const std::uint64_t largest = random() % 2 == 0 ? 1 + length / 3 : length + 2;
            DivisionInput input{1 + random() % largest, {}};
            for (std::uint64_t i = 0; i < length; ++i)
              input.dividends.push_back(random() % 3 == 0 ? i : random() % (i + 1));
            return AskedCase<DivisionInput>{CaseStage::random, {std::move(input)}};
          },
          count};
}

CaseGenerator<DivisionInput> division_beyond_the_limit(const Model& model) {
  std::vector<AskedCase<DivisionInput>> cases;
  const auto limit = model.unroll.max_length;
  if (limit && *limit < (std::uint64_t{1} << 20))
    cases.push_back({CaseStage::limit,
                     {{1, std::vector<std::uint64_t>(static_cast<std::size_t>(*limit) + 1, 0)}}});
  return listed_cases(std::move(cases));
}

}  // namespace

Examination<DivisionInput> examine_divisions(DivisionDomain& questions, const Bounds& bounds,
                                             const Asking& how) {
  const Model& model = questions.model();
  const auto limit = model.unroll.max_length;
  const Bounds within = limit ? bounds.cut(*limit - (*limit > 0), *limit) : bounds;
  constexpr std::size_t kMaxPositions = 256;  // 256^3 / 2 divisions, some ten minutes
  if (within.up_to > kMaxPositions)
    throw InputError(
        fmt::format("--up-to {} requires more than {} pairs of position and divisor; lower it, or "
                    "raise --max-length",
                    bounds.up_to, kMaxPositions));
  auto result = examine(questions,
                        every_division(questions, within.up_to) +
                            random_divisions(within.random, within.max_size, within.seed) +
                            division_beyond_the_limit(model),
                        how);
  result.bounds = within;
  return result;
}

}}  // namespace logdepth::proofs_check_check
