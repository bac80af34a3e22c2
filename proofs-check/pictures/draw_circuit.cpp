#include "proofs-check/pictures/draw_circuit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compiler/program/program.hpp"
#include "figures/colours.hpp"
#include "objects/phrases.hpp"
#include "objects/xml_text.hpp"
#include "proofs-check/file/measure.hpp"
#include "proofs-check/pictures/circuit_view.hpp"
#include "proofs-check/pictures/svg_text.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

// Hues that stay apart for colour-blind readers, dark enough for white letters.
constexpr const char* kAttention = "#0B5C94";
constexpr const char* kFeedForward = "#A34700";
constexpr const char* kEnds = "#00664F";
constexpr const char* kStream = "#8A8A8A";
constexpr const char* kFont = "DejaVu Sans,Helvetica,Arial,sans-serif";

constexpr std::size_t kColumns = 46;  ///< width of a card, in characters
constexpr std::size_t kLines = 12;    ///< of one text in a card
constexpr std::size_t kTitleColumns = 90;

/// Broken at spaces where possible; what exceeds `kLines` lines is replaced by an ellipsis.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines = {""};
  std::size_t used = 0;
  const auto put = [&](const std::string& word, std::size_t length) {
    if (used > 0 && used + 1 + length > columns) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += word;
    used += length;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    for (std::size_t length; (length = count_characters(word)) > columns;) {
      std::string head = cut_text(word, columns + 1);
      head.resize(head.size() - 3);  // the ellipsis
      put(head, columns);
      word = word.substr(head.size());
    }
    if (!word.empty()) put(word, count_characters(word));
  }
  if (lines.size() > kLines) {
    lines.resize(kLines);
    lines.back() += " \xE2\x80\xA6";
  }
  return lines;
}

/// Text for a Graphviz label of the `<...>` kind, in which, beyond XML, "\N", "\G" and their like
/// stand for names of the graph, and a double backslash for one.
std::string label_text(const std::string& text) {
  std::string result;
  for (const char c : xml_text(text)) result += c == '\\' ? "\\\\" : std::string(1, c);
  return result;
}

/// The lines as a piece of a Graphviz HTML label, left-aligned. Viewers set the same letters a few
/// per cent wider than Graphviz measures them: blanks at the end of each line leave room for that.
std::string label_lines(const std::string& text, std::size_t columns = kColumns) {
  std::string result;
  for (const std::string& line : wrapped(text, columns)) {
    result += label_text(line);
    for (std::size_t i = 0; i <= count_characters(line) / 18; ++i) result += "&#160;";
    result += "<BR ALIGN=\"LEFT\"/>";
  }
  return result;
}

struct Card {
  std::string colour, title, aside;  ///< aside: at the right end of the title bar
  std::string emphasis;              ///< first line, in bold
  std::vector<std::string> lines;
  std::string small;  ///< last line, for those who check sizes
};

std::string row(const std::string& content) {
  return "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">" + content + "</TD></TR>";
}

std::string card_label(const Card& card) {
  const std::string aside = card.aside.empty() ? ""
                                               : "<TD ALIGN=\"RIGHT\">  <FONT COLOR=\"white\">" +
                                                     label_text(card.aside) + "</FONT></TD>";
  std::string label =
      "<<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"3\" COLOR=\"" +
      card.colour + "\" BGCOLOR=\"white\"><TR><TD BGCOLOR=\"" + card.colour +
      "\" CELLPADDING=\"5\"><TABLE BORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR>"
      "<TD ALIGN=\"LEFT\"><FONT COLOR=\"white\"><B>" +
      label_text(cut_text(card.title, 60)) + "</B></FONT></TD>" + aside + "</TR></TABLE></TD></TR>";
  if (!card.emphasis.empty()) label += row("<B>" + label_lines(card.emphasis) + "</B>");
  for (const std::string& line : card.lines) label += row(label_lines(line));
  if (!card.small.empty())
    label += row("<FONT POINT-SIZE=\"10\" COLOR=\"" + std::string(kQuietInk) + "\">" +
                 label_lines(card.small, kColumns + 8) + "</FONT>");
  return label + "</TABLE>>";
}

class CircuitWriter {
 public:
  explicit CircuitWriter(const Model& model) : model_(model), view_(view_circuit(model)) {}

  std::string write() {
    out_ =
        "digraph circuit {\n"
        "  graph [rankdir=TB, newrank=true, nodesep=0.3, ranksep=0.32, labelloc=t, "
        "labeljust=l, bgcolor=white, fontsize=13, pad=0.3, fontname=" +
        quote(kFont) +
        "];\n"
        "  node [shape=plain, fontsize=12, fontname=" +
        quote(kFont) +
        "];\n"
        "  edge [color=" +
        quote(kStream) + ", arrowsize=0.6, fontsize=11, fontname=" + quote(kFont) +
        "];\n"
        "  label=" +
        title() + ";\n";
    write_input();
    for (const Block block : {Block::initial, Block::repeated, Block::final}) write_block(block);
    write_output();
    return out_ + "}\n";
  }

 private:
  static std::string quote(const std::string& text) { return "\"" + text + "\""; }

  void line(const std::string& text) { out_ += indent_ + text + "\n"; }
  void node(const std::string& id, const Card& card) {
    line(quote(id) + " [label=" + card_label(card) + "];");
  }
  void edge(const std::string& from, const std::string& to, const std::string& style = "") {
    line(quote(from) + " -> " + quote(to) + (style.empty() ? "" : " [" + style + "]") + ";");
  }

  std::string loops_text() const { return loops_formula(model_.unroll); }

  std::string title() const {
    const Measures m = measure(model_, 0);
    const std::string n =
        model_.unroll.kind == Unroll::Kind::ceil_log2_vertices ? "vertices" : "letters";
    std::string depth = "depth " + depth_formula(model_);
    if (model_.unroll.kind != Unroll::Kind::fixed) depth += ", n = number of " + n;
    depth += fmt::format(" \xC2\xB7 shape ({}, {}, {})", m.initial, m.repeated, m.final);
    if (model_.unroll.max_length)
      depth += fmt::format(" \xC2\xB7 up to n = {}", *model_.unroll.max_length);
    const std::string sizes = fmt::format(
        "width {} \xC2\xB7 {} \xC2\xB7 {}{} per sublayer \xC2\xB7 {} \xC2\xB7 {}", m.width,
        counted(m.cells, "cell"), counted(m.heads, "head"), m.heads == 1 ? "" : " at most",
        counted(m.units, "unit"), model_.norm == Norm::rms ? "RMS norm" : "layer norm");
    const auto entry = [](const std::string& text) {
      return "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">" + text + "</TD></TR>";
    };
    std::string label = "<<TABLE BORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">";
    label +=
        entry("<FONT POINT-SIZE=\"20\"><B>" +
              label_lines(model_.name.empty() ? "unnamed model" : model_.name, 60) + "</B></FONT>");
    const std::string origin = model_.construction + " \xC2\xB7 " + model_.source;
    label += entry(label_lines(origin, kTitleColumns));
    label += entry(label_lines(depth, kTitleColumns)) + entry(label_lines(sizes, kTitleColumns));
    return label + "</TABLE>>";
  }

  // --- the residual stream -----------------------------------------------------------------------

  void joint(const std::string& id, const std::string& text) {
    line(quote(id) + " [shape=circle, fixedsize=true, width=0.3, label=" + quote(text) +
         ", group=stream, color=" + quote(kStream) + ", fontsize=15];");
    stream_ = id;
  }

  /// The stream as it is, and the next joint, which adds what the sublayer writes.
  void extend_stream(const std::string& id) {
    const std::string before = stream_;
    joint(id, "+");
    edge(before, id, "weight=40, penwidth=2.4, arrowhead=none");
  }

  void write_input() {
    indent_ = "  ";
    Card embedding{kEnds, "token embedding", "", "", view_.embedding, ""};
    Card position{kEnds, "position encoding", "", "", view_.position, ""};
    node("embedding", embedding);
    node("position", position);
    joint("stream", "+");
    edge("embedding", "stream");
    edge("position", "stream");
  }

  void write_block(Block block) {
    std::vector<const LayerView*> layers;
    for (const LayerView& layer : view_.layers)
      if (layer.block == block) layers.push_back(&layer);
    if (layers.empty()) return;
    const std::string name = block_name(block);
    std::string label = name + " block: " + counted(layers.size(), "layer");
    if (block == Block::repeated) label += " \xC3\x97 " + loops_text();
    line("subgraph " + quote("cluster_" + name) + " {");
    indent_ = "    ";
    line("style=\"rounded,filled\"; color=" +
         quote(block == Block::repeated ? "#6F6F6F" : "#C8C8C8") + "; fillcolor=\"#F6F6F4\"; " +
         "penwidth=" + (block == Block::repeated ? "1.8" : "1.0") + "; margin=14; fontsize=14; " +
         "label=<<TABLE BORDER=\"0\" CELLPADDING=\"5\"><TR><TD><B>" + label_text(label) +
         "</B></TD></TR></TABLE>>;");
    const std::string entry = "enter " + name;
    const std::string before = stream_;
    line(quote(entry) + " [shape=point, width=0.09, group=stream, color=" + quote(kStream) + "];");
    stream_ = entry;
    for (const LayerView* layer : layers) write_layer(*layer);
    if (block == Block::repeated)
      edge(stream_, entry,
           "constraint=false, style=dashed, penwidth=1.4, color=" + quote(kQuietInk) +
               ", tooltip=\"next loop\"");
    indent_ = "  ";
    line("}");
    // An edge inside the braces would draw the node before the block into it.
    edge(before, entry, "weight=40, penwidth=2.4, arrowhead=none");
  }

  void write_layer(const LayerView& layer) {
    const std::string id = fmt::format("layer {}", layer.layer + 1);
    if (layer.same_as) {
      const Card same{
          kQuietInk, id, "", "", {fmt::format("the same weights as layer {}", *layer.same_as + 1)},
          ""};
      write_sublayer(id, nullptr, {same});
      return;
    }
    std::vector<Card> cards;
    for (const HeadView& head : layer.heads) {
      Card card{kAttention, "head " + head.name, head.scope, "selects " + head.promise, {}, ""};
      if (!view_.named) card.title = head.name;
      card.lines.push_back(head.match);
      card.lines.insert(card.lines.end(), head.writes.begin(), head.writes.end());
      card.small =
          fmt::format("score dimension {}, value dimension {}", head.dimension, head.values);
      cards.push_back(std::move(card));
    }
    const Card attention =
        mask_card(kAttention, id + ": attention", "", layer.attention_mask, layer.attention_norm);
    if (!cards.empty()) write_sublayer(id + " attention", &attention, cards);

    cards.clear();
    for (const UnitsView& part : layer.parts)
      cards.push_back({kFeedForward, part.kind + (part.name.empty() ? "" : " " + part.name),
                       part.units == 0 ? "" : counted(part.units, "unit"), "", part.lines, ""});
    Card feedforward = mask_card(kFeedForward, id + ": feed-forward", counted(layer.units, "unit"),
                                 layer.feedforward_mask, layer.feedforward_norm);
    if (view_.named && layer.linear_units > 0 && layer.linear_units < layer.units)
      feedforward.small = fmt::format("{} of them move, erase, and clear what look-ups overwrite",
                                      layer.linear_units);
    if (layer.units > 0) write_sublayer(id + " feed-forward", &feedforward, cards);
    if (layer.heads.empty() && layer.units == 0)
      write_sublayer(id, nullptr, {{kQuietInk, id, "", "", {"no heads, no units"}, ""}});
  }

  static Card mask_card(const char* colour, const std::string& title, const std::string& aside,
                        const std::vector<std::string>& mask, const std::string& norm) {
    Card card{colour, title, aside, "", {"reads " + (mask.empty() ? "nothing" : joined(mask))}, ""};
    if (!norm.empty()) card.lines.push_back(norm);
    return card;
  }

  void write_sublayer(const std::string& id, const Card* mask, const std::vector<Card>& cards) {
    const std::string before = stream_;
    if (mask) {
      node(id, *mask);
      edge(before, id);
    }
    extend_stream(id + " sum");
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const std::string part = fmt::format("{} part {}", id, i + 1);
      node(part, cards[i]);
      edge(mask ? id : before, part);
      edge(part, stream_);
    }
    if (mask && cards.empty()) edge(id, stream_);
  }

  void write_output() {
    node("output", {kEnds, "unembedding", "", "", view_.output, ""});
    edge(stream_, "output", "weight=40, penwidth=2.4");
    if (view_.cells.empty()) return;
    std::string label =
        "<<TABLE BORDER=\"1\" COLOR=\"#B0B0B0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
        "CELLPADDING=\"4\" BGCOLOR=\"white\"><TR>";
    for (const char* const head : {"cell", "type", "coordinates", "lifetime"})
      label += std::string("<TD ALIGN=\"LEFT\" BGCOLOR=\"#ECECEC\"><B>") + head + "</B></TD>";
    label += "</TR>";
    for (const CellRow& cell : view_.cells) {
      label += "<TR>";
      for (const std::string* text : {&cell.names, &cell.type, &cell.coordinates, &cell.lifetime})
        label += "<TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">" + label_lines(*text, 32) + "</TD>";
      label += "</TR>";
    }
    line("\"cells\" [label=" + label + "</TABLE>>];");
    edge("output", "cells", "style=invis");
  }

  const Model& model_;
  CircuitView view_;
  std::string out_, indent_ = "  ", stream_;
};

}  // namespace

std::string circuit_dot(const Model& model) {
  return CircuitWriter(model).write();
}

}  // namespace logdepth
