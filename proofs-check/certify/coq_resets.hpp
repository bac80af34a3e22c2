#pragma once

#include "proofs-check/certify/coq_certificate.hpp"

namespace logdepth::inline proofs_check_certify {

struct CoqResetHead {
  enum class Kind { back, last, mean, nothing } kind = Kind::nothing;
  int block = 0;
  long back = 0;
  mpq_class first, second;             // back: factors of the scores; last: slope and largest flag
  std::vector<std::vector<int>> held;  // last: by node; back: the same for 1, 2, ... positions back
};

struct CoqResetLayer {
  std::vector<CoqResetHead> heads;
  CoqNorm attention, feedforward;
  CoqStage next;
};

/// A finite machine that reads the word; its nodes are the labels of the stages.
struct CoqResets {
  std::string code;
  mpq_class parameter;
  std::vector<std::vector<int>> edges;  // node, letter to node; node 0 is <begin>
  std::vector<int> kinds;               // of a node
  CoqStage start;
  std::vector<CoqResetLayer> layers;
  CoqAutomaton automaton;
  std::vector<int> state_of;
  std::vector<recheck::Images> map_of;
};

/// Of a cascade that was proved; recheck::Refused where the library does not cover it.
CoqResets coq_resets(const recheck::Weights& weights, const recheck::Theorem& theorem);

}  // namespace logdepth::inline proofs_check_certify
