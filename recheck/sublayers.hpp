#pragma once

// One sublayer at a generic token, in forms. Whatever does not reduce to forms is refused.

#include <map>
#include <set>
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
  bool by_rays = false;               // norms by normalised_by_rays
  std::vector<Form> numbers = {};     // of directions by rays: number id is (p+1) times this
  std::vector<Form> sign_forms = {};  // of the signs Q
  std::string norm = {};              // by rays: what the last norm was

  void set_code(const std::string& kind, const mpq_class& with);
};

/// The stream before the first layer, as forms in T and K; sets the code. `first` is 1 at position 0, else 0.
Stream embedded(Frame& frame, const Atom& first = own('T', 0));

/// norm(mask * h).
Stream normalised(Frame& frame, const Row& mask, const Stream& h, const std::string& where);

/// factor * form / sqrt(w1 v1^2 + w2 v2^2 + ...), for these weights: atoms D, or K where it is the code of the own position.
Form along(Frame& frame, const Weighted& weights, const Linear& form, const mpq_class& factor);

/// Rows of the matrix times the stream, simplified, without zeros.
Stream apply(const Frame& frame, const Matrix& matrix, const Stream& z);

/// The score of a key for a query as a bilinear form in atoms at both tokens.
Bilinear whole_score(const Stream& query, const Stream& key);
/// The same, reduced, without what is equal for all keys. Empty if all scores of a query are equal.
Bilinear score(const Frame& frame, const Stream& query, const Stream& key);
/// The shift b such that the largest score is that of position max(p - b, 0) alone.
Shift matched(const Frame& frame, const Bilinear& score, const std::string& where);
/// What a causal head adds that averages values over all visible tokens.
Stream mean(const Stream& values, const std::string& where);
/// A head that adds something: what it adds of one token, and its scores.
struct Written {
  const Head& head;
  std::string where;
  Stream values;
  Bilinear scores;
};
/// Of a layer, without the heads that add nothing, whatever they select.
std::vector<Written> writing_heads(Frame& frame, const Layer& layer, const Stream& h,
                                   const std::string& where);
void add_attention(Frame& frame, const Layer& layer, Stream& h, const std::string& where);

/// A score by its cells, and the entry of (component of the query, component of the key).
struct Entries {
  std::set<Cell> queries, keys;
  std::map<std::pair<int, int>, mpq_class> at;
};
Entries entries_of(const Bilinear& score);
/// Whether the score is u K0 + w flag with 0 < u <= 2 w, of a flag that is +1 or -1: where K0 rises within [0, 1), it selects
/// the last visible token with +1, if there is one.
bool selects_last(const Bilinear& score, const Atom& flag);

/// Refused unless both are one form by the laws of the atoms.
void need_same(const Frame& frame, const Form& found, const Form& expected,
               const std::string& what);

/// Adds all units whose sign is known; returns the others, a form and what its ReLU is added to.
using Undecided = std::vector<std::pair<Form, Row>>;
Undecided add_feed_forward(Frame& frame, const Layer& layer, Stream& h, const std::string& where);

/// The same in two steps, for a layer with units: what it adds is a function of z, the normalised stream.
struct Added {
  Stream to;  // by coordinate
  Undecided left;
};
Added feed_forward(const Frame& frame, const Layer& layer, const Stream& z);
void add(const Frame& frame, const Added& added, Stream& h);

}  // namespace recheck
