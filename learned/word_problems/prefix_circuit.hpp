#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace logdepth { inline namespace learned_word_problems {

/// What each position gives every position of its attention: [position][position], from 0.
using AttentionMatrix = std::vector<std::vector<double>>;

/// One executed layer: its heads on a word, or their means over several words.
struct AttentionLevel {
  std::string name, note;  ///< "iteration 2", "layer 1"
  std::vector<AttentionMatrix> heads;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttentionLevel, name, note, heads)

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

/// The two circuits that multiply all prefixes in one layer per doubling.
enum class PrefixPattern {
  sklansky,      ///< Sklansky 1960: a block's second half reads the end of its first half
  hillis_steele  ///< Hillis and Steele 1986: the scan of radices 2, 2, ...
};
inline constexpr std::array kPrefixPatterns = {PrefixPattern::sklansky,
                                               PrefixPattern::hillis_steele};
/// "Sklansky", "Hillis-Steele".
const char* pattern_name(PrefixPattern pattern);

/// The position that `position` reads in a level of the pattern, all of them from 1; absent where
/// it has nothing to multiply.
std::optional<std::size_t> pattern_source(PrefixPattern pattern, std::size_t level,
                                          std::size_t position);

/// The position, beside one's own, that carries most attention.
struct AttentionSource {
  std::size_t position = 0;  ///< from 1
  double attention = 0;      ///< its share
};
/// That of a row of attention; absent where no other position carries more than all the rest of
/// them. `position`: the row's own, from 1.
std::optional<AttentionSource> attention_source(const std::vector<double>& row,
                                                std::size_t position);

/// How many of the sources that a pattern has are those of a network.
struct PatternFit {
  std::size_t positions = 0, of_positions = 0;  ///< of the mean of all heads
  std::size_t heads = 0, of_heads = 0;          ///< of each head by itself
};
using PatternFits = std::array<PatternFit, kPrefixPatterns.size()>;

/// The distance back at which a head has its sources.
struct HeadDistance {
  /// The most frequent, the smallest of equally frequent ones; 0: no source.
  std::size_t distance = 0;
  std::size_t positions = 0, of_positions = 0;  ///< with their source there; with anything there
};

struct CircuitLevel {
  std::string name, note;
  std::vector<std::optional<AttentionSource>> sources;  ///< of every position, heads together
  std::vector<HeadDistance> heads;
  PatternFits fits;  ///< in the order of kPrefixPatterns
};

/// The edges of a scan that some head draws: a source of it is that of the edge.
struct RadixFit {
  Radices radices;
  std::size_t edges = 0, of_edges = 0;
  double by_chance = 0;  ///< edges if every head read one of the positions before at random
};

/// The circuit that the attention of a network draws.
struct PrefixCircuit {
  std::size_t letters = 0;
  std::vector<CircuitLevel> levels;
  /// Over the ceil(log2 n) levels of the patterns; levels that the network has not fit nowhere.
  PatternFits fits;
  /// Positions that would fit if each read one of those before it at random.
  std::array<double, kPrefixPatterns.size()> by_chance{};
  /// The ten scans with the largest shares, the largest first, of equal ones more edges.
  std::vector<RadixFit> scans;
};

/// Compares executed layer l with level l of both patterns, and of every scan whose radices are 2, 3 or 4. A scan
/// ends where its product reaches the letters, or with the network. Precondition: every level has heads, of one
/// number of letters.
PrefixCircuit prefix_circuit(const std::vector<AttentionLevel>& levels);

/// A circuit is called by a pattern of which it has this share of the positions.
inline constexpr double kNamedFrom = 0.8;
/// "Sklansky's prefix circuit"; of two patterns the one that more positions fit; "neither
/// Sklansky's nor Hillis and Steele's" where none fits.
std::string circuit_name(const PrefixCircuit& circuit);

nlohmann::ordered_json to_json(const PrefixCircuit& circuit);
/// For people: fits of both patterns by level, sources of all positions, the distance of every head, then the scans
/// with the most edges.
std::string circuit_text(const PrefixCircuit& circuit);

/// What a result holds of attention: for each executed layer the share of the positions that read as the
/// circuit of Hillis and Steele has it and the most frequent distance of each head, and, as `nearest`, the scan
/// with the largest share of its edges.
inline constexpr const char* kDoublingShare = "hillis_steele";
nlohmann::ordered_json circuit_of_result(const PrefixCircuit& circuit, std::size_t words);

}}  // namespace logdepth::learned_word_problems
