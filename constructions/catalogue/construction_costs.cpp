#include "constructions/catalogue/construction_costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/phrases.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

/// Larger tables are not built for a comparison, only when they are asked for by name.
constexpr std::size_t kMostComparedUnits = 100000;

/// The radix of the fewest layers within these units, the smallest of them; 2 if none is.
unsigned best_radix(const Action& action, std::uint64_t length, ScanPositions positions,
                    ScanTable table) {
  unsigned best = 2;
  std::size_t fewest = SIZE_MAX;
  for (unsigned radix = 2; radix <= kMaxRadix; ++radix) {
    const RadixOptions options{radix, length, positions, table};
    const std::size_t layers = radix_shifts(options).size();
    if (layers >= fewest) continue;
    // Tables grow with the radix.
    const ProductForecast forecast = forecast_radix(action, options);
    if (forecast.refusal || forecast.units() > kMostComparedUnits) break;
    fewest = layers;
    best = radix;
  }
  return best;
}

/// The bits of the least law at this size of a run; absent where a head or a test has none.
std::optional<unsigned> separation_bits(const Compiled& compiled, std::uint64_t length) {
  const double size = static_cast<double>(length) + 2;  // with the beginning and the end
  double least = 1;
  for (std::size_t l = 0; l < compiled.facts.layers.size(); ++l) {
    const LayerFacts& facts = compiled.facts.layers[l];
    const Layer& layer = compiled.model->layers[l];
    for (std::size_t h = 0; h < facts.heads.size(); ++h) {
      if (std::holds_alternative<UniformPromise>(layer.attention.heads[h].promise)) continue;
      if (!facts.heads[h].gap) return std::nullopt;
      least = std::min(least, facts.heads[h].gap->at(size));
    }
    if (facts.feedforward.zero) least = std::min(least, facts.feedforward.zero->at(size));
  }
  return static_cast<unsigned>(std::ceil(-std::log2(least)));
}

}  // namespace

std::vector<ScanPositions> positions_for(const std::string& construction) {
  if (construction == "tree") return {ScanPositions::first_flag};
  if (construction == "cascade") return {ScanPositions::fine, ScanPositions::first_flag};
  return {ScanPositions::two_circle, ScanPositions::circle, ScanPositions::fine,
          ScanPositions::first_flag};
}

std::string RegularConstruction::title() const {
  return radix ? fmt::format("{} {}", name, *radix) : name;
}

Program regular_program(const Action& action, const std::string& name,
                        const RegularConstruction& construction, ScanTable table) {
  const ScanPositions positions = construction.positions;
  if (construction.name == "tree") return regular_language_tree_MS25_thm4_1(action, name, {table});
  if (construction.name == "cascade")
    return regular_language_cascade_KR65(cascade_of(action), name, {positions, table});
  if (construction.name == "radix")
    return regular_language_radix_MS25_cor4_2(
        action, name, {*construction.radix, *construction.longest, positions, table});
  return regular_language_scan_MS25_thm4_1(action, name, {positions, table});
}

RegularCosts::RegularCosts(const Action& action, const CostOptions& options)
    : action_(action), options_(options) {}

std::vector<RegularConstruction> RegularCosts::candidates(std::uint64_t length) const {
  std::vector<RegularConstruction> result;
  for (const char* name : {"scan", "radix", "tree", "cascade"}) {
    const auto possible = positions_for(name);
    const ScanPositions positions = options_.positions.value_or(possible.front());
    if (std::find(possible.begin(), possible.end(), positions) == possible.end()) continue;
    RegularConstruction construction{name, positions, std::nullopt, std::nullopt};
    if (construction.name == "radix") {
      if (!options_.promised_length || length == 0 || length > UINT32_MAX) continue;
      construction.radix =
          options_.scan_refusal ? 2 : best_radix(action_, length, positions, options_.table);
      construction.longest = length;
    }
    result.push_back(construction);
  }
  return result;
}

RegularCosts::Built RegularCosts::build(const RegularConstruction& construction) const {
  const bool multiplies = construction.name != "cascade" && construction.longest.value_or(2) > 1;
  if (multiplies && options_.scan_refusal) return {std::nullopt, *options_.scan_refusal};
  try {
    return {compile(regular_program(action_, construction.name, construction, options_.table)), ""};
  } catch (const SizeLimit& limit) {
    return {std::nullopt, limit.what()};
  }
}

ConstructionCost RegularCosts::cost(const RegularConstruction& construction, std::uint64_t length) {
  Built promised;
  const Built* built = &promised;
  if (construction.longest) {
    promised = build(construction);
  } else {
    const auto [place, added] = built_.try_emplace(construction.name);
    if (added) place->second = build(construction);
    built = &place->second;
  }
  ConstructionCost cost{construction, std::nullopt, built->refusal, std::nullopt};
  if (built->compiled) {
    cost.measures = measure(built->compiled->model, length);
    cost.bits = separation_bits(*built->compiled, length);
  }
  return cost;
}

CostTable RegularCosts::at(std::uint64_t length) {
  CostTable table;
  table.length = length;
  // Fewest layers, then right for all lengths, then fewest units.
  const auto rank = [&](std::size_t i) {
    const ConstructionCost& row = table.rows[i];
    return std::tuple(row.measures->depth, row.construction.longest.has_value(),
                      row.measures->units, i);
  };
  for (const RegularConstruction& construction : candidates(length)) {
    table.rows.push_back(cost(construction, length));
    const std::size_t i = table.rows.size() - 1;
    if (table.rows[i].measures && (!table.chosen || rank(i) < rank(*table.chosen)))
      table.chosen = i;
  }
  std::vector<std::string> others;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const ConstructionCost& row = table.rows[i];
    if (i != table.chosen)
      others.push_back(row.measures
                           ? fmt::format("{} {}", row.construction.title(), row.measures->depth)
                           : row.construction.title() + " cannot be built");
  }
  table.reason =
      table.chosen
          ? fmt::format("{} has {} for {} ({})", table.rows[*table.chosen].construction.title(),
                        counted(table.rows[*table.chosen].measures->depth, "layer"),
                        counted(length, "letter"), joined(others))
          : "none of the constructions can be built";
  return table;
}

}  // namespace logdepth
