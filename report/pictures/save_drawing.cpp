#include "report/pictures/save_drawing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
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
    lines +=
        svg_path(way({at.first + CircuitColumn::kStreamAt, from_bottom}, bottom + 10, gutter,
                     next.second - 14, {next.first + CircuitColumn::kStreamAt, next.second}),
                 std::string("fill=\"none\" stroke=\"") + kStreamInk + "\" stroke-width=\"2.4\"");
  if (from.loop_leaves())
    lines += svg_path(way({at.first + CircuitColumn::kLoopAt, from_bottom}, bottom + 16, gutter + 6,
                          next.second - 8, {next.first + CircuitColumn::kLoopAt, next.second}),
                      std::string("fill=\"none\" stroke-dasharray=\"5 3\" stroke=\"") + kQuietInk +
                          "\" stroke-width=\"1.4\"");
  return lines;
}

/// The smallest font size that an SVG names.
double smallest_letters(const std::string& svg) {
  const std::string start = " font-size=\"";
  double smallest = INFINITY;
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at)) {
    at += start.size();
    double size = 0;
    std::from_chars(svg.data() + at, svg.data() + svg.size(), size);
    smallest = std::min(smallest, size);
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
  using Role = CircuitPiece::Role;

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

std::string title_of(const Model& model) {
  return model.name.empty() ? "unnamed model" : model.name;
}

const std::vector<std::string> kForms = {"svg", "html", "pdf", "png", "tex", "tikz"};

/// What a name asks for. Errors: InputError when that is none of `forms`.
std::string form_of(const std::string& path, const std::vector<std::string>& forms) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::vector<std::string> endings;
  for (const std::string& form : forms) {
    endings.push_back("." + form);
    if (ending == endings.back()) return form;
  }
  throw InputError(path + ": expected a name that ends in " + joined(endings, ", "));
}

void write_picture(const std::string& svg, const std::string& form, const std::string& path) {
  write_whole_file(path, form == "svg"    ? svg
                         : form == "tex"  ? tikz_document(svg)
                         : form == "tikz" ? tikz_picture(svg)
                                          : render_svg(svg, form));
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
  const std::string form = form_of(path, kForms);
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
  const std::string form = form_of(path, kForms);
  if (form == "html") {
    write_whole_file(path, run_page(model, picture, together));
  } else {
    write_picture(strips_svg(picture), form, path);
  }
}

void save_graph(const std::string& dot, const std::string& path) {
  const std::string form = form_of(path, {"tex", "tikz"});
  write_picture(render_graphs(dot).at(0), form, path);
}

void save_figure(const std::string& svg, const std::string& path) {
  write_picture(svg, form_of(path, {"svg", "pdf", "png", "tex", "tikz"}), path);
}

}}  // namespace logdepth::report_pictures
