#include "proofs-check/pictures/prefix_products.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace logdepth {

Products read_products(Runner& runner, const Stream<ValueId>& stream) {
  Products products;
  if (!runner.has_prefixes()) return products;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    auto product = runner.prefix(stream, token);
    if (!product.has_value()) return {};
    products.push_back(std::move(product).value());
  }
  return products;
}

std::optional<ComparedProducts> compared_products(Runner& runner, const Stream<ValueId>& stream,
                                                  const std::optional<Products>& right) {
  if (!right || !runner.has_prefixes()) return std::nullopt;
  ComparedProducts products{runner.first_letter(), {}, *right};
  for (std::size_t i = 0; i < right->size(); ++i) {
    auto product = runner.prefix(stream, products.first_letter + i);
    products.answered.emplace_back();
    if (!product.has_value()) continue;
    if (product.value().size() != (*right)[i].size()) return std::nullopt;
    products.answered.back() = std::move(product).value();
  }
  return products;
}

ProductNames::ProductNames(const Products& products) {
  for (const Transformation& product : products) {
    spelled_ = spelled_ && product.size() <= 6 &&
               std::all_of(product.begin(), product.end(), [](State q) { return q < 10; });
    if (known_.try_emplace(product, order_.size() + 1).second) order_.push_back(product);
  }
}

std::string ProductNames::name(const Transformation& product) const {
  if (!spelled_) return fmt::format("m{}", known_.at(product));
  std::string digits;
  for (const State q : product) digits += std::to_string(q);
  return digits;
}

}  // namespace logdepth
