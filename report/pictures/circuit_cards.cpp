#include "report/pictures/circuit_cards.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/cell_names.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/program/program.hpp"
#include "report/figures/svg_elements.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

constexpr std::size_t kColumns = 40;  ///< width of a card, in characters
constexpr std::size_t kLines = 12;    ///< of one text in a card
constexpr std::size_t kTitleColumns = 90;
constexpr std::size_t kListedNames = 24;  ///< characters of names in a title

// --- labels --------------------------------------------------------------------------------------

/// Broken at "; " where possible, else at spaces, else anywhere; what exceeds `kLines` lines is
/// replaced by an ellipsis.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines = {""};
  std::size_t used = 0;
  const auto put = [&](const std::string& word) {
    const std::size_t length = count_characters(word);
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
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("; "), text.size());
    const std::string phrase(text.substr(0, end + 1));
    text.remove_prefix(std::min(end + 2, text.size()));
    if (count_characters(phrase) <= columns) {
      put(phrase);
      continue;
    }
    for (std::size_t at = 0; at < phrase.size();) {
      const std::size_t space = std::min(phrase.find(' ', at), phrase.size());
      std::string word = phrase.substr(at, space - at);
      at = space + 1;
      while (count_characters(word) > columns) {
        std::string head = cut_text(word, columns + 1);
        head.resize(head.size() - 3);  // the ellipsis
        put(head);
        word = word.substr(head.size());
      }
      if (!word.empty()) put(word);
    }
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

std::string row(const std::string& content) {
  return "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">" + content + "</TD></TR>";
}

// --- heads and units that differ only in cells ---------------------------------------------------

/// A head, or a group of units.
struct Member {
  std::string kind, name;          ///< "head" and "prev.1"
  std::string aside, emphasis;     ///< what members of one card have in common
  std::string aside_of_many;       ///< the first of them, of more than one member
  std::vector<std::string> lines;  ///< what it reads and writes
  std::vector<std::string> sizes = {};
};

Member member_of(const HeadView& head, bool named) {
  Member member{named ? "head" : "",        head.name,  head.scope,
                "selects " + head.contract, head.scope, {head.match}};
  member.lines.insert(member.lines.end(), head.writes.begin(), head.writes.end());
  member.sizes = {fmt::format("score dimension {}", head.dimension),
                  fmt::format("value dimension {}", head.values)};
  return member;
}

Member member_of(const UnitsView& units) {
  const std::string size = units.units == 0 ? "" : counted(units.units, "unit");
  return {units.kind, units.name, size, "", size.empty() ? "" : size + " each", units.lines};
}

/// The lines that all have, taken out of them.
std::vector<std::string> take_common(std::vector<Member>& members,
                                     std::vector<std::string> Member::*lines) {
  std::vector<std::string> common;
  for (const std::string& line : members.front().*lines)
    if (std::all_of(members.begin(), members.end(), [&](const Member& member) {
          return std::count((member.*lines).begin(), (member.*lines).end(), line) == 1;
        }))
      common.push_back(line);
  for (Member& member : members)
    for (const std::string& line : common) std::erase(member.*lines, line);
  return common;
}

Card card_of(const char* colour, const Member& member) {
  const std::string between = member.kind.empty() || member.name.empty() ? "" : " ";
  return {colour,       member.kind + between + member.name,
          member.aside, member.emphasis,
          member.lines, joined(member.sizes)};
}

/// "3 heads: prev.1…prev.3"; names only where they are short, since each has a line of its own.
std::string title_of_many(const std::vector<Member>& members) {
  const Member& first = members.front();
  if (first.name.empty()) return fmt::format("{} \xC3\x97 {}", members.size(), first.kind);
  std::vector<std::string> names, families;
  for (const Member& member : members) names.push_back(member.name);
  for (const CellFamily& family : group_families(names)) families.push_back(family.text);
  const std::string listed = joined(families);
  return counted(members.size(), first.kind.empty() ? "head" : first.kind) +
         (count_characters(listed) <= kListedNames ? ": " + listed : "");
}

Card card_of_many(const char* colour, std::vector<Member> members) {
  const Member& first = members.front();
  Card card{colour, title_of_many(members), first.aside_of_many, "", {}, ""};
  if (!first.emphasis.empty()) card.emphasis = "each " + first.emphasis;
  card.lines = take_common(members, &Member::lines);
  card.quiet = joined(take_common(members, &Member::sizes));
  for (const Member& member : members) {
    std::vector<std::string> own = member.lines;
    own.insert(own.end(), member.sizes.begin(), member.sizes.end());
    const std::string between = member.name.empty() || own.empty() ? "" : ": ";
    const std::string line = member.name + between + joined(own, "; ");
    if (!line.empty()) card.lines.push_back(line);
  }
  return card;
}

std::vector<Card> grouped(const char* colour, const std::vector<Member>& members) {
  std::vector<std::vector<Member>> groups;
  for (const Member& member : members) {
    const auto like = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      const Member& other = group.front();
      return std::tie(other.kind, other.aside, other.emphasis) ==
             std::tie(member.kind, member.aside, member.emphasis);
    });
    if (like == groups.end()) {
      groups.push_back({member});
    } else {
      like->push_back(member);
    }
  }
  std::vector<Card> cards;
  for (auto& group : groups)
    cards.push_back(group.size() == 1 ? card_of(colour, group.front())
                                      : card_of_many(colour, std::move(group)));
  return cards;
}

// --- sublayers -----------------------------------------------------------------------------------

Card mask_card(const char* colour, const std::string& title, const std::string& aside,
               const std::vector<std::string>& mask, const std::string& norm) {
  const std::string read = "reads " + (mask.empty() ? "nothing" : joined(mask));
  return {colour, title, aside, "", {read + (norm.empty() ? "" : "; " + norm)}, ""};
}

void add_layer(const LayerView& layer, bool named, std::vector<SublayerCards>& out) {
  const std::string id = fmt::format("layer {}", layer.layer + 1);
  const auto add_alone = [&](const std::string& text) {
    out.push_back({id, layer.block, layer.layer, {}, {{kQuietInk, id, "", "", {text}, ""}}});
  };
  if (layer.same_as) {
    add_alone(fmt::format("the same weights as layer {}", *layer.same_as + 1));
    return;
  }
  if (!layer.heads.empty()) {
    std::vector<Member> heads;
    for (const HeadView& head : layer.heads) heads.push_back(member_of(head, named));
    out.push_back({id + " attention", layer.block, layer.layer,
                   mask_card(kAttentionInk, id + ": attention", "", layer.attention_mask,
                             layer.attention_norm),
                   grouped(kAttentionInk, heads)});
  }
  if (layer.units > 0) {
    std::vector<Member> parts;
    for (const UnitsView& part : layer.parts) parts.push_back(member_of(part));
    Card mask = mask_card(kFeedForwardInk, id + ": feed-forward", counted(layer.units, "unit"),
                          layer.feedforward_mask, layer.feedforward_norm);
    if (named && layer.linear_units > 0 && layer.linear_units < layer.units)
      mask.quiet = fmt::format("{} of them move, erase, and clear what look-ups overwrite",
                               layer.linear_units);
    out.push_back({id + " feed-forward", layer.block, layer.layer, std::move(mask),
                   grouped(kFeedForwardInk, parts)});
  }
  if (layer.heads.empty() && layer.units == 0) add_alone("no heads, no units");
}

std::vector<std::string> heading_of(const Model& model) {
  const Measures m = measure(model, 0);
  const std::string n =
      model.unroll.kind == Unroll::Kind::ceil_log2_vertices ? "vertices" : "letters";
  std::string depth = "depth " + depth_formula(model);
  if (model.unroll.kind != Unroll::Kind::fixed) depth += ", n = number of " + n;
  depth += fmt::format(" \xC2\xB7 shape ({}, {}, {})", m.initial, m.repeated, m.final);
  if (model.unroll.max_length)
    depth += fmt::format(" \xC2\xB7 up to n = {}", *model.unroll.max_length);
  return {model.construction + " \xC2\xB7 " + model.source, depth,
          fmt::format("width {} \xC2\xB7 {} \xC2\xB7 {}{} per sublayer \xC2\xB7 {} \xC2\xB7 {}",
                      m.width, counted(m.cells, "cell"), counted(m.heads, "head"),
                      m.heads == 1 ? "" : " at most", counted(m.units, "unit"),
                      model.norm == Norm::rms ? "RMS norm" : "layer norm")};
}

}  // namespace

CircuitCards circuit_cards(const Model& model) {
  CircuitCards circuit;
  circuit.view = view_circuit(model);
  const CircuitView& view = circuit.view;
  circuit.name = title_of(model);
  circuit.heading = heading_of(model);
  circuit.embedding = {kEndsInk, "token embedding", "", "", view.embedding, ""};
  circuit.position = {kEndsInk, "position encoding", "", "", view.position, ""};
  circuit.output = {kEndsInk, "unembedding", "", "", view.output, ""};
  for (const LayerView& layer : view.layers) {
    add_layer(layer, view.named, circuit.sublayers);
    if (circuit.blocks.empty() || circuit.blocks.back() != layer.block)
      circuit.blocks.push_back(layer.block);
  }
  circuit.loops = loops_formula(model.unroll);
  return circuit;
}

std::string block_text(const CircuitCards& circuit, Block block) {
  const auto layers = std::count_if(circuit.view.layers.begin(), circuit.view.layers.end(),
                                    [&](const LayerView& layer) { return layer.block == block; });
  return std::string(block_name(block)) +
         " block: " + counted(static_cast<std::uint64_t>(layers), "layer") +
         (block == Block::repeated ? " \xC3\x97 " + circuit.loops : "");
}

std::string card_text(const Card& card) {
  std::vector<std::string> said = card.lines;
  if (!card.emphasis.empty()) said.insert(said.begin(), card.emphasis);
  if (!card.quiet.empty()) said.push_back(card.quiet);
  return card.title + (card.aside.empty() ? "" : " (" + card.aside + ")") + ": " +
         joined(said, "; ") + ".";
}

std::string label_looks() {
  return std::string("node [shape=plain, margin=0, fontsize=12, fontname=\"") + kCircuitFont +
         "\"]";
}

std::string card_label(const Card& card) {
  const std::string aside = card.aside.empty() ? ""
                                               : "<TD ALIGN=\"RIGHT\">  <FONT COLOR=\"#FFFFFF\">" +
                                                     label_text(card.aside) + "</FONT></TD>";
  std::string label =
      "<<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\" COLOR=\"" +
      card.colour + "\" BGCOLOR=\"#FFFFFF\"><TR><TD BGCOLOR=\"" + card.colour +
      "\" CELLPADDING=\"4\"><TABLE BORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR>"
      "<TD ALIGN=\"LEFT\"><FONT COLOR=\"#FFFFFF\"><B>" +
      label_text(cut_text(card.title, kColumns)) + "</B></FONT></TD>" + aside +
      "</TR></TABLE></TD></TR>";
  if (!card.emphasis.empty()) label += row("<B>" + label_lines(card.emphasis) + "</B>");
  for (const std::string& line : card.lines) label += row(label_lines(line));
  if (!card.quiet.empty())
    label += row("<FONT COLOR=\"" + std::string(kQuietInk) + "\">" + label_lines(card.quiet) +
                 "</FONT>");
  return label + "</TABLE>>";
}

std::string heading_label(const CircuitCards& circuit) {
  std::string label =
      "<<TABLE BORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">" +
      row("<FONT POINT-SIZE=\"20\"><B>" + label_lines(circuit.name, 60) + "</B></FONT>");
  for (const std::string& line : circuit.heading) label += row(label_lines(line, kTitleColumns));
  return label + "</TABLE>>";
}

std::string block_label(const std::string& text) {
  return "<<TABLE BORDER=\"0\" CELLPADDING=\"5\"><TR><TD><FONT POINT-SIZE=\"14\"><B>" +
         label_text(text) + "</B></FONT></TD></TR></TABLE>>";
}

std::string cells_label(const std::vector<CellRow>& cells, std::size_t first, std::size_t count) {
  std::string label =
      "<<TABLE BORDER=\"1\" COLOR=\"#B0B0B0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
      "CELLPADDING=\"2\" BGCOLOR=\"#FFFFFF\"><TR>";
  for (const char* const head : {"cell", "type", "coordinates", "lifetime"})
    label += std::string("<TD ALIGN=\"LEFT\" BALIGN=\"LEFT\" BGCOLOR=\"#ECECEC\"><B>") +
             label_lines(head) + "</B></TD>";
  label += "</TR>";
  for (std::size_t i = first; i < std::min(cells.size(), first + count); ++i) {
    const CellRow& cell = cells[i];
    label += "<TR>";
    for (const std::string* text : {&cell.names, &cell.type, &cell.coordinates, &cell.lifetime})
      label += "<TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">" + label_lines(*text, 32) + "</TD>";
    label += "</TR>";
  }
  return label + "</TABLE>>";
}

}}  // namespace logdepth::report_pictures
