#include "constructions/product_cells.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "logdepth/errors.hpp"

namespace logdepth::inline constructions {
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

}  // namespace logdepth::inline constructions
