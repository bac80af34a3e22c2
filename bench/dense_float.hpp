#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

struct DenseOptions {
  /// Scores that are less than this below the largest count as ties, in units of
  /// sum over d of |query_d| * max over j of |key_jd|, the size of the terms of a score.
  double tolerance = 0;
  /// Masked numbers of at most this size are taken for zero before they are normed: a norm blows up
  /// what rounding leaves of a zero.
  double zero = 0;
  /// Above 1: of the rows of every head only each so many-th tile is answered. The answers are then
  /// meaningless; the time of the attention times the stride estimates that of a full run.
  std::size_t row_stride = 1;
};

struct DenseCost {
  double attention = 0;  ///< seconds: comparing, averaging
  double other = 0;      ///< seconds: embedding, norms, projections, feed-forward
  double scores = 0;     ///< pairs of a token and a visible key, over all heads of all layers
};

/// The forward pass of runtime/README.md in double or float, one thread. Attention is dense,
/// everything else sparse and vectorised over tokens: a float program at its best, as long as it
/// does what the file says and compares every query with every key.
template <class Number>
class DenseForward {
 public:
  DenseForward(const Model& model, const DenseOptions& options);
  ~DenseForward();

  /// Runs the tokens and keeps their stream.
  void run(const Tokens& tokens);
  /// Logits of one token of that stream.
  std::vector<Number> logits(std::size_t token) const;
  const DenseCost& cost() const;

 private:
  struct Pass;
  std::unique_ptr<Pass> pass_;
};

}  // namespace logdepth
