#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "constructions/decision_table.hpp"
#include "logdepth/program.hpp"
#include "objects/automaton.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth { inline namespace constructions {

/// How products of letters are multiplied: as 0/1 matrices of the points, or by the multiplication
/// table of the transition monoid.
enum class ScanTable { automatic, matrix, monoid };

/// The option --table.
Option table_option();
ScanTable table_of(const Values& values);

/// Largest number of feed-forward units that is compiled; about 100 bytes of weights file each.
inline constexpr std::size_t kMaxScanUnits = 1000000;
/// Largest transition monoid that is enumerated.
inline constexpr std::size_t kMaxMonoid = 20000;

/// What a construction wants to multiply.
struct ProductDemand {
  ScanTable table = ScanTable::automatic;
  /// Number of factors of a product -> number of different layers that multiply so many.
  std::map<std::size_t, std::size_t> layers;
  std::size_t tables = 1;  ///< how often each of these layers holds the table
  /// Units of each of these layers, per component of a product, beside those that clear factors.
  std::size_t component_units = 0;
  std::size_t other_units = 0;  ///< feed-forward units beside the tables
  std::string advice;           ///< what else makes a network smaller
};

/// The sizes of both tables before anything is built, and what was found out on the way.
struct ProductForecast {
  /// A matrix row needs the columns of images[q] only, and none when there is a single one. Empty
  /// where they alone are too many for a matrix.
  ReachablePoints images;
  std::shared_ptr<const TransitionMonoid> monoid;  ///< null: more than `monoid_cap` elements
  std::size_t monoid_cap = 0;

  std::size_t matrix_units = 0;             ///< of all layers together
  std::optional<std::size_t> monoid_units;  ///< absent with `monoid`
  ScanTable chosen = ScanTable::matrix;     ///< matrix or monoid
  std::size_t units() const {               ///< of the chosen table, where it can be enumerated
    return chosen == ScanTable::monoid ? monoid_units.value_or(matrix_units) : matrix_units;
  }
  std::string reason;  ///< one sentence with both figures
  /// Why the chosen table cannot be built, with both figures and what to try; absent if it can.
  std::optional<std::string> refusal;
};

ProductForecast forecast_products(const Action& action, const ProductDemand& demand);

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

}}  // namespace logdepth::constructions
