#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/export.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// A weights file as other programs calculate with it: matrices that read the residual stream
/// itself, wherever the scale of the norm is proved, and what is proved of the scores. All of it is
/// for inputs up to one size, and exact; floating point comes in self_test.hpp. Derivations of
/// the numbers are in library/exports/README.md.

struct NetworkNorm {
  bool folded = true;     ///< scale and mask are in the matrices that read
  Rational scale = 1;     ///< where they are
  SparseMatrix mask;      ///< where they are not: one row
  double zero_below = 0;  ///< of a mask that reads one number: nearer to 0 it is 0
};

struct NetworkHead {
  std::string name;
  bool causal = true;
  bool compares = true;  ///< else every score is 0
  bool selects_one = false;
  SparseMatrix query, key, value, output;
  double gap = 0;  ///< of a score from the largest, as the matrices give them; 0: nothing is proved
  double largest = 0;      ///< no score, and no number of a query, is larger
  double loss = 0;         ///< how far rounding takes a score from the exact one at most
  double tolerance = 0;    ///< averaging-hard: scores that are so near to the largest are selected;
  bool relative = false;   ///< in shares of the largest score
  double temperature = 0;  ///< softmax
};

struct NetworkLayer {
  Block block = Block::repeated;
  NetworkNorm attention, feedforward;
  std::vector<NetworkHead> heads;
  SparseMatrix in, out;
};

struct Network {
  std::size_t width = 0;
  bool subtract_mean = false;       ///< of a norm that is not folded
  std::vector<std::string> tokens;  ///< kinds, in the order of the embedding's rows
  SparseMatrix embedding, positions, unembedding;
  std::vector<NetworkLayer> layers;
  std::uint64_t length = 0;       ///< letters, vertices or raw tokens
  std::uint64_t most_tokens = 0;  ///< of an input of that length
  std::uint64_t loops = 0;        ///< at that length
  bool single = false;
  bool hard = false;
  std::string unproved;    ///< why nothing is proved; empty where something is
  bool separated = false;  ///< every head that compares selects what it should, as proved
};

/// Errors: InputError for a length of 0 or beyond the file's limit.
void require_length(const Model& model, std::uint64_t length, const char* option = "--length");

/// All but temperatures and tolerances (below). Errors: InputError for a length that is
/// none or beyond the file's limit; SizeLimit.
Network network_of(const Model& model, const ExportSettings& settings);

/// By the names that they have in files: embedding, positions, unembedding, layers.0.heads.0.query,
/// layers.0.in, ..., layers.0.attention.mask.
std::map<std::string, const SparseMatrix*> matrices(const Network& network);

/// Temperature and tolerance of every head. Returns why the proved separations give no temperature,
/// with the head, where one is to follow from them. Errors: InputError for a temperature that is no
/// number above 0 or above highest_temperature.
std::optional<std::string> choose_weighing(Network& network, const ExportSettings& settings);

/// Above it a temperature may make a score, a difference of two, or a query of TransformerLens, which
/// has twice the temperature, no finite number of the format.
double highest_temperature(const Network& network);

}  // namespace logdepth::exports
