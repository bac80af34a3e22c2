#pragma once

// One sublayer at a generic token, in forms. Whatever does not reduce to forms is refused.

#include <string>
#include <utility>
#include <vector>

#include "recheck/form.hpp"
#include "recheck/weights.hpp"

namespace recheck {

/// What a whole proof shares: the file, the laws of its atoms, the one position code whose components are the atoms K:
/// circle, two-circle, fine with its offset, or phi, the direction of (p, parameter); and the sums whose signs are the atoms Z.
struct Frame {
  const Weights& weights;
  Laws laws;
  std::string code;
  mpq_class parameter;
  std::vector<Weighted> signs = {};

  void set_code(const std::string& kind, const mpq_class& with);
};

/// embedding.cpp: the stream before the first layer, as forms in T and K; sets the code. `first` is 1 at position 0, else 0.
Stream embedded(Frame& frame, const Atom& first = own('T', 0));

/// norm.cpp: norm(mask * h).
Stream normalised(Frame& frame, const Row& mask, const Stream& h, const std::string& where);

/// factor * form / sqrt(w1 v1^2 + w2 v2^2 + ...), for these weights: atoms D, or K where it is the code of the own position.
Form along(Frame& frame, const Weighted& weights, const Linear& form, const mpq_class& factor);

/// Rows of the matrix times the stream, simplified, without zeros.
Stream apply(const Frame& frame, const Matrix& matrix, const Stream& z);

/// heads.cpp: the score of a key for a query as a bilinear form in atoms at both tokens.
Bilinear whole_score(const Stream& query, const Stream& key);
/// The same, reduced, without what is equal for all keys. Empty if all scores of a query are equal.
Bilinear score(const Frame& frame, const Stream& query, const Stream& key);
/// The shift b such that the largest score is that of position max(p - b, 0) alone.
Shift matched(const Frame& frame, const Bilinear& score, const std::string& where);
/// What a causal head adds that averages values over all visible tokens.
Stream mean(const Stream& values, const std::string& where);
void add_attention(Frame& frame, const Layer& layer, Stream& h, const std::string& where);

/// feed_forward.cpp: adds all units whose sign is known; returns the others, a form and what its ReLU is added to.
using Undecided = std::vector<std::pair<Form, Row>>;
Undecided add_feed_forward(Frame& frame, const Layer& layer, Stream& h, const std::string& where);

}  // namespace recheck
