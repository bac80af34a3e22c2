#pragma once

// A certificate for the library of proofs-check/coq: for every layer what its heads select, both norms and the stream after it, as forms
// over the labels of one finite monoid. Nothing here is trusted, logdepth-prove runs `check` on it.

#include <string>
#include <vector>

#include "recheck/form.hpp"
#include "recheck/product.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"
#include "recheck/weights.hpp"

namespace logdepth { inline namespace proofs_check_certify {

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
  enum class Kind { match, last, mean, idle } kind = Kind::idle;
  int block = 0;
  long back = 0;
  // match: factors of the scores, of the first and second unit pair; last: slope and largest flag.
  mpq_class first, second;
  // Of a cascade, last: by node; match: the same for 1, 2, ... positions back.
  std::vector<std::vector<int>> held;
};

struct CoqNorm {
  enum class Kind { scale, direction, zero } kind = Kind::zero;
  mpq_class factor;
};

struct CoqLayer {
  std::vector<CoqHead> heads;
  CoqNorm attention, feedforward;
  std::vector<int> factors;  // of a scan: heads that fetch a factor, the oldest letters first
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
};

/// x, then the map.
recheck::Images followed_by(const recheck::Images& x, const recheck::Images& map);
/// The number of the images in the list.
int place_of(const std::vector<recheck::Images>& list, const recheck::Images& images);
/// Of a file whose scan certificate was accepted; recheck::Refused where the library does not cover it.
CoqCertificate coq_certificate(const recheck::Weights& weights, const recheck::Json& certificate,
                               const recheck::Theorem& theorem);

// --- the same of a cascade ------------------------------------------------------------------------

/// A finite machine that reads the word; its nodes are the labels of the stages.
struct CoqResets {
  std::string code;
  mpq_class parameter;
  std::vector<std::vector<int>> edges;  // node, letter to node; node 0 is <begin>
  std::vector<int> kinds;               // of a node
  CoqStage start;
  std::vector<CoqLayer> layers;
  CoqAutomaton automaton;
  std::vector<int> state_of;
  std::vector<recheck::Images> map_of;
};

/// Of a cascade that was certified; recheck::Refused where the library does not cover it.
CoqResets coq_resets(const recheck::Weights& weights, const recheck::Theorem& theorem);

// --- as text -------------------------------------------------------------------------------------

/// What logdepth-prove (proofs-check/proved) reads beside the weights file: the theorem, and the certificate. recheck::Refused
/// where the library has no words for the file.
std::string coq_text(const recheck::Weights& weights, const CoqCertificate& certificate,
                     const recheck::Theorem& theorem);
std::string coq_text(const recheck::Weights& weights, const CoqResets& certificate,
                     const recheck::Theorem& theorem);
/// The same of a file of rows that recheck has certified, which takes no certificate of its own.
std::string coq_text(const recheck::Theorem& reachability);

}}  // namespace logdepth::proofs_check_certify
