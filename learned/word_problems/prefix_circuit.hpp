#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace logdepth::inline learned_word_problems {

/// What each position gives every position of its attention: [position][position], from 0.
using AttentionMatrix = std::vector<std::vector<double>>;

/// One executed layer: its heads on a word, or their means over several words.
struct AttentionLevel {
  std::string name, note;  ///< "iteration 2", "layer 1"
  std::vector<AttentionMatrix> heads;
};

/// The two circuits that multiply all prefixes in one layer per doubling.
enum class PrefixPattern {
  sklansky,      ///< Sklansky 1960: a block's second half reads the end of its first half
  hillis_steele  ///< Hillis and Steele 1986: everyone reads 2^(level - 1) positions back
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

struct CircuitLevel {
  std::string name, note;
  std::vector<std::optional<AttentionSource>> sources;  ///< of every position, heads together
  PatternFits fits;                                     ///< in the order of kPrefixPatterns
};

/// The circuit that the attention of a network draws.
struct PrefixCircuit {
  std::size_t letters = 0;
  std::vector<CircuitLevel> levels;
  /// Over the ceil(log2 n) levels of the patterns; levels that the network has not fit nowhere.
  PatternFits fits;
  /// Positions that would fit if each read one of those before it at random.
  std::array<double, kPrefixPatterns.size()> by_chance{};
};

/// Executed layer l is compared with level l of both patterns. Precondition: every level has heads,
/// of one number of letters.
PrefixCircuit prefix_circuit(const std::vector<AttentionLevel>& levels);

/// A circuit is called by a pattern of which it has this share of the positions.
inline constexpr double kNamedFrom = 0.8;
/// "Sklansky's prefix circuit"; of two patterns the one that more positions fit; "neither
/// Sklansky's nor Hillis and Steele's" where none fits.
std::string circuit_name(const PrefixCircuit& circuit);

nlohmann::ordered_json to_json(const PrefixCircuit& circuit);
/// A table of levels for people: fits of both patterns, sources of all positions.
std::string circuit_text(const PrefixCircuit& circuit);

}  // namespace logdepth::inline learned_word_problems
