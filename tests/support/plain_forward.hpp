#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/tokens.hpp"
#include "tests/support/real_oracle.hpp"

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

/// The same definition in 714 bits, where no norm leaves a field. What is smaller than 2^-500 is
/// taken for zero, so that ties are ties.
PlainRunOf<laws::Wide> wide_forward(const Model& model, const Tokens& tokens);

}  // namespace logdepth
