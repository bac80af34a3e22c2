#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"
#include "report/pictures/circuit_view.hpp"
#include "report/pictures/render.hpp"
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

/// What stands at one place of the residual stream: cards in rows, read from left to right.
struct CircuitPiece {
  enum class Role { input, sublayer, output, cells };
  Role role = Role::sublayer;
  std::size_t sublayer = 0;         ///< in circuit_cards; of a sublayer
  std::optional<Block> block = {};  ///< the frame around it
  bool begins_block = false, ends_block = false;
  std::string colour = kEndsInk;
  std::vector<std::size_t> cards = {};  ///< in `labels`
};

/// A circuit cut into pieces, all of its texts set by Graphviz.
struct CircuitPieces {
  std::vector<CircuitPiece> pieces;  ///< in the order of the stream
  std::vector<LabelPicture> labels;
  LabelPicture heading;
  struct BlockLabels {
    LabelPicture begun, continued;
  };
  std::map<Block, BlockLabels> blocks;
};

/// Errors: as render_labels.
CircuitPieces circuit_pieces(const CircuitCards& circuit);

/// The key of a card of a sublayer, its mask the first.
std::string card_key(std::size_t sublayer, std::size_t card);

/// A label with its upper left corner there.
std::string placed(const LabelPicture& label, PlotPoint corner);

/// Pieces below each other beside the residual stream. A card begins a row of its own where the
/// column would be wider than `limit`.
class CircuitColumn {
 public:
  CircuitColumn(const CircuitPieces& circuit, double limit) : circuit_(circuit), limit_(limit) {}

  void add(const CircuitPiece& piece) { places_.push_back(next(piece)); }
  /// How high it is with this piece below the others.
  double height_with(const CircuitPiece& piece) const { return next(piece).bottom; }

  double width() const;
  double height() const { return places_.empty() ? 0 : places_.back().bottom; }
  /// Whether the stream comes from above, and goes on below; whether a loop does.
  bool enters() const;
  bool leaves() const;
  bool loop_leaves() const;

  /// With its upper left corner there; what comes and goes reaches `beyond` above and below.
  std::string draw(PlotPoint corner, double beyond = 0) const;

  static constexpr double kStreamAt = 22, kLoopAt = 8;  ///< from the left edge

 private:
  struct Place {
    CircuitPiece piece = {};
    const LabelPicture* frame = nullptr;  ///< the label of the frame that begins here
    double frame_top = 0, top = 0;
    double width = 0, height = 0;       ///< of the cards, with the panel around them
    double bottom = 0;                  ///< with the end of the frame, should it end here
    std::vector<PlotPoint> cards = {};  ///< from the upper left corner of the panel
  };
  Place next(const CircuitPiece& piece) const;
  /// Where its sum stands on the stream.
  static double sum_at(const Place& place) { return place.top + place.height - 12; }
  std::string draw_frame(const Place& first, const Place& last, PlotPoint corner) const;
  std::string draw_loop(const Place& first, const Place& last, PlotPoint corner,
                        double beyond) const;
  std::string draw_piece(const Place& place, PlotPoint corner) const;

  const CircuitPieces& circuit_;
  double limit_;
  std::vector<Place> places_;
};

}}  // namespace logdepth::report_pictures
