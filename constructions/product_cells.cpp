#include "constructions/product_cells.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

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

  void read(Program& program, const Product& product, CellId one) const override {
    OutputRow accept{"accept", {}}, reject{"reject", {}};
    if (action_.initial) {
      const State q = *action_.initial;
      if (!row_[q]) {
        (action_.accepting[q] ? accept : reject).form.push_back({{one, 0}, Rational(1)});
      } else {
        for (const State t : images_[q])
          (action_.accepting[t] ? accept : reject)
              .form.push_back({{product[*row_[q]], label(q, t)}, Rational(1)});
      }
    } else {
      // The identity scores one per stored row, anything else at least one less.
      const auto stored = static_cast<std::int64_t>(stored_.size());
      for (const State q : stored_)
        accept.form.push_back({{product[*row_[q]], label(q, q)}, Rational(1)});
      if (stored == 0) accept.form.push_back({{one, 0}, Rational(1)});
      reject.form.push_back({{one, 0}, stored == 0 ? Rational(1, 2) : Rational(2 * stored - 1, 2)});
    }
    program.outputs = {std::move(accept), std::move(reject)};
    PrefixPoints points;
    for (State q = 0; q < action_.points; ++q)
      points.points.push_back(row_[q] ? PointReadout{product[*row_[q]], 0}
                                      : PointReadout{std::nullopt, q});
    program.prefix = std::move(points);
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

  std::vector<TokenFill> fill(const Product& product, const Transformation& f) const override {
    std::vector<TokenFill> fills;
    for (const State q : stored_) fills.push_back({product[*row_[q]], label(q, f[q])});
    return fills;
  }

  std::vector<Rule> rules(const std::vector<Product>& factors) const override {
    std::vector<Rule> rules;
    for (const State q : stored_) {
      Rule path;
      extend(path, q, q, factors, 0, rules);
    }
    return rules;
  }

 private:
  /// `path` says how q goes to `at` under the first `done` factors. A point that is not stored is
  /// its own only image.
  void extend(Rule& path, State q, State at, const std::vector<Product>& factors, std::size_t done,
              std::vector<Rule>& rules) const {
    if (done == factors.size()) {
      rules.push_back({path.when, {{factors.back()[*row_[q]], label(q, at)}}});
      return;
    }
    for (const State next : images_[at]) {
      if (row_[at]) path.when.push_back({factors[done][*row_[at]], label(at, next)});
      extend(path, q, next, factors, done + 1, rules);
      if (row_[at]) path.when.pop_back();
    }
  }

  std::uint32_t label(State q, State t) const {
    return static_cast<std::uint32_t>(std::lower_bound(images_[q].begin(), images_[q].end(), t) -
                                      images_[q].begin());
  }

  const std::vector<std::vector<State>>& images_;
  std::vector<State> stored_;
  std::vector<std::optional<std::size_t>> row_;  // of each point
};

/// The product as one one-hot cell over the transition monoid, with its multiplication table: |M|^k
/// units for k factors.
class MonoidCells : public ProductCells {
 public:
  MonoidCells(const Action& action, const TransitionMonoid& monoid)
      : ProductCells(action), monoid_(monoid) {}

  void read(Program& program, const Product& product, CellId) const override {
    OutputRow accept{"accept", {}}, reject{"reject", {}};
    for (std::uint32_t e = 0; e < monoid_.size(); ++e)
      (action_.accepts(monoid_.elements[e]) ? accept : reject)
          .form.push_back({{product[0], e}, Rational(1)});
    program.outputs = {std::move(accept), std::move(reject)};
    program.prefix = PrefixElement{product[0], monoid_.elements};
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

  std::vector<TokenFill> fill(const Product& product, const Transformation& f) const override {
    return {{product[0], monoid_.find(f)}};
  }

  std::vector<Rule> rules(const std::vector<Product>& factors) const override {
    const auto table = monoid_.product_table();
    std::vector<Rule> rules;
    Rule factors_so_far;
    extend(factors_so_far, 0, factors, table, rules);
    return rules;
  }

 private:
  void extend(Rule& so_far, std::uint32_t product, const std::vector<Product>& factors,
              const std::vector<std::uint32_t>& table, std::vector<Rule>& rules) const {
    const std::size_t done = so_far.when.size();
    if (done == factors.size()) {
      rules.push_back({so_far.when, {{factors.back()[0], product}}});
      return;
    }
    for (std::uint32_t e = 0; e < monoid_.size(); ++e) {
      so_far.when.push_back({factors[done][0], e});
      extend(so_far, table[product * monoid_.size() + e], factors, table, rules);
      so_far.when.pop_back();
    }
  }

  const TransitionMonoid& monoid_;
};

}  // namespace

std::vector<ProductCells::Product> ProductCells::declare(
    Program& program, const std::vector<Declaration>& declarations) const {
  std::vector<Product> products(declarations.size());
  for (const Row& row : rows())
    for (std::size_t i = 0; i < declarations.size(); ++i) {
      products[i].push_back(static_cast<CellId>(program.cells.size()));
      program.cells.push_back(
          {declarations[i].name + row.suffix, OneHotType{row.labels}, declarations[i].lifetime});
    }
  return products;
}

void ProductCells::embed(Program& program, const Product& product,
                         const std::string& neutral) const {
  program.embedding[neutral] = fill(product, identity_transformation(action_.points));
  for (Letter a = 0; a < action_.alphabet.size(); ++a)
    program.embedding[action_.alphabet.name(a)] = fill(product, action_.generators[a]);
}

std::optional<LookupStatement> ProductCells::multiply(const std::vector<Product>& factors) const {
  LookupStatement lookup{"product", rules(factors)};
  if (lookup.rules.empty()) return std::nullopt;
  return lookup;
}

std::unique_ptr<ProductCells> make_product_cells(const Action& action,
                                                 const ProductForecast& forecast) {
  if (forecast.refusal) throw SizeLimit(*forecast.refusal);
  if (forecast.chosen == ScanTable::monoid)
    return std::make_unique<MonoidCells>(action, *forecast.monoid);
  return std::make_unique<MatrixCells>(action, forecast);
}

void note_product_table(Program& program, const Action& action, const ProductForecast& forecast) {
  program.parameters["table"] = forecast.chosen == ScanTable::monoid ? "monoid" : "matrix";
  program.parameters["table_reason"] = forecast.reason;
  program.parameters["points"] = std::to_string(action.points);
}

}  // namespace logdepth
