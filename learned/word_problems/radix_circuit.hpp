#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/word_problems/prefix_circuit.hpp"

namespace logdepth::inline learned_word_problems {

/// The radices of a scan, a level each: before level l a position holds the product of its last
/// W = r_1 ... r_(l-1) letters, and reads those that end W, 2 W, ..., (r_l - 1) W back. Radices 2, 2, ...
/// are the circuit of Hillis and Steele, and equal ones the construction `radix`.
using Radices = std::vector<std::uint32_t>;
/// "2, 3".
std::string radices_text(const Radices& radices);

/// What a position, from 1, reads in a level of that window W and radix, the nearest first.
std::vector<std::size_t> radix_sources(std::size_t window, std::uint32_t radix,
                                       std::size_t position);

/// The levels that words of so many letters need: the window before each is shorter than the word.
Radices levels_within(const Radices& radices, std::size_t letters);

/// Which edges of attention a measurement leaves to a network.
struct ReadEdges {
  Radices radices;   ///< empty: every edge
  bool cut = false;  ///< those of the scan are cut; else all others between letters are

  /// [tokens, tokens] for every level, and one more for all layers behind: 1 where row i may read j. Each
  /// token reads itself, and the `before` tokens in front of the word.
  std::vector<std::vector<std::uint8_t>> views(std::size_t letters, std::size_t before) const;
};

/// The distance back at which a head has its sources.
struct HeadDistance {
  std::size_t distance =
      0;  ///< the most frequent, the smallest of equally frequent ones; 0: no source
  std::size_t positions = 0, of_positions = 0;  ///< with their source there; with anything there
};

/// The edges of a scan that some head draws: a source of it is that of the edge.
struct RadixFit {
  Radices radices;
  std::size_t edges = 0, of_edges = 0;
  double by_chance = 0;  ///< edges if every head read one of the positions before at random
};

struct RadixCircuit {
  std::vector<std::string> levels;               ///< names
  std::vector<std::vector<HeadDistance>> heads;  ///< of each level
  std::vector<RadixFit>
      fits;  ///< the ten with the largest shares, the largest first, of equal ones more edges
};

/// Compares each executed layer with the level of every scan whose radices are 2, 3 or 4. A scan ends
/// where its product reaches the letters, or with the network. Precondition: as of prefix_circuit.
RadixCircuit radix_circuit(const std::vector<AttentionLevel>& levels);

nlohmann::ordered_json to_json(const RadixCircuit& circuit);

/// What a result holds of attention: for each executed layer the share of the positions that read as the
/// circuit of Hillis and Steele has it and the most frequent distance of each head, and, as `nearest`, the scan
/// with the largest share of its edges.
inline constexpr const char* kDoublingShare = "hillis_steele";
nlohmann::ordered_json circuit_of_result(const std::vector<AttentionLevel>& levels,
                                         std::size_t words);
/// For people: the distance of every head, then the scans with the most edges.
std::string radix_text(const RadixCircuit& circuit);

}  // namespace logdepth::inline learned_word_problems
