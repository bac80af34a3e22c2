#pragma once

// A certificate for the library of proofs-check/coq: for every layer what its heads select, both norms and the stream after it, as forms
// over the labels of one finite monoid. Nothing here is trusted, Coq's kernel runs `check` on it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recheck/form.hpp"
#include "recheck/product.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"
#include "recheck/weights.hpp"

namespace logdepth::inline proofs_check_certify {

/// Coordinate = factor * atom; atoms have the numbers of proofs-check/coq/Atoms.v.
struct CoqPart {
  int coordinate = 0, atom = 0;
  mpq_class factor;
};

struct CoqStage {
  std::vector<recheck::Shift> shifts;
  std::vector<recheck::Row> constants;  // of every label
  std::vector<CoqPart> parts;
};

struct CoqHead {
  enum class Kind { match, uniform, idle } kind = Kind::idle;
  int block = 0;
  long back = 0;
  mpq_class first, second;  // factors of the scores, of the first and second unit pair
};

struct CoqNorm {
  enum class Kind { scale, direction, zero } kind = Kind::zero;
  mpq_class factor;
};

struct CoqLayer {
  std::vector<CoqHead> heads;
  CoqNorm attention, feedforward;
  std::vector<int> factors;  // heads that fetch a factor of the product, the oldest letters first
  CoqStage next;
};

struct CoqAutomaton {
  std::vector<std::vector<int>> successors;  // state, letter to state
  int first_state = 0;
  std::vector<bool> accepting;
};

struct CoqCertificate {
  std::string code;  // circle, two-circle, phi
  mpq_class parameter;
  std::vector<recheck::Images> labels;  // label 0 is the identity
  std::vector<int> letters;             // kind of token to label
  CoqStage start, loop;
  recheck::Shift length;
  long factor = 1;
  std::vector<CoqLayer> initial, repeated, final;
  CoqAutomaton automaton;     // a state for every point, or for every label where no point decides
  std::vector<int> state_of;  // of a label

  int label_of(const recheck::Images& images) const;
};

constexpr int kAtomsBefore = 3, kAtomsOfCode = 4;  // numbers of atoms in Atoms.v

/// The factor of a norm, from the sum of squares at one token: the kernel checks all of them. `is_one` says which components
/// of one-hots are 1 there, the others are 0.
CoqNorm coq_norm(recheck::Frame& frame, const recheck::Row& mask, const recheck::Stream& h,
                 const std::function<bool(const recheck::Atom&)>& is_one, const std::string& where);

/// Of a file whose scan certificate was proved; recheck::Refused where the library does not cover it.
CoqCertificate coq_certificate(const recheck::Weights& weights, const recheck::Json& certificate,
                               const recheck::Theorem& theorem);

}  // namespace logdepth::inline proofs_check_certify
