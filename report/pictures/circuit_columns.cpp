#include "report/pictures/circuit_columns.hpp"

#include <algorithm>
#include <optional>

#include "compiler/program/program.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_pictures {
namespace {

constexpr double kPanelAt = 46;        ///< from the left edge of a column
constexpr double kEdge = 8;            ///< right of panels, and below the last one in a frame
constexpr double kInside = 6;          ///< between a panel and its cards, and between those
constexpr double kBetween = 12;        ///< pieces
constexpr double kTitleBar = 13;       ///< the middle of a card's title, from its top
constexpr double kJoint = 8;           ///< radius
constexpr std::size_t kCellRows = 15;  ///< of one table

using Role = CircuitPiece::Role;

std::string stroke(const char* colour, const char* width) {
  return svg_attribute("stroke", colour) + " " + svg_attribute("stroke-width", width);
}

/// A level line with its head at its end.
std::string arrow(PlotPoint from, PlotPoint to, const char* colour = kStreamInk) {
  const double back = to.first > from.first ? -7 : 7;
  return svg_line(from, {to.first + back, to.second}, stroke(colour, "1.2")) +
         svg_polygon({to, {to.first + back, to.second - 3}, {to.first + back, to.second + 3}},
                     svg_attribute("fill", colour));
}

std::string joint(PlotPoint at) {
  const auto [x, y] = at;
  return svg_circle(at, kJoint, "fill=\"#FFFFFF\" " + stroke(kStreamInk, "1.2")) +
         svg_line({x - 4, y}, {x + 4, y}, stroke(kInk, "1.4")) +
         svg_line({x, y - 4}, {x, y + 4}, stroke(kInk, "1.4"));
}

/// Cards that are parts of one thing have a frame around them.
bool is_panel(const CircuitPiece& piece) {
  return piece.cards.size() > 1 && piece.role != Role::cells;
}
double left_of(const CircuitPiece& piece) {
  return piece.role == CircuitPiece::Role::cells ? 0 : kPanelAt;
}

bool has_stream(const CircuitPiece& piece) {
  return piece.role != Role::cells;
}

}  // namespace

std::string card_key(std::size_t sublayer, std::size_t card) {
  return "c" + std::to_string(sublayer) + "-" + std::to_string(card);
}

std::string placed(const LabelPicture& label, PlotPoint corner) {
  return svg_group(label.elements, "transform=\"translate(" + svg_number(corner.first) + " " +
                                       svg_number(corner.second + label.height) + ")\"");
}

CircuitPieces circuit_pieces(const CircuitCards& circuit) {
  CircuitPieces result;
  std::vector<std::string> labels;
  const auto label = [&](std::string text) {
    labels.push_back(std::move(text));
    return labels.size() - 1;
  };
  result.pieces.push_back(
      {.role = Role::input,
       .cards = {label(card_label(circuit.embedding)), label(card_label(circuit.position))}});
  for (std::size_t i = 0; i < circuit.sublayers.size(); ++i) {
    const SublayerCards& sublayer = circuit.sublayers[i];
    CircuitPiece piece{.sublayer = i, .block = sublayer.block};
    piece.begins_block = i == 0 || circuit.sublayers[i - 1].block != sublayer.block;
    piece.ends_block =
        i + 1 == circuit.sublayers.size() || circuit.sublayers[i + 1].block != sublayer.block;
    if (sublayer.mask) piece.cards.push_back(label(card_label(*sublayer.mask)));
    for (const Card& card : sublayer.parts) piece.cards.push_back(label(card_label(card)));
    piece.colour = sublayer.mask ? sublayer.mask->colour : sublayer.parts.front().colour;
    result.pieces.push_back(std::move(piece));
  }
  result.pieces.push_back({.role = Role::output, .cards = {label(card_label(circuit.output))}});
  const auto& cells = circuit.view.cells;
  for (std::size_t first = 0; first < cells.size(); first += kCellRows)
    result.pieces.push_back(
        {.role = Role::cells, .cards = {label(cells_label(cells, first, kCellRows))}});

  const std::size_t others = labels.size();
  label(heading_label(circuit));
  for (const Block block : circuit.blocks) {
    label(block_label(block_text(circuit, block)));
    label(block_label(std::string(block_name(block)) + " block, continued"));
  }
  result.labels = render_labels(labels, label_looks());
  result.heading = result.labels[others];
  for (std::size_t i = 0; i < circuit.blocks.size(); ++i)
    result.blocks[circuit.blocks[i]] = {result.labels[others + 1 + 2 * i],
                                        result.labels[others + 2 + 2 * i]};
  return result;
}

// --- where things stand --------------------------------------------------------------------------

CircuitColumn::Place CircuitColumn::next(const CircuitPiece& piece) const {
  Place place;
  place.piece = piece;
  double y = places_.empty() ? 0 : height() + kBetween;
  if (piece.block && !places_.empty() && !piece.begins_block) {
    y -= kEdge;
  } else if (piece.block) {
    const auto& labels = circuit_.blocks.at(*piece.block);
    place.frame = piece.begins_block ? &labels.begun : &labels.continued;
    place.frame_top = y;
    y += place.frame->height;
  }
  place.top = y;
  const double inside = is_panel(piece) ? kInside : 0;
  const double row = limit_ - left_of(piece) - (piece.block ? kEdge : 0);
  double x = inside, row_top = inside, row_bottom = inside;
  for (const std::size_t card : piece.cards) {
    const LabelPicture& label = circuit_.labels[card];
    if (x > inside && x + label.width + inside > row) {
      x = inside;
      row_top = row_bottom + kInside;
    }
    place.cards.emplace_back(x, row_top);
    place.width = std::max(place.width, x + label.width + inside);
    row_bottom = std::max(row_bottom, row_top + label.height);
    x += label.width + kInside;
  }
  place.height = row_bottom + inside;
  place.bottom = place.top + place.height + (piece.block ? kEdge : 0);
  return place;
}

double CircuitColumn::width() const {
  double width = 0;
  for (const Place& place : places_) {
    const double right = left_of(place.piece) + place.width + (place.piece.block ? kEdge : 0);
    width = std::max({width, right, place.frame ? kPanelAt + place.frame->width : 0});
  }
  return width;
}

bool CircuitColumn::enters() const {
  return has_stream(places_.front().piece) && places_.front().piece.role != Role::input;
}
bool CircuitColumn::leaves() const {
  return has_stream(places_.back().piece) && places_.back().piece.role != Role::output;
}
bool CircuitColumn::loop_leaves() const {
  const CircuitPiece& last = places_.back().piece;
  return last.block == Block::repeated && !last.ends_block;
}

// --- drawing -------------------------------------------------------------------------------------

std::string CircuitColumn::draw(PlotPoint corner, double beyond) const {
  std::string frames, lines, pieces;
  for (std::size_t first = 0; first < places_.size();) {
    std::size_t last = first;
    while (last + 1 < places_.size() && places_[first].frame && !places_[last + 1].frame &&
           places_[last + 1].piece.block)
      ++last;
    if (places_[first].frame) frames += draw_frame(places_[first], places_[last], corner);
    if (places_[first].piece.block == Block::repeated)
      lines += draw_loop(places_[first], places_[last], corner, beyond);
    first = last + 1;
  }
  std::optional<double> from, to;
  for (const Place& place : places_) {
    pieces += draw_piece(place, corner);
    if (!has_stream(place.piece)) continue;
    if (!from) from = enters() ? -beyond : sum_at(place);
    to = place.piece.role == Role::output ? place.top + kTitleBar : place.bottom;
  }
  if (from)
    lines +=
        svg_line({corner.first + kStreamAt, corner.second + *from},
                 {corner.first + kStreamAt, corner.second + (leaves() ? height() + beyond : *to)},
                 stroke(kStreamInk, "2.4"));
  return frames + lines + pieces;
}

std::string CircuitColumn::draw_frame(const Place& first, const Place& last,
                                      PlotPoint corner) const {
  const bool repeated = first.piece.block == Block::repeated;
  const PlotPoint at{corner.first, corner.second + first.frame_top};
  return svg_rect(at, width(), last.bottom - first.frame_top,
                  "rx=\"8\" fill=\"#F6F6F4\" " +
                      (repeated ? stroke("#6F6F6F", "1.8") : stroke("#C8C8C8", "1"))) +
         placed(*first.frame, {at.first + kPanelAt - kInside, at.second});
}

/// From the last sum of the loop back to its begin.
std::string CircuitColumn::draw_loop(const Place& first, const Place& last, PlotPoint corner,
                                     double beyond) const {
  const double x = corner.first + kLoopAt, stream = corner.first + kStreamAt;
  const bool begins = first.piece.begins_block, ends = last.piece.ends_block;
  const double top = corner.second + (begins ? first.frame_top + kTitleBar : -beyond);
  const double bottom = corner.second + (ends ? sum_at(last) : height() + beyond);
  const std::string way =
      ends ? "M" + svg_number(stream - kJoint) + " " + svg_number(bottom) + "H" + svg_number(x)
           : "M" + svg_number(x) + " " + svg_number(bottom);
  return svg_path(way + "V" + svg_number(top),
                  "fill=\"none\" stroke-dasharray=\"5 3\" " + stroke(kQuietInk, "1.4")) +
         (begins ? arrow({x, top}, {stream - 1, top}, kQuietInk) : "");
}

std::string CircuitColumn::draw_piece(const Place& place, PlotPoint corner) const {
  const CircuitPiece& piece = place.piece;
  const double stream = corner.first + kStreamAt, left = corner.first + left_of(piece);
  const double top = corner.second + place.top;
  std::string elements;
  if (is_panel(piece))
    elements += svg_rect({left, top}, place.width, place.height,
                         "rx=\"3\" fill=\"#FFFFFF\" " + stroke(piece.colour.c_str(), "1"));
  for (std::size_t i = 0; i < piece.cards.size(); ++i) {
    const std::string card = placed(circuit_.labels[piece.cards[i]],
                                    {left + place.cards[i].first, top + place.cards[i].second});
    elements += piece.role == Role::sublayer
                    ? svg_group(card, key_attribute(card_key(piece.sublayer, i)))
                    : card;
  }
  if (!has_stream(piece)) return elements;
  if (piece.role != Role::input)
    elements += arrow({stream, top + place.cards[0].second + kTitleBar},
                      {left + place.cards[0].first, top + place.cards[0].second + kTitleBar});
  if (piece.role == Role::output) return elements;
  const double sum = corner.second + sum_at(place);
  return elements + arrow({left, sum}, {stream + kJoint, sum}) + joint({stream, sum});
}

}  // namespace logdepth::inline report_pictures
