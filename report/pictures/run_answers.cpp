#include "report/pictures/run_answers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "objects/automaton.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

constexpr std::size_t kKeyColumns = 104;
constexpr std::size_t kKeyLines = 40;

}  // namespace

PrefixAnswers read_prefixes(Runner& runner, const Stream<ValueId>& stream) {
  PrefixAnswers answers;
  if (!runner.has_prefixes()) return answers;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    auto answer = runner.prefix(stream, token);
    if (!answer.has_value()) return {};
    answers.push_back(std::move(answer).value());
  }
  return answers;
}

std::optional<ComparedPrefixes> compared_prefixes(Runner& runner, const Stream<ValueId>& stream,
                                                  const std::optional<PrefixAnswers>& right) {
  if (!right || !runner.has_prefixes()) return std::nullopt;
  ComparedPrefixes compared{runner.first_letter(), {}, *right};
  for (std::size_t i = 0; i < right->size(); ++i) {
    auto answer = runner.prefix(stream, compared.first_letter + i);
    compared.answered.emplace_back();
    if (answer.has_value()) compared.answered.back() = std::move(answer).value();
  }
  return compared;
}

PrefixNames::PrefixNames(const Model& model, const PrefixAnswers& answers)
    : states_(reads_states(model)), state_names_(names_of_states(model)) {
  for (const PrefixAnswer& answer : answers) {
    if (const auto* product = std::get_if<Transformation>(&answer))
      spelled_ = spelled_ && product->size() <= 6 &&
                 std::all_of(product->begin(), product->end(), [](State q) { return q < 10; });
    if (known_.try_emplace(answer, order_.size() + 1).second) order_.push_back(answer);
  }
}

std::string PrefixNames::name(const PrefixAnswer& answer) const {
  if (const auto* state = std::get_if<State>(&answer))
    return *state < state_names_.size() ? cut_text(state_names_[*state], kStateCharacters)
                                        : std::to_string(*state);
  if (!spelled_) return fmt::format("m{}", known_.at(answer));
  std::string digits;
  for (const State q : std::get<Transformation>(answer)) digits += std::to_string(q);
  return digits;
}

std::vector<std::string> PrefixNames::names(const PrefixAnswers& answers) const {
  std::vector<std::string> texts;
  for (const PrefixAnswer& answer : answers) texts.push_back(name(answer));
  return texts;
}

std::vector<std::string> PrefixNames::notes() const {
  if (order_.empty()) return {};
  if (states_) return {"state: where the automaton is after the letters up to here"};
  if (spelled_) return {"product: the images of the points 0, 1, 2, \xE2\x80\xA6"};
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < order_.size() && i < kKeyLines; ++i)
    notes.push_back(cut_text(fmt::format("m{} = {}", i + 1, prefix_text(order_[i])), kKeyColumns));
  if (order_.size() > kKeyLines)
    notes.push_back(fmt::format("and {} more", order_.size() - kKeyLines));
  return notes;
}

namespace {

/// Natural numbers beyond this one are not drawn.
constexpr double kLargest = 1 << 20;

/// The x of (x, 1) times a positive number.
std::optional<std::uint64_t> natural(const std::pair<Real, Real>& code) {
  const double below = code.second.approximate().value;
  if (below <= 0) return std::nullopt;
  const double x = std::round(code.first.approximate().value / below);
  if (!(x >= 0 && x <= kLargest)) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(x);
  if (!(code.second * Real(Rational(static_cast<std::int64_t>(number))) == code.first))
    return std::nullopt;
  return number;
}

/// Whether this is phi(x) = (x, 1) / sqrt(x^2 + 1).
bool is_phi(const std::pair<Real, Real>& code, std::uint64_t x) {
  const Rational number(static_cast<std::int64_t>(x));
  const Rational square = number * number + Rational(1);
  return code.second == Real(1).divided_by_root(square) &&
         code.first == Real(number).divided_by_root(square);
}

/// The places of NAME.0 and NAME.1 in a list of names.
using Places = std::pair<std::size_t, std::size_t>;
std::optional<Places> places(const std::vector<std::string>& names, const std::string& name) {
  const auto first = std::find(names.begin(), names.end(), name + ".0");
  const auto second = std::find(names.begin(), names.end(), name + ".1");
  if (first == names.end() || second == names.end()) return std::nullopt;
  return Places(first - names.begin(), second - names.begin());
}

std::pair<Real, Real> at(const std::vector<Real>& values, const Places& where) {
  return {values[where.first], values[where.second]};
}

}  // namespace

std::vector<DivisionResult> division_results(Runner& runner, const Tokens& tokens,
                                             const Stream<ValueId>& stream) {
  const auto* input = std::get_if<CellsInput>(&runner.model().input);
  const auto* output = std::get_if<CellsOutput>(&runner.model().output);
  if (!input || !output) return {};
  const auto divisor = places(input->names, "m"), dividend = places(input->names, "a");
  const auto quotient = places(output->names, "quotient");
  const auto remainder = places(output->names, "remainder");
  if (!divisor || !quotient || !remainder) return {};
  std::vector<DivisionResult> results;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    const auto by = natural(at(tokens.given[token], *divisor));
    const auto what = dividend ? natural(at(tokens.given[token], *dividend)) : token;
    if (!by || *by == 0 || !what) return {};
    const std::vector<Real> logits = runner.logits(stream, token);
    const auto q = at(logits, *quotient), r = at(logits, *remainder);
    results.push_back(
        {*what, *by, natural(q), natural(r), is_phi(q, *what / *by), is_phi(r, *what % *by)});
  }
  return results;
}

namespace {

constexpr std::size_t kExactCharacters = 16;
constexpr std::size_t kCellsListed = 64;

std::string number_of(const Real& value) {
  const std::string exact = value.text();
  if (exact.size() <= kExactCharacters) return exact;
  return "\xE2\x89\x88" + short_text(value.approximate().value, 6);  // almost equal
}

}  // namespace

CellValues::CellValues(const Model& model) {
  const CarriedProgram carried(model, Trust::plausible);
  for (const auto& [name, index] : model.cells) {
    if (index.type == "constant") continue;
    NamedCell& cell = cells_.emplace_back(NamedCell{name, index.coordinates, {}});
    if (!carried.fitted()) continue;
    for (const Cell& declared : carried.fitted()->program().cells)
      if (const auto* onehot = std::get_if<OneHotType>(&declared.type);
          onehot && declared.name == name)
        cell.labels = onehot->labels;
  }
  std::sort(cells_.begin(), cells_.end(), [](const NamedCell& a, const NamedCell& b) {
    return std::pair(a.coordinates, a.name) < std::pair(b.coordinates, b.name);
  });
}

std::string CellValues::text(const Stream<ValueId>& stream, std::size_t token,
                             const ValuePool& pool) const {
  std::vector<std::string> items;
  for (const NamedCell& cell : cells_) {
    std::vector<std::string> numbers;
    std::size_t nonzero = 0, last = 0;
    for (std::size_t i = 0; i < cell.coordinates.size(); ++i) {
      const ValueId value = stream.at(token, cell.coordinates[i]);
      numbers.push_back(number_of(pool[value]));
      if (value == ValuePool::kZero) continue;
      ++nonzero;
      last = i;
    }
    if (nonzero == 0 || items.size() == kCellsListed) continue;
    const bool label = nonzero == 1 && numbers[last] == "1" && last < cell.labels.size();
    items.push_back(cell.name + " = " + (label ? cell.labels[last] : joined(numbers, " ")));
  }
  return items.empty() ? "" : "Cells after the layer: " + joined(items, "; ") + ".";
}

}}  // namespace logdepth::report_pictures
