#include "constructions/product_cells.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace constructions {
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

namespace {

using cells::Product;

cells::Form component(const cells::OneHot& cell, std::uint32_t label) {
  return cells::Component{cell.id(), label};
}

/// The product as a 0/1 matrix, one one-hot row per point; composition needs one unit for every
/// path q -> r -> ... -> t: s.q = r, ..., d.r = t give d.q := t. No monoid is enumerated.
class MatrixCells : public ProductCells {
 public:
  MatrixCells(const Action& action, const ProductForecast& forecast)
      : ProductCells(action), images_(forecast.images), row_(action.points) {
    for (State q = 0; q < action.points; ++q)
      if (images_[q].size() > 1) {
        row_[q] = stored_.size();
        stored_.push_back(q);
      }
  }

  void read(cells::Program& program, const Product& product,
            const cells::Constant& one) const override {
    cells::Form accept, reject;
    const auto image = [&](State q, State t) { return component(product[*row_[q]], label(q, t)); };
    if (action_.initial) {
      const State q = *action_.initial;
      for (const State t : images_[q]) {
        cells::Form& answer = action_.accepting[t] ? accept : reject;
        answer += (row_[q] ? image(q, t) : cells::Form(one));
      }
    } else {
      // The identity scores one per stored row, anything else at least one less.
      const auto stored = static_cast<std::int64_t>(stored_.size());
      for (const State q : stored_) accept += image(q, q);
      if (stored == 0) accept = one;
      reject = cells::Fraction(stored == 0 ? 1 : 2 * stored - 1, 2) * one;
    }
    program.output("accept", accept).output("reject", reject);
    std::vector<cells::Program::Point> points;
    for (State q = 0; q < action_.points; ++q)
      points.push_back(row_[q] ? cells::Program::Point{product[*row_[q]], 0}
                               : cells::Program::Point{std::nullopt, q});
    program.prefix(points);
  }

  cells::Rules product(const std::vector<Product>& factors) const override {
    cells::Rules rules;
    for (const State q : stored_) {
      cells::Rule path;
      extend(path, q, q, factors, 0, rules);
    }
    return rules;
  }

  std::vector<cells::Value> values(const Product& product,
                                   const Transformation& map) const override {
    std::vector<cells::Value> values;
    for (const State q : stored_) values.push_back(product[*row_[q]].at(label(q, map[q])));
    return values;
  }

  Digit image(const Product& product, State point) const override {
    Digit image{std::vector<std::vector<Digit::Conditions>>(action_.points)};
    if (!row_[point])
      image.when[point] = {{}};
    else
      for (const State t : images_[point])
        image.when[t] = {{product[*row_[point]].at(label(point, t))}};
    return image;
  }

 protected:
  std::vector<Row> rows() const override {
    std::vector<Row> rows;
    for (const State q : stored_) {
      Row& row = rows.emplace_back();
      row.suffix = fmt::format(".{}", q);
      for (const State t : images_[q]) row.labels.push_back(std::to_string(t));
    }
    return rows;
  }

 private:
  /// `path` says how q goes to `at` under the first `done` factors. A point that is not stored is
  /// its own only image.
  void extend(cells::Rule& path, State q, State at, const std::vector<Product>& factors,
              std::size_t done, cells::Rules& rules) const {
    if (done == factors.size()) {
      rules.push_back({path.when, {factors.back()[*row_[q]].at(label(q, at))}});
      return;
    }
    for (const State next : images_[at]) {
      if (row_[at]) path.when.push_back(factors[done][*row_[at]].at(label(at, next)));
      extend(path, q, next, factors, done + 1, rules);
      if (row_[at]) path.when.pop_back();
    }
  }

  std::uint32_t label(State q, State t) const {
    return static_cast<std::uint32_t>(std::lower_bound(images_[q].begin(), images_[q].end(), t) -
                                      images_[q].begin());
  }

  const ReachablePoints& images_;
  std::vector<State> stored_;
  std::vector<std::optional<std::size_t>> row_;  // of each point
};

/// The product as one one-hot cell over the transition monoid, with its multiplication table: |M|^k
/// units for k factors.
class MonoidCells : public ProductCells {
 public:
  MonoidCells(const Action& action, const TransitionMonoid& monoid)
      : ProductCells(action), monoid_(monoid) {}

  void read(cells::Program& program, const Product& product,
            const cells::Constant&) const override {
    cells::Form accept, reject;
    for (std::uint32_t e = 0; e < monoid_.size(); ++e) {
      cells::Form& answer = action_.accepts(monoid_.elements[e]) ? accept : reject;
      answer += component(product[0], e);
    }
    program.output("accept", accept).output("reject", reject);
    program.prefix(product[0], monoid_.elements);
  }

  cells::Rules product(const std::vector<Product>& factors) const override {
    const auto table = monoid_.product_table();
    cells::Rules rules;
    cells::Rule factors_so_far;
    extend(factors_so_far, 0, factors, table, rules);
    return rules;
  }

  std::vector<cells::Value> values(const Product& product,
                                   const Transformation& map) const override {
    return {product[0].at(monoid_.find(map))};
  }

  Digit image(const Product& product, State point) const override {
    Digit image{std::vector<std::vector<Digit::Conditions>>(action_.points)};
    for (std::uint32_t e = 0; e < monoid_.size(); ++e)
      image.when[monoid_.elements[e][point]].push_back({product[0].at(e)});
    return image;
  }

 protected:
  /// Labels that say what an element is: a shortest word for it.
  std::vector<Row> rows() const override {
    std::vector<std::string> labels;
    for (const Word& word : monoid_.shortest_word) {
      std::string text;
      for (const Letter a : word) {
        if (!text.empty() && !action_.alphabet.single_characters()) text += '.';
        text += action_.alphabet.name(a);
      }
      labels.push_back(word.empty() ? "()" : text);
    }
    if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size())
      for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = fmt::format("m{}", i);
    return {{"", std::move(labels)}};
  }

 private:
  void extend(cells::Rule& so_far, std::uint32_t product, const std::vector<Product>& factors,
              const std::vector<std::uint32_t>& table, cells::Rules& rules) const {
    const std::size_t done = so_far.when.size();
    if (done == factors.size()) {
      rules.push_back({so_far.when, {factors.back()[0].at(product)}});
      return;
    }
    for (std::uint32_t e = 0; e < monoid_.size(); ++e) {
      so_far.when.push_back(factors[done][0].at(e));
      extend(so_far, table[product * monoid_.size() + e], factors, table, rules);
      so_far.when.pop_back();
    }
  }

  const TransitionMonoid& monoid_;
};

}  // namespace

std::vector<Product> ProductCells::declare(cells::Program& program,
                                           const std::vector<Declaration>& declarations) const {
  std::vector<Product> products(declarations.size());
  for (const Row& row : rows())
    for (std::size_t i = 0; i < declarations.size(); ++i)
      products[i].add(
          program.onehot(declarations[i].name + row.suffix, row.labels, declarations[i].lifetime));
  return products;
}

void ProductCells::embed(cells::Program& program, const Product& product,
                         const std::string& neutral) const {
  program.fill(neutral, values(product, identity_transformation(action_.points)));
  for (Letter a = 0; a < action_.alphabet.size(); ++a)
    program.fill(action_.alphabet.name(a), values(product, action_.generators[a]));
}

cells::Rules ProductCells::keep(const std::vector<cells::Value>& conditions,
                                const Product& product) {
  cells::Rules rules;
  for (const cells::OneHot& cell : product)
    for (std::uint32_t label = 0; label < cell.size(); ++label)
      rules.push_back({{cell.at(label)}, {cell.at(label)}});
  return under(conditions, std::move(rules));
}

cells::Statements ProductCells::multiply(const std::vector<Product>& factors) const {
  const cells::Rules rules = product(factors);
  return rules.empty() ? cells::Statements() : cells::lookup("product", rules);
}

std::unique_ptr<ProductCells> make_product_cells(const Action& action,
                                                 const ProductForecast& forecast) {
  if (forecast.refusal) throw SizeLimit(*forecast.refusal);
  if (forecast.chosen == ScanTable::monoid)
    return std::make_unique<MonoidCells>(action, *forecast.monoid);
  return std::make_unique<MatrixCells>(action, forecast);
}

void note_product_table(cells::Program& program, const Action& action,
                        const ProductForecast& forecast) {
  program.parameter("table", forecast.chosen == ScanTable::monoid ? "monoid" : "matrix")
      .parameter("table_reason", forecast.reason)
      .parameter("points", std::to_string(action.points));
}

}}  // namespace logdepth::constructions
