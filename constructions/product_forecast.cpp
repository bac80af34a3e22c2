#include "constructions/product_forecast.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace logdepth::inline constructions {
namespace {

/// Counts stop at a power of ten, 10^18 where they have 64 bits. Nothing near it can be built, and two
/// of them can be added.
constexpr int kUncountedDigits = std::numeric_limits<std::size_t>::digits10 - 1;
constexpr std::size_t kUncounted = [] {
  std::size_t power = 1;
  for (int digit = 0; digit < kUncountedDigits; ++digit) power *= 10;
  return power;
}();

std::size_t sum(std::size_t a, std::size_t b) {
  return std::min(a + b, kUncounted);
}
std::size_t times(std::size_t a, std::size_t b) {
  return b != 0 && a > kUncounted / b ? kUncounted : a * b;
}
std::string text_of(std::size_t units) {
  return units == kUncounted ? fmt::format("more than 10^{}", kUncountedDigits)
                             : std::to_string(units);
}

/// Units of one layer: of each table, and per component of a product.
struct LayerDemand {
  std::size_t factors = 0, tables = 0, per_component = 0;
};

/// A unit for every path q -> r -> ... -> t of as many steps as there are factors, from each stored
/// row.
std::size_t count_matrix_units(const ReachablePoints& images, const LayerDemand& layer) {
  const auto& lists = images.lists();
  std::vector<std::size_t> paths(lists.size(), 1);  // from any point of the list's
  for (std::size_t step = 0; step < layer.factors; ++step) {
    std::vector<std::size_t> longer(lists.size(), 0);
    for (std::size_t list = 0; list < lists.size(); ++list)
      for (const State r : lists[list]) longer[list] = sum(longer[list], paths[images.list_of(r)]);
    paths = std::move(longer);
  }
  std::size_t units = 0;
  for (State q = 0; q < images.points(); ++q)
    if (images[q].size() > 1)
      units = sum(units, sum(times(layer.tables, paths[images.list_of(q)]),
                             layer.per_component * images[q].size()));
  return units;
}

std::size_t count_monoid_units(std::size_t size, const LayerDemand& layer) {
  std::size_t rules = layer.tables;
  for (std::size_t factor = 0; factor < layer.factors; ++factor) rules = times(rules, size);
  return sum(rules, layer.per_component * size);
}

std::string refusal_of(const ProductForecast& forecast, const ProductDemand& demand,
                       const std::string& units) {
  const bool monoid = forecast.chosen == ScanTable::monoid;
  const std::size_t other =
      monoid ? forecast.matrix_units : forecast.monoid_units.value_or(kUncounted);
  return fmt::format(
      "the {} table needs {} hidden units; the limit is {} ({}); try {}, or a smaller "
      "automaton",
      std::string(monoid ? "monoid" : "matrix"), units, kMaxScanUnits, forecast.reason,
      other <= kMaxScanUnits ? "the other --table" : demand.advice);
}

}  // namespace

Option table_option() {
  return {"table", ChoiceOption{{"auto", "matrix", "monoid"}, "auto"},
          "form of the product table (auto: the smaller one)"};
}

ScanTable table_of(const Values& values) {
  const std::string table = word_of(values, "table");
  return table == "matrix"   ? ScanTable::matrix
         : table == "monoid" ? ScanTable::monoid
                             : ScanTable::automatic;
}

ProductForecast forecast_products(const Action& action, const ProductDemand& demand) {
  // One unit clears each component of each factor.
  const auto layer = [&](std::size_t factors) {
    return LayerDemand{factors, demand.tables, sum(factors, demand.component_units)};
  };
  ProductForecast forecast;
  // A pair of two points has at least one unit, so a matrix of more pairs is refused uncounted.
  std::string matrix_text = fmt::format("more than {}", kMaxScanUnits);
  forecast.matrix_units = kUncounted;
  if (auto images = ReachablePoints::of_at_most(action, kMaxScanUnits)) {
    forecast.images = std::move(*images);
    forecast.matrix_units = demand.other_units;
    for (const auto& [factors, layers] : demand.layers)
      forecast.matrix_units =
          sum(forecast.matrix_units,
              times(layers, count_matrix_units(forecast.images, layer(factors))));
    matrix_text = text_of(forecast.matrix_units);
  }
  // The stated cap, lowered when elements are long lists: at most 2^24 images in memory.
  forecast.monoid_cap = std::min<std::size_t>(
      kMaxMonoid, (std::size_t{1} << 24) / std::max<std::size_t>(action.points, 1));
  std::string monoid_text = fmt::format(
      "the monoid has more than {} elements and was not enumerated further", forecast.monoid_cap);
  if (auto monoid = enumerate_monoid(action.generators, action.points, forecast.monoid_cap)) {
    forecast.monoid = std::make_shared<const TransitionMonoid>(std::move(*monoid));
    const std::size_t size = forecast.monoid->size();
    std::size_t units = demand.other_units;
    for (const auto& [factors, layers] : demand.layers)
      units = sum(units, times(layers, count_monoid_units(size, layer(factors))));
    forecast.monoid_units = units;
    monoid_text = fmt::format("the monoid has {} element{}, its table {} hidden units", size,
                              size == 1 ? "" : "s", text_of(units));
  }
  forecast.chosen = demand.table;
  if (demand.table == ScanTable::automatic)
    forecast.chosen = forecast.monoid_units && *forecast.monoid_units < forecast.matrix_units
                          ? ScanTable::monoid
                          : ScanTable::matrix;
  forecast.reason =
      fmt::format("{}the matrix of {} point{} needs {} hidden units; {}",
                  std::string(demand.table == ScanTable::automatic ? "smaller: " : "requested: "),
                  action.points, action.points == 1 ? "" : "s", matrix_text, monoid_text);
  const bool monoid = forecast.chosen == ScanTable::monoid;
  if (monoid && !forecast.monoid)
    forecast.refusal = "the monoid table cannot be built: " + monoid_text +
                       "; try --table matrix (" + matrix_text + " hidden units)";
  else if ((monoid ? *forecast.monoid_units : forecast.matrix_units) > kMaxScanUnits)
    forecast.refusal =
        refusal_of(forecast, demand, monoid ? text_of(*forecast.monoid_units) : matrix_text);
  return forecast;
}

}  // namespace logdepth::inline constructions
