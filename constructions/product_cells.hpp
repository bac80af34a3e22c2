#pragma once

#include <memory>
#include <string>
#include <vector>

#include "constructions/decision_table.hpp"
#include "constructions/product_forecast.hpp"
#include "logdepth/program.hpp"
#include "objects/action.hpp"

namespace logdepth::inline constructions {

/// Products of letters in one-hot cells, multiplied by one lookup. Either one row per point (which
/// point it goes to; rows whose image never changes are not stored), or one cell over the
/// transition monoid: see `make_product_cells`.
class ProductCells {
 public:
  struct Declaration {
    std::string name;
    Lifetime lifetime;
  };

  virtual ~ProductCells() = default;

  /// Declares a product per declaration; their cells lie row by row beside each other.
  std::vector<cells::Product> declare(cells::Program& program,
                                      const std::vector<Declaration>& declarations) const;
  /// Every letter fills `product` with itself, the token `neutral` with the identity.
  void embed(cells::Program& program, const cells::Product& product,
             const std::string& neutral = cells::kBegin) const;
  /// last factor := product of all the factors, the first of them acting first. Empty when nothing
  /// is stored, so that there is nothing to multiply.
  virtual cells::Rules product(const std::vector<cells::Product>& factors) const = 0;
  /// Where the conditions hold, `product` stays what it is.
  static cells::Rules keep(const std::vector<cells::Value>& conditions,
                           const cells::Product& product);
  /// What a product holds that is this map.
  virtual std::vector<cells::Value> values(const cells::Product& product,
                                           const Transformation& map) const = 0;
  /// Where `product` maps the point to.
  virtual Digit image(const cells::Product& product, State point) const = 0;
  /// `product` as a statement, or none.
  cells::Statements multiply(const std::vector<cells::Product>& factors) const;
  /// Accept and reject, and the prefix products, are read from `product`; `one` is the constant.
  virtual void read(cells::Program& program, const cells::Product& product,
                    const cells::Constant& one) const = 0;

 protected:
  struct Row {
    std::string suffix;  ///< of its cells' names
    std::vector<std::string> labels;
  };
  explicit ProductCells(const Action& action) : action_(action) {}
  virtual std::vector<Row> rows() const = 0;

  const Action& action_;
};

/// The cells of the table that the forecast chose. Both arguments have to outlive the result.
/// Errors: SizeLimit with the forecast's refusal.
std::unique_ptr<ProductCells> make_product_cells(const Action& action,
                                                 const ProductForecast& forecast);

/// `table`, `table_reason` and `points` of the model card.
void note_product_table(cells::Program& program, const Action& action,
                        const ProductForecast& forecast);

}  // namespace logdepth::inline constructions
