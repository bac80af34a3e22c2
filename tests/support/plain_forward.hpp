#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

/// A run of a model straight from the definition (runtime/README.md, "The model"): dense matrices,
/// all pairs, nothing grouped, nothing remembered.
template <class Number>
struct PlainRunOf {
  using Row = std::vector<Number>;
  using Stream = std::vector<Row>;  ///< per token and coordinate

  std::vector<Stream> streams;  ///< the embedding, then one after every sublayer
  /// Per sublayer and head of it: the positions that each token selects.
  std::vector<std::vector<std::vector<std::vector<std::size_t>>>> selected;
  std::string left_field;   ///< "layer 2, attention mask, token 3" if a norm left the field there
  std::vector<Row> logits;  ///< per token, unless the field was left
};

/// Every number a Real.
using PlainRun = PlainRunOf<Real>;
/// Precondition: the tokens are the model's, and fit its limits.
PlainRun plain_forward(const Model& model, const Tokens& tokens);

}  // namespace logdepth
