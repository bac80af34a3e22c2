#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth { inline namespace compiler_file {

/// The circuit of a network that reads words: which part reads what which earlier part writes, decided on the exact
/// weights for every word of at most some letters. Layers are those of a run: a loop gives the nodes of
/// the unrolled network. Statements and proofs are in docs/circuits.md.

/// What is exchanged on an edge when its norm is looked at.
enum class CircuitNorms {
  exported,  ///< a scale that is proved to be constant is part of the matrices, as in exports
  file       ///< every norm is computed of the stream that its reader sees
};

/// A hidden unit, or a rule of a look-up.
struct CircuitUnit {
  std::vector<std::string> when, then;  ///< coordinates: "cur=b", "not first", "-sd=c"
  std::string lookup;                   ///< whose rule it is; empty: of none that is known
};

struct CircuitNode {
  enum class Kind { embed, pos, head, mlp, logits };
  std::string name;  ///< "embed", "pos", "a0.h1", "m0", "logits"
  Kind kind = Kind::embed;
  std::size_t order = 0;  ///< who comes later reads; the heads of a layer have the same
  std::size_t layer = 0, file_layer = 0, head = 0;  ///< from 0; of heads and mlps
  std::string title{}, selects{};                   ///< of a head: its name, and what it selects
  std::vector<std::string> copies{};                ///< of a head: "sd := d"
  std::map<std::string, std::vector<std::string>>
      reads{};                        ///< cells by part: q, k, v of a head; else ""
  std::vector<std::string> writes{};  ///< cells
  std::vector<CircuitUnit> units{};
};

/// R_v C D W_u: what v reads of what u writes; D the mask of v's sublayer, C the centring of layernorm.
struct CircuitEdge {
  enum class Kind {
    structural,  ///< the map is not zero
    norm,        ///< it is, but the length of the stream that v reads can change: a factor above 0
    none         ///< nothing that u writes changes a selection or a logit through v
  };
  /// A largest entry of the map: row of the reader, column of the writer.
  struct Reason {
    std::uint32_t row = 0;
    std::string column;  ///< "token a", "position 3", "coordinate 5" of a head, "unit 7" of an mlp
    Rational value;
  };
  std::size_t source = 0, target = 0;  ///< nodes
  std::string part;                    ///< q, k, v; empty for mlps and logits
  Kind kind = Kind::none;
  /// What flows may depend on the letters. An upper bound: of any other edge it is the same for all
  /// words of one length.
  bool varies = false;
  std::size_t entries = 0;  ///< of the map, that are not zero
  std::optional<Reason> reason{};
  std::vector<std::string> cells{};  ///< through which it is not zero
  /// Those that hold what u wrote when v runs: not zero at every token in between. Absent where the
  /// program of the file is not known.
  std::optional<std::vector<std::string>> read_cells{};
};

struct Circuit {
  std::uint64_t letters = 0, tokens = 0, loops = 0;
  std::size_t layers = 0, heads = 0;  ///< as run; the most heads of a layer
  std::vector<CircuitNode> nodes;
  std::vector<CircuitEdge> edges;        ///< all that are possible, in the order of their targets
  std::vector<std::string> coordinates;  ///< of the stream: "cur=b", "first", "h[7]"
  /// By the layers as run, whether the scale of the norm is proved to be constant.
  std::vector<bool> attention_folded, feedforward_folded;

  std::size_t count(CircuitEdge::Kind kind) const;
};

/// Errors: InputError for a length of 0 or beyond the file's limit, and for a file that reads no words.
Circuit circuit_of(const Model& model, std::uint64_t letters, CircuitNorms norms);

}}  // namespace logdepth::compiler_file
