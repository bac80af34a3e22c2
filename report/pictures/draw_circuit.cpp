#include "report/pictures/draw_circuit.hpp"

#include <fmt/core.h>

#include <cstddef>

#include "compiler/program/program.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::inline report_pictures {
namespace {

class CircuitWriter {
 public:
  explicit CircuitWriter(const CircuitCards& circuit) : circuit_(circuit) {}

  std::string write() {
    const std::string font = "fontname=" + quote(kCircuitFont);
    out_ =
        "digraph circuit {\n"
        "  graph [rankdir=TB, newrank=true, nodesep=0.3, ranksep=0.32, labelloc=t, "
        "labeljust=l, bgcolor=white, fontsize=13, pad=0.3, " +
        font + "];\n  " + label_looks() + ";\n  edge [color=" + quote(kStreamInk) +
        ", arrowsize=0.6, fontsize=11, " + font + "];\n  label=" + heading_label(circuit_) + ";\n";
    write_input();
    for (const Block block : circuit_.blocks) write_block(block);
    write_output();
    return out_ + "}\n";
  }

 private:
  static std::string quote(const std::string& text) { return "\"" + text + "\""; }

  void line(const std::string& text) { out_ += indent_ + text + "\n"; }
  void node(const std::string& id, const std::string& label) {
    line(quote(id) + " [label=" + label + "];");
  }
  void edge(const std::string& from, const std::string& to, const std::string& style = "") {
    line(quote(from) + " -> " + quote(to) + (style.empty() ? "" : " [" + style + "]") + ";");
  }

  // --- the residual stream -----------------------------------------------------------------------

  void joint(const std::string& id, const std::string& text) {
    line(quote(id) + " [shape=circle, fixedsize=true, width=0.3, label=" + quote(text) +
         ", group=stream, color=" + quote(kStreamInk) + ", fontsize=15];");
    stream_ = id;
  }

  /// The stream as it is, and the next joint, which adds what the sublayer writes.
  void extend_stream(const std::string& id) {
    const std::string before = stream_;
    joint(id, "+");
    edge(before, id, "weight=40, penwidth=2.4, arrowhead=none");
  }

  void write_input() {
    node("embedding", card_label(circuit_.embedding));
    node("position", card_label(circuit_.position));
    joint("stream", "+");
    edge("embedding", "stream");
    edge("position", "stream");
  }

  void write_block(Block block) {
    const std::string name = block_name(block);
    line("subgraph " + quote("cluster_" + name) + " {");
    indent_ = "    ";
    line("style=\"rounded,filled\"; color=" +
         quote(block == Block::repeated ? "#6F6F6F" : "#C8C8C8") + "; fillcolor=\"#F6F6F4\"; " +
         "penwidth=" + (block == Block::repeated ? "1.8" : "1.0") +
         "; margin=14; label=" + block_label(block_text(circuit_, block)) + ";");
    const std::string entry = "enter " + name;
    const std::string before = stream_;
    line(quote(entry) + " [shape=point, width=0.09, group=stream, color=" + quote(kStreamInk) +
         "];");
    stream_ = entry;
    for (const SublayerCards& sublayer : circuit_.sublayers)
      if (sublayer.block == block) write_sublayer(sublayer);
    if (block == Block::repeated)
      edge(stream_, entry,
           "constraint=false, style=dashed, penwidth=1.4, color=" + quote(kQuietInk) +
               ", tooltip=\"next iteration\"");
    indent_ = "  ";
    line("}");
    // An edge inside the braces would draw the node before the block into it.
    edge(before, entry, "weight=40, penwidth=2.4, arrowhead=none");
  }

  void write_sublayer(const SublayerCards& sublayer) {
    const std::string before = stream_;
    if (sublayer.mask) {
      node(sublayer.id, card_label(*sublayer.mask));
      edge(before, sublayer.id);
    }
    extend_stream(sublayer.id + " sum");
    for (std::size_t i = 0; i < sublayer.parts.size(); ++i) {
      const std::string part = fmt::format("{} part {}", sublayer.id, i + 1);
      node(part, card_label(sublayer.parts[i]));
      edge(sublayer.mask ? sublayer.id : before, part);
      edge(part, stream_);
    }
    if (sublayer.parts.empty()) edge(sublayer.id, stream_);
  }

  void write_output() {
    node("output", card_label(circuit_.output));
    edge(stream_, "output", "weight=40, penwidth=2.4");
    const auto& cells = circuit_.view.cells;
    if (cells.empty()) return;
    node("cells", cells_label(cells, 0, cells.size()));
    edge("output", "cells", "style=invis");
  }

  const CircuitCards& circuit_;
  std::string out_, indent_ = "  ", stream_;
};

}  // namespace

std::string circuit_dot(const CircuitCards& circuit) {
  return CircuitWriter(circuit).write();
}

}  // namespace logdepth::inline report_pictures
