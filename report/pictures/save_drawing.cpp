#include "report/pictures/save_drawing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/strip_picture.hpp"
#include "report/figures/svg_elements.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/render.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

constexpr double kSheetMargin = 12;  ///< around the picture
constexpr double kGutter = 30;       ///< between columns
constexpr double kLane = 24;         ///< above and below columns, where lines go to the next one
constexpr double kLimitStep = 6;     ///< between widths of columns that are tried

constexpr double kPanelAt = 46;        ///< from the left edge of a column
constexpr double kEdge = 8;            ///< right of panels, and below the last one in a frame
constexpr double kInside = 6;          ///< between a panel and its cards, and between those
constexpr double kBetween = 12;        ///< pieces
constexpr double kTitleBar = 13;       ///< the middle of a card's title, from its top
constexpr double kJoint = 8;           ///< radius
constexpr std::size_t kCellRows = 15;  ///< of one table

// --- pieces --------------------------------------------------------------------------------------

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

/// The key of a card of a sublayer, its mask the first.
std::string card_key(std::size_t sublayer, std::size_t card) {
  return "c" + std::to_string(sublayer) + "-" + std::to_string(card);
}

/// A label with its upper left corner there.
std::string placed(const LabelPicture& label, PlotPoint corner) {
  return svg_group(label.elements, "transform=\"translate(" + svg_number(corner.first) + " " +
                                       svg_number(corner.second + label.height) + ")\"");
}

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
bool has_stream(const CircuitPiece& piece) {
  return piece.role != Role::cells;
}
double left_of(const CircuitPiece& piece) {
  return has_stream(piece) ? kPanelAt : 0;
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

/// Pieces below each other beside the residual stream. A card begins a row of its own where the
/// column would be wider than `limit`.
class CircuitColumn {
 public:
  CircuitColumn(const CircuitPieces& circuit, double limit) : circuit_(circuit), limit_(limit) {}

  void add(const CircuitPiece& piece) { places_.push_back(next(piece)); }
  /// How high it is with this piece below the others.
  double height_with(const CircuitPiece& piece) const { return next(piece).bottom; }

  double width() const {
    double width = 0;
    for (const Place& place : places_) {
      const double right = left_of(place.piece) + place.width + (place.piece.block ? kEdge : 0);
      width = std::max({width, right, place.frame ? kPanelAt + place.frame->width : 0});
    }
    return width;
  }

  double height() const { return places_.empty() ? 0 : places_.back().bottom; }
  /// Whether the stream comes from above, and goes on below; whether a loop does.
  bool enters() const {
    return has_stream(places_.front().piece) && places_.front().piece.role != Role::input;
  }
  bool leaves() const {
    return has_stream(places_.back().piece) && places_.back().piece.role != Role::output;
  }
  bool loop_leaves() const {
    const CircuitPiece& last = places_.back().piece;
    return last.block == Block::repeated && !last.ends_block;
  }

  /// With its upper left corner there; what comes and goes reaches `beyond` above and below.
  std::string draw(PlotPoint corner, double beyond = 0) const {
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

  Place next(const CircuitPiece& piece) const {
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

  /// Where its sum stands on the stream.
  static double sum_at(const Place& place) { return place.top + place.height - 12; }

  std::string draw_frame(const Place& first, const Place& last, PlotPoint corner) const {
    const bool repeated = first.piece.block == Block::repeated;
    const PlotPoint at{corner.first, corner.second + first.frame_top};
    return svg_rect(at, width(), last.bottom - first.frame_top,
                    "rx=\"8\" fill=\"#F6F6F4\" " +
                        (repeated ? stroke("#6F6F6F", "1.8") : stroke("#C8C8C8", "1"))) +
           placed(*first.frame, {at.first + kPanelAt - kInside, at.second});
  }

  /// From the last sum of the loop back to its begin.
  std::string draw_loop(const Place& first, const Place& last, PlotPoint corner,
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

  std::string draw_piece(const Place& place, PlotPoint corner) const {
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

  const CircuitPieces& circuit_;
  double limit_;
  std::vector<Place> places_;
};

// --- columns -------------------------------------------------------------------------------------

using Columns = std::vector<CircuitColumn>;

/// Filled one after the other, each as far as `height`.
Columns filled(const CircuitPieces& circuit, double limit, double height) {
  Columns columns = {CircuitColumn(circuit, limit)};
  for (const CircuitPiece& piece : circuit.pieces) {
    const double with = columns.back().height_with(piece);
    if (columns.back().height() > 0 && with > height) columns.emplace_back(circuit, limit);
    columns.back().add(piece);
  }
  return columns;
}

CircuitColumn in_one(const CircuitPieces& circuit, double limit) {
  return filled(circuit, limit, INFINITY).front();
}

/// The lowest columns that are not more than `count`.
Columns folded(const CircuitPieces& circuit, double limit, std::size_t count) {
  double low = 0, high = in_one(circuit, limit).height();
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (filled(circuit, limit, middle).size() <= count ? high : low) = middle;
  }
  return filled(circuit, limit, high);
}

struct Size {
  double width = 0, height = 0;
};

Size size_of(const CircuitPieces& circuit, const Columns& columns) {
  double width = kGutter * static_cast<double>(columns.size() - 1), height = 0;
  for (const CircuitColumn& column : columns) {
    width += column.width();
    height = std::max(height, column.height());
  }
  const double lanes = columns.size() > 1 ? 2 * kLane : kSheetMargin;
  return {std::max(width, circuit.heading.width) + 2 * kSheetMargin,
          circuit.heading.height + height + lanes + 2 * kSheetMargin};
}

/// The fewest columns that stand largest on a page.
Columns best_columns(const CircuitPieces& circuit) {
  const double narrow = in_one(circuit, 0).width(), wide = in_one(circuit, INFINITY).width();
  Columns best;
  double best_scale = 0;
  for (std::size_t count = 1; count <= circuit.pieces.size() && best_scale < 1; ++count) {
    double scale_here = 0;
    for (double limit = narrow; limit < wide + kLimitStep; limit += kLimitStep) {
      Columns columns = folded(circuit, limit, count);
      const Size size = size_of(circuit, columns);
      const double scale = fit_paper(size.width, size.height).scale;
      scale_here = std::max(scale_here, scale);
      if (scale <= best_scale) continue;
      best_scale = scale;
      best = std::move(columns);
    }
    if (scale_here < best_scale / 2) break;  // more columns would only be wider
  }
  return best;
}

// --- the sheet -----------------------------------------------------------------------------------

/// The stream from the bottom of a column to the top of the next, and the way back of a loop.
std::string joined_columns(const CircuitColumn& from, PlotPoint at, PlotPoint next, double bottom) {
  const auto way = [](PlotPoint begin, double lane, double across, double end_lane, PlotPoint end) {
    return "M" + svg_number(begin.first) + " " + svg_number(begin.second) + "V" + svg_number(lane) +
           "H" + svg_number(across) + "V" + svg_number(end_lane) + "H" + svg_number(end.first) +
           "V" + svg_number(end.second);
  };
  const double gutter = next.first - kGutter / 2;
  const double from_bottom = at.second + from.height();
  std::string lines;
  if (from.leaves())
    lines += svg_path(way({at.first + CircuitColumn::kStreamAt, from_bottom}, bottom + 10, gutter,
                          next.second - 14, {next.first + CircuitColumn::kStreamAt, next.second}),
                      "fill=\"none\" " + stroke(kStreamInk, "2.4"));
  if (from.loop_leaves())
    lines += svg_path(way({at.first + CircuitColumn::kLoopAt, from_bottom}, bottom + 16, gutter + 6,
                          next.second - 8, {next.first + CircuitColumn::kLoopAt, next.second}),
                      "fill=\"none\" stroke-dasharray=\"5 3\" " + stroke(kQuietInk, "1.4"));
  return lines;
}

/// The smallest font size that an SVG names.
double smallest_letters(const std::string& svg) {
  const std::string start = " font-size=\"";
  double smallest = INFINITY;
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at)) {
    at += start.size();
    smallest = std::min(smallest, std::strtod(svg.c_str() + at, nullptr));
  }
  return smallest;
}

// --- strips --------------------------------------------------------------------------------------

constexpr double kPageWidth = 960;  ///< of a layer on a page

StripTable lines_table(const std::string& caption, const std::vector<std::string>& lines) {
  StripTable table{caption, {"text"}};
  for (const std::string& line : lines) table.rows.push_back({line});
  return table;
}

std::vector<StripTable> layer_tables(const LayerView& layer) {
  const std::string name = fmt::format("layer {}", layer.layer + 1);
  if (layer.same_as)
    return {lines_table(name, {fmt::format("the same weights as layer {}", *layer.same_as + 1)})};
  const auto caption = [&](const char* sublayer, const std::vector<std::string>& mask,
                           const std::string& norm) {
    return name + ", " + sublayer + " in words: reads " +
           (mask.empty() ? "nothing" : joined(mask)) + (norm.empty() ? "" : "; " + norm);
  };
  StripTable heads{caption("attention", layer.attention_mask, layer.attention_norm),
                   {"head", "scope", "selects", "query and key", "writes", "score dimension",
                    "value dimension"}};
  for (const HeadView& head : layer.heads)
    heads.rows.push_back({head.name, head.scope, head.contract, head.match,
                          joined(head.writes, "; "), std::to_string(head.dimension),
                          std::to_string(head.values)});
  StripTable units{caption("feed-forward", layer.feedforward_mask, layer.feedforward_norm) + "; " +
                       counted(layer.units, "unit"),
                   {"group", "does", "units"}};
  for (const UnitsView& part : layer.parts)
    units.rows.push_back({part.kind + (part.name.empty() ? "" : " " + part.name),
                          joined(part.lines, "; "),
                          part.units == 0 ? "" : std::to_string(part.units)});
  std::vector<StripTable> tables;
  if (!layer.heads.empty()) tables.push_back(std::move(heads));
  if (layer.units > 0) tables.push_back(std::move(units));
  return tables;
}

StripTable cells_table(const std::vector<CellRow>& cells) {
  StripTable table{"cells", {"cell", "type", "coordinates", "lifetime"}};
  for (const CellRow& cell : cells)
    table.rows.push_back({cell.names, cell.type, cell.coordinates, cell.lifetime});
  return table;
}

/// What is said of the cards of a layer; keys lead through its sublayers by rows.
std::vector<StripNote> layer_notes(const CircuitCards& circuit, std::size_t layer) {
  std::vector<StripNote> notes;
  std::size_t row = 0;
  for (std::size_t i = 0; i < circuit.sublayers.size(); ++i) {
    const SublayerCards& sublayer = circuit.sublayers[i];
    if (sublayer.layer != layer) continue;
    std::size_t column = 0;
    const auto add = [&](const Card& card) {
      notes.push_back({card_key(i, column), card_text(card), {}, "cards", row, column});
      ++column;
    };
    if (sublayer.mask) add(*sublayer.mask);
    for (const Card& card : sublayer.parts) add(card);
    ++row;
  }
  return notes;
}

class StripWriter {
 public:
  explicit StripWriter(const CircuitCards& circuit)
      : circuit_(circuit), pieces_(circuit_pieces(circuit)) {
    picture_.title = circuit.name;
    picture_.turned = "layer";
  }

  StripPicture write() {
    const auto& view = circuit_.view;
    add({.name = "input",
         .tables = {lines_table("token embedding", view.embedding),
                    lines_table("position encoding", view.position)}},
        pieces_of([](const CircuitPiece& piece) { return piece.role == Role::input; }));
    for (const LayerView& layer : view.layers)
      add({.name = fmt::format("layer {} of {}, {} block", layer.layer + 1, view.layers.size(),
                               block_name(layer.block)),
           .step = layer.layer + 1,
           .notes = layer_notes(circuit_, layer.layer),
           .tables = layer_tables(layer)},
          pieces_of([&](const CircuitPiece& piece) {
            return piece.role == Role::sublayer &&
                   circuit_.sublayers[piece.sublayer].layer == layer.layer;
          }));
    add({.name = "output", .tables = {lines_table("unembedding", view.output)}},
        pieces_of([](const CircuitPiece& piece) { return piece.role == Role::output; }));
    CircuitPiece cells{.role = Role::cells};
    for (const CircuitPiece& piece : pieces_.pieces)
      if (piece.role == Role::cells) cells.cards.push_back(piece.cards.front());
    if (!cells.cards.empty()) add({.name = "cells", .tables = {cells_table(view.cells)}}, {cells});
    return picture_;
  }

 private:
  template <class Chosen>
  std::vector<CircuitPiece> pieces_of(Chosen chosen) const {
    std::vector<CircuitPiece> found;
    std::copy_if(pieces_.pieces.begin(), pieces_.pieces.end(), std::back_inserter(found), chosen);
    return found;
  }

  void add(Strip strip, const std::vector<CircuitPiece>& pieces) {
    CircuitColumn column(pieces_, kPageWidth);
    for (const CircuitPiece& piece : pieces) column.add(piece);
    strip.top = bottom_;
    double top = bottom_ + kSheetMargin;
    if (picture_.strips.empty()) {
      strip.elements = placed(pieces_.heading, {kSheetMargin, top});
      top += pieces_.heading.height + kSheetMargin;
    }
    strip.elements += column.draw({kSheetMargin, top}, kSheetMargin);
    bottom_ = strip.bottom = top + column.height() + kSheetMargin;
    picture_.width = std::max(
        {picture_.width, column.width() + 2 * kSheetMargin, pieces_.heading.width + kSheetMargin});
    picture_.strips.push_back(std::move(strip));
  }

  const CircuitCards& circuit_;
  const CircuitPieces pieces_;
  StripPicture picture_;
  double bottom_ = 0;
};

}  // namespace

CircuitSheet circuit_sheet(const CircuitCards& circuit) {
  const CircuitPieces pieces = circuit_pieces(circuit);
  const Columns columns = best_columns(pieces);
  const Size size = size_of(pieces, columns);
  PlotPoint at{kSheetMargin,
               kSheetMargin + pieces.heading.height + (columns.size() > 1 ? kLane : kSheetMargin)};
  const double bottom = size.height - kSheetMargin - (columns.size() > 1 ? kLane : 0);
  std::string elements = placed(pieces.heading, {kSheetMargin, kSheetMargin}), lines;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    elements += columns[i].draw(at);
    const PlotPoint next{at.first + columns[i].width() + kGutter, at.second};
    if (i + 1 < columns.size()) lines += joined_columns(columns[i], at, next, bottom);
    at = next;
  }
  CircuitSheet sheet;
  sheet.svg = svg_document(size.width, size.height, circuit.name, lines + elements, "");
  sheet.columns = columns.size();
  const PaperFit fit = fit_paper(size.width, size.height);
  sheet.letters = smallest_letters(sheet.svg) * fit.scale;
  sheet.across = fit.across;
  return sheet;
}

std::string sheet_text(const CircuitSheet& sheet) {
  return fmt::format("{}, on an A4 page{} its smallest letters are {:.1f} pt",
                     counted(sheet.columns, "column"), sheet.across ? " across" : "",
                     sheet.letters);
}

StripPicture circuit_strips(const CircuitCards& circuit) {
  return StripWriter(circuit).write();
}

namespace {

constexpr const char* kStyle =
    "body{max-width:72em}th,td{border:0}th{padding:.25em 1.2em .25em 0;font-weight:600;"
    "white-space:nowrap}td{padding:.25em 0;overflow-wrap:anywhere}ul{margin:0;padding-left:1.1em}";

/// The heading of a run's page stands in the picture as well: it is there to be read aloud.
constexpr const char* kSaidByPicture = "h1{position:absolute;clip-path:inset(50%)}";

std::string list(const std::vector<std::string>& items) {
  if (items.empty()) return "none";
  std::string text = "<ul>";
  for (const std::string& item : items) text += "<li>" + xml_text(item) + "</li>";
  return text + "</ul>";
}

std::vector<std::string> parameter_lines(const Model& model) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : model.parameters)
    lines.push_back(key + ": " + member_text(value));
  return lines;
}

std::string model_card(const Model& model) {
  const Measures m = measure(model, 0);
  std::string rows;
  const auto add = [&](const char* name, const std::string& html) {
    rows += "<tr><th>" + std::string(name) + "</th><td>" + html + "</td></tr>\n";
  };
  add("construction", xml_text(model.construction));
  add("source", xml_text(model.source));
  add("hypotheses", list(model.hypotheses));
  add("deviations", list(model.deviations));
  if (const auto parameters = parameter_lines(model); !parameters.empty())
    add("parameters", list(parameters));
  std::string depth =
      fmt::format("{}, shape ({}, {}, {})", depth_formula(model), m.initial, m.repeated, m.final);
  if (model.unroll.max_length)
    depth += fmt::format(", inputs up to n = {}", *model.unroll.max_length);
  add("depth", depth);
  add("sizes", fmt::format("width {}, strict width {}, cells {}, heads per sublayer {}, hidden "
                           "units {}, nonzero weights {}",
                           m.width, m.strict_width, m.cells, m.heads, m.units, m.nonzeros));
  return "<table>\n" + rows + "</table>\n";
}

const std::vector<std::string> kForms = {"svg", "html", "pdf", "png"};

/// What a name asks for. Errors: InputError when that is none of the forms.
std::string form_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::vector<std::string> endings;
  for (const std::string& form : kForms) {
    endings.push_back("." + form);
    if (ending == endings.back()) return form;
  }
  throw InputError(path + ": expected a name that ends in " + joined(endings, ", "));
}

void write_picture(const std::string& svg, const std::string& form, const std::string& path) {
  write_whole_file(path, form == "svg" ? svg : render_svg(svg, form));
}

}  // namespace

std::string circuit_page(const Model& model, const StripPicture& picture) {
  return html_page(picture.title, kStyle + strips_style(picture) + kSaidByPicture,
                   strips_section(picture, false) + "<h2>Model card</h2>\n" + model_card(model));
}

std::string run_page(const Model& model, const StripPicture& picture, bool together) {
  return html_page(picture.title, kStyle + strips_style(picture) + kSaidByPicture,
                   strips_section(picture, together) +
                       "<details><summary>The weights file: " + xml_text(title_of(model)) +
                       "</summary>\n" + model_card(model) + "</details>\n");
}

std::string save_circuit(const Model& model, const CircuitCards& circuit, const std::string& path) {
  const std::string form = form_of(path);
  if (form == "html") {
    write_whole_file(path, circuit_page(model, circuit_strips(circuit)));
    return "";
  }
  const CircuitSheet sheet = circuit_sheet(circuit);
  write_picture(sheet.svg, form, path);
  return sheet_text(sheet);
}

void save_run(const Model& model, const StripPicture& picture, bool together,
              const std::string& path) {
  const std::string form = form_of(path);
  if (form == "html") {
    write_whole_file(path, run_page(model, picture, together));
  } else {
    write_picture(strips_svg(picture), form, path);
  }
}

}}  // namespace logdepth::report_pictures
