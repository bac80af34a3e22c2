#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/pictures/circuit_view.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace report_pictures {

// What every form of a circuit is made of: cards with texts, whole and in their order.

/// Hues that stay apart for colour-blind readers, dark enough for white letters.
inline constexpr const char* kAttentionInk = "#0B5C94";
inline constexpr const char* kFeedForwardInk = "#A34700";
inline constexpr const char* kEndsInk = "#00664F";
inline constexpr const char* kStreamInk = "#8A8A8A";

struct Card {
  std::string colour, title, aside;  ///< aside: at the right end of the title bar
  std::string emphasis;              ///< first line, in bold
  std::vector<std::string> lines;
  std::string quiet;  ///< last line, for those who check sizes
};

/// What a sublayer reads and what it adds to the residual stream. Heads that select alike are one
/// card, and so are groups of units of one kind and size: it says once what all have in common and
/// names each with what is its own.
struct SublayerCards {
  std::string id;  ///< "layer 1 attention"
  Block block = Block::repeated;
  std::size_t layer = 0;     ///< in the file, from 0
  std::optional<Card> mask;  ///< what it reads; none where nothing is read
  std::vector<Card> parts;
};

struct CircuitCards {
  std::string name;                  ///< of the model
  std::vector<std::string> heading;  ///< below it: where it comes from, depth, sizes
  Card embedding, position, output;
  std::vector<SublayerCards> sublayers;
  std::vector<Block> blocks;  ///< those that have layers
  std::string loops;          ///< of the repeated block, as a formula
  CircuitView view;
};

CircuitCards circuit_cards(const Model& model);

/// "repeated block: 1 layer × ceil(log2 n)".
std::string block_text(const CircuitCards& circuit, Block block);
/// All that the card says, on one line.
std::string card_text(const Card& card);

// The same as Graphviz labels of the `<...>` kind, for nodes as kNodeLooks has them.

inline constexpr const char* kCircuitFont = "DejaVu Sans,Helvetica,Arial,sans-serif";
/// The attributes of nodes that are labels.
std::string label_looks();
std::string card_label(const Card& card);
std::string heading_label(const CircuitCards& circuit);
std::string block_label(const std::string& text);
/// The cells from `first` on, at most `count` of them.
std::string cells_label(const std::vector<CellRow>& cells, std::size_t first, std::size_t count);

}}  // namespace logdepth::report_pictures
