#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/action.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth {

using Products = std::vector<Transformation>;

/// The prefix products of all tokens, or nothing when some token has none.
Products read_products(Runner& runner, const Stream<ValueId>& stream);

/// What a file answers for the first 1, 2, ... letters, and what is right.
struct ComparedProducts {
  std::size_t first_letter = 0;                         ///< its token
  std::vector<std::optional<Transformation>> answered;  ///< absent: no product
  Products right;

  bool is_wrong(std::size_t letter) const { return answered[letter] != right[letter]; }
};

/// Absent where there is nothing to compare: the file answers no products, or of other points.
std::optional<ComparedProducts> compared_products(Runner& runner, const Stream<ValueId>& stream,
                                                  const std::optional<Products>& right);

/// How a product is written under its token: the images where they are short, else "m1", "m2", ...
/// in order of first appearance, with a key below the picture.
class ProductNames {
 public:
  explicit ProductNames(const Products& products);

  /// Precondition: one of the products.
  std::string name(const Transformation& product) const;
  bool needs_key() const { return !spelled_; }
  const Products& key() const { return order_; }

 private:
  bool spelled_ = true;
  std::map<Transformation, std::size_t> known_;
  Products order_;
};

}  // namespace logdepth
