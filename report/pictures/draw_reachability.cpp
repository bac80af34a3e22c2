#include "report/pictures/draw_reachability.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/middle_fan.hpp"
#include "report/figures/pair_matrix.hpp"
#include "report/figures/vertex_circle.hpp"
#include "report/figures/walk_arcs.hpp"
#include "report/pictures/reachability_text.hpp"

namespace logdepth::inline report_pictures {
namespace {

/// Between more vertices, arrows that are no edges are drawn from the source only.
constexpr std::size_t kAllArrows = 14;
constexpr double kMargin = 24, kPanelGap = 34, kStripHead = 58;
constexpr double kLegendWidth = 800, kBadgeWidth = 190;
constexpr double kCharacter = 0.57;  ///< width of most texts, in letters' sizes
constexpr double kBold = 1.15;       ///< times it
constexpr const char *kKnownFill = "#D3E5F2", *kKnownInk = "#0B4A75";
constexpr const char *kNewFill = "#FBD0AE", *kNewInk = "#8A3B00";
constexpr const char *kKnownLine = kHues[0], *kNewLine = kHues[1], *kEdgeLine = "#4A4A4A";

std::string vertex_key(Vertex vertex) {
  return fmt::format("v{}", vertex);
}
std::string arrow_key(Vertex from, Vertex to) {
  return fmt::format("a{}-{}", from, to);
}
std::string walk_key(Vertex from, Vertex to) {
  return fmt::format("w{}-{}", from, to);
}
std::string cell_key(Vertex from, Vertex to) {
  return fmt::format("m{}-{}", from, to);
}

/// Vertices in the order of the picture: the source, then those that are reached from it by longer
/// and longer walks, then the others.
std::vector<Vertex> drawn_vertices(const ReachabilityRun& run) {
  std::vector<Vertex> order;
  for (Vertex v = 0; v < run.names.size(); ++v) order.push_back(v);
  std::set<Vertex> kept;
  if (run.question) {
    const auto [source, target] = *run.question;
    const auto rank = [&, from = source](Vertex v) {
      const FoundPair& pair = run.found[from][v];
      return v == from ? 0 : pair.step ? 1 + pair.length : SIZE_MAX;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](Vertex a, Vertex b) { return rank(a) < rank(b); });
    kept = {source, target};
    if (run.found[source][target].step)
      for (const Vertex v : run.walk(source, target))
        if (kept.size() < kMaxDrawnVertices) kept.insert(v);
  }
  for (const Vertex v : order)
    if (kept.size() < kMaxDrawnVertices) kept.insert(v);
  std::erase_if(order, [&](Vertex v) { return !kept.contains(v); });
  return order;
}

class ReachabilityPicture {
 public:
  explicit ReachabilityPicture(const ReachabilityRun& run)
      : run_(run), text_(run), drawn_(drawn_vertices(run)) {}

  StripPicture make() {
    picture_.title = text_.title();
    picture_.width = width();
    head();
    for (std::size_t step = 0; step < run_.steps.size(); ++step) add_step(step);
    if (run_.question && run_.finished) answer();
    return std::move(picture_);
  }

 private:
  bool asked() const { return run_.question.has_value(); }
  bool has_walk() const {
    return asked() && run_.question->first != run_.question->second &&
           run_.found[run_.question->first][run_.question->second].length > 0;
  }
  bool all_arrows() const { return drawn_.size() <= kAllArrows; }

  double width() const {
    double width = circle_size(circle(0)).first + kPanelGap + pair_matrix_size(matrix(0)).first;
    double third = text_width(text_.how_to_read(), 12);
    if (asked()) third = std::max(third, middle_fan_size(fan(run_.steps.back())).first);
    width += kPanelGap + third;
    if (has_walk()) width = std::max(width, walk_arcs_size(walk_arcs()).first);
    width =
        std::max({width, kLegendWidth, text_width({text_.title()}, 18) + kBadgeWidth,
                  text_width(text_.introduction(drawn_.size(), all_arrows()), 12),
                  text_width(text_.alarms(), 13) * kBold,
                  text_width(run_.finished ? text_.last_token() : std::vector<std::string>(), 12)});
    for (std::size_t step = 0; step < run_.steps.size(); ++step)
      width = std::max({width, text_width({text_.news(step)}, 12),
                        kBadgeWidth + text_width({text_.walks(step)}, 13)});
    return width + 2 * kMargin;
  }
  static double text_width(const std::vector<std::string>& lines, double size) {
    std::size_t characters = 0;
    for (const std::string& one : lines) characters = std::max(characters, count_characters(one));
    return static_cast<double>(characters) * size * kCharacter;
  }

  Strip& begin_strip(const std::string& name) {
    Strip& strip = picture_.strips.emplace_back();
    strip.name = name;
    strip.top = y_;
    return strip;
  }
  static std::string quiet() { return svg_attribute("fill", kQuietInk); }
  static std::string line(double x, double y, std::string_view content, double size,
                          const std::string& style = "") {
    return svg_text(x, y, content, svg_attribute("font-size", size) + " " + style);
  }

  // --- above the steps ---------------------------------------------------------------------------

  void head() {
    Strip& strip = begin_strip("what is drawn");
    double y = 36;
    strip.elements += line(kMargin, y, text_.title(), 18, "font-weight=\"bold\"");
    if (run_.connected) {
      const std::string answer = text_.answer();
      const double wide = static_cast<double>(answer.size()) * 9 + 20;
      const double x = picture_.width - kMargin - wide;
      const bool wrong = run_.review.verdict && run_.review.verdict != run_.connected;
      strip.elements +=
          svg_rect({x, y - 19}, wide, 27,
                   "rx=\"6\" " + svg_attribute("fill", wrong             ? kWrongInk
                                                       : *run_.connected ? "#00664F"
                                                                         : "#A34700"));
      strip.elements += line(x + wide / 2, y, answer, 15,
                             "text-anchor=\"middle\" font-weight=\"bold\" fill=\"#FFFFFF\"");
    }
    for (const std::string& sentence : text_.alarms())
      strip.elements +=
          line(kMargin, y += 20, std::string(kWrongSign) + " " + sentence, 13,
               "class=\"wrong\" font-weight=\"bold\" " + svg_attribute("fill", kWrongInk));
    for (const std::string& sentence : text_.introduction(drawn_.size(), all_arrows()))
      strip.elements += line(kMargin, y += 20, sentence, 12);
    strip.elements += legend(y + 28);
    y_ = strip.bottom = y + 44;
  }

  std::string legend(double y) const {
    std::string elements;
    double x = kMargin;
    const auto say = [&](double room, const std::string& meaning) {
      elements += line(x + room, y, meaning, 11);
      x += room + static_cast<double>(count_characters(meaning)) * 6.6 + 26;
    };
    const auto sample = [&](const char* colour, double thick) {
      elements +=
          svg_line({x, y - 4}, {x + 26, y - 4},
                   svg_attribute("stroke", colour) + " " + svg_attribute("stroke-width", thick));
    };
    sample(kEdgeLine, 1.4);
    say(32, "edge of the graph");
    for (const auto& [colour, fill, ink, meaning] :
         {std::tuple(kNewLine, kNewFill, kNewInk, "found in this step"),
          std::tuple(kKnownLine, kKnownFill, kKnownInk, "known before")}) {
      sample(colour, 2.4);
      elements += svg_rect({x + 34, y - 13}, 16, 16,
                           svg_attribute("fill", fill) + " " + svg_attribute("stroke", ink));
      say(56, meaning);
    }
    if (run_.review.reaches) {
      elements +=
          svg_rect({x, y - 13}, 16, 16,
                   svg_attribute("fill", kWrongFill) + " " + svg_attribute("stroke", kWrongInk));
      elements += line(x + 4, y, kWrongSign, 11, svg_attribute("fill", kWrongInk));
      say(22, "known without a walk, or not known after the last iteration");
    }
    elements += line(x, y, "numbers: iteration that found the pair, 0 if given", 11, quiet());
    return elements;
  }

  // --- a step ------------------------------------------------------------------------------------

  bool is_new(std::size_t step, Vertex from, Vertex to) const {
    return run_.found[from][to].step == step;
  }
  bool is_known(std::size_t step, Vertex from, Vertex to) const {
    return run_.steps[step].reaches[from][to] != 0;
  }
  std::string number(Vertex from, Vertex to) const {
    return std::to_string(run_.found[from][to].step.value_or(0));
  }

  VertexCircle circle(std::size_t step) const {
    VertexCircle circle;
    for (const Vertex v : drawn_) {
      CircleVertex& vertex = circle.vertices.emplace_back();
      vertex.name = run_.names[v];
      vertex.key = vertex_key(v);
      vertex.ink = "#6A6A6A";
      if (!asked()) continue;
      const auto [source, target] = *run_.question;
      vertex.ringed = v == target;
      if (v == source) {
        vertex.fill = kInk;
        vertex.ink = "#FFFFFF";
        vertex.mark = "s";
      } else if (is_known(step, source, v)) {
        const bool fresh = is_new(step, source, v);
        vertex.fill = fresh ? kNewFill : kKnownFill;
        vertex.ink = fresh ? kNewInk : kKnownInk;
        vertex.mark = number(source, v);
      }
    }
    add_arrows(step, circle.arrows);
    return circle;
  }

  /// From faint to strong: pairs of other vertices, edges, pairs of the source.
  void add_arrows(std::size_t step, std::vector<CircleArrow>& arrows) const {
    std::vector<CircleArrow> faint, edges, strong;
    for (std::size_t i = 0; i < drawn_.size(); ++i)
      for (std::size_t j = 0; j < drawn_.size(); ++j) {
        const Vertex from = drawn_[i], to = drawn_[j];
        if (!is_known(step, from, to)) continue;
        const bool edge = run_.found[from][to].step == 0, fresh = is_new(step, from, to);
        const bool of_source = asked() && from == run_.question->first;
        const bool itself = edge && run_.found[from][to].length == 0;  // of rows: no edge
        if (itself) continue;
        CircleArrow arrow{i, j, fresh ? kNewLine : kKnownLine, 1, 1, arrow_key(from, to)};
        if (run_.is_wrong(step, from, to)) {
          arrow.colour = kWrongInk;
          arrow.width = 2.4;
          strong.push_back(arrow);
        } else if (edge) {
          arrow.colour = kEdgeLine;
          arrow.width = 1.4;
          edges.push_back(arrow);
        } else if (of_source) {
          arrow.width = fresh ? 2.4 : 1.8;
          strong.push_back(arrow);
        } else if (all_arrows()) {
          arrow.opacity = fresh ? 0.5 : 0.22;
          faint.push_back(arrow);
        }
      }
    for (const auto* some : {&faint, &edges, &strong})
      arrows.insert(arrows.end(), some->begin(), some->end());
  }

  PairMatrix matrix(std::size_t step) const {
    PairMatrix matrix;
    matrix.row_title = "from";
    matrix.column_title = "to";
    for (const Vertex from : drawn_) {
      matrix.names.push_back(run_.names[from]);
      auto& row = matrix.cells.emplace_back();
      for (const Vertex to : drawn_) {
        PairCell& cell = row.emplace_back();
        cell.key = cell_key(from, to);
        cell.framed = asked() && std::pair(from, to) == *run_.question;
        if (run_.is_wrong(step, from, to)) {
          cell.mark = kWrongSign;
          cell.fill = kWrongFill;
          cell.ink = kWrongInk;
          continue;
        }
        if (!is_known(step, from, to)) continue;
        const bool fresh = is_new(step, from, to);
        cell.mark = number(from, to);
        cell.fill = fresh ? kNewFill : kKnownFill;
        cell.ink = fresh ? kNewInk : kKnownInk;
      }
    }
    return matrix;
  }

  MiddleFan fan(const ReachabilityStep& step) const {
    const auto [source, target] = *run_.question;
    MiddleFan fan{run_.names[source],
                  run_.names[target],
                  run_.cells.factor() == 2
                      ? "one token for each vertex that may lie between"
                      : "one token for each first vertex between, with the second that fits",
                  {}};
    for (const Vertex v : drawn_)
      for (const MiddleVertex& middle : step.middles)
        if (middle.via.front() == v)
          fan.middles.push_back({text_.way(middle.via, target, SIZE_MAX), middle.knows_first,
                                 middle.knows_second, middle.joined.holds, fmt::format("k{}", v)});
    return fan;
  }

  void add_step(std::size_t at) {
    const ReachabilityStep& step = run_.steps[at];
    Strip& strip = begin_strip(text_.step_name(at));
    strip.step = at;
    const VertexCircle graph = circle(at);
    const PairMatrix pairs = matrix(at);
    const PlotPoint left = circle_size(graph), middle = pair_matrix_size(pairs);
    double height = std::max(left.second, middle.second);
    MiddleFan between;
    if (!step.middles.empty()) {
      between = fan(step);
      height = std::max(height, middle_fan_size(between).second);
    }
    const double top = y_ + kStripHead;
    y_ = strip.bottom = top + height + 18;
    strip.elements +=
        svg_rect({kMargin - 12, strip.top + 4}, picture_.width - 2 * kMargin + 24,
                 strip.bottom - strip.top - 8,
                 std::string("rx=\"7\" fill=\"") + (at % 2 == 0 ? "#F4F4F1" : "#FAFAF8") + "\"");
    strip.elements += line(kMargin, strip.top + 28, strip.name, 15, "font-weight=\"bold\"");
    const double after = kMargin + 20 + static_cast<double>(strip.name.size()) * 10;
    strip.elements += line(after, strip.top + 28, text_.walks(at), 13);
    strip.elements += line(kMargin, strip.top + 48, text_.news(at), 12, quiet());
    double x = kMargin;
    strip.elements += circle_elements(graph, {x, top + (height - left.second) / 2});
    x += left.first + kPanelGap;
    strip.elements += pair_matrix_elements(pairs, {x, top + (height - middle.second) / 2});
    x += middle.first + kPanelGap;
    if (at == 0) strip.elements += how_to_read(x, top + 40);
    if (!step.middles.empty())
      strip.elements +=
          middle_fan_elements(between, {x, top + (height - middle_fan_size(between).second) / 2});
    add_notes(at, strip);
    strip.tables.push_back(text_.reach_table(at));
    if (!step.middles.empty()) strip.tables.push_back(text_.question_table(at));
  }

  std::string how_to_read(double x, double y) const {
    std::string elements;
    for (const std::string& sentence : text_.how_to_read()) {
      elements += line(x, y, sentence, 12, quiet());
      y += sentence.empty() ? 9 : 18;
    }
    return elements;
  }

  void add_notes(std::size_t at, Strip& strip) const {
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      const Vertex from = drawn_[i];
      StripNote note{vertex_key(from), text_.vertex_note(at, from), {}, "graph", 0, i};
      for (std::size_t j = 0; j < drawn_.size(); ++j) {
        const Vertex to = drawn_[j];
        if (is_known(at, from, to))
          note.marks.insert(note.marks.end(),
                            {arrow_key(from, to), cell_key(from, to), vertex_key(to)});
        StripNote pair{cell_key(from, to),
                       text_.pair_note(at, from, to),
                       {arrow_key(from, to), vertex_key(from), vertex_key(to)},
                       "pairs",
                       i,
                       j};
        if (const Between& via = run_.found[from][to].via; !via.empty() && is_known(at, from, to))
          mark_parts(from, via, to, pair.marks);
        strip.notes.push_back(std::move(pair));
      }
      strip.notes.push_back(std::move(note));
    }
    if (!asked()) return;
    const auto [source, target] = *run_.question;
    std::size_t row = 0;
    for (const Vertex v : drawn_)
      for (const MiddleVertex& middle : run_.steps[at].middles)
        if (middle.via.front() == v) {
          StripNote note{
              fmt::format("k{}", v), text_.middle_note(middle), {}, "question", row++, 0};
          mark_parts(source, middle.via, target, note.marks);
          strip.notes.push_back(std::move(note));
        }
  }
  /// The walks that are joined, and the vertices between them.
  static void mark_parts(Vertex from, const Between& via, Vertex to,
                         std::vector<std::string>& marks) {
    const auto parts = parts_of(from, via, to);
    for (const auto& [begin, end] : parts) marks.push_back(cell_key(begin, end));
    for (const auto& [begin, end] : parts) marks.push_back(arrow_key(begin, end));
    for (const Vertex v : via) marks.push_back(vertex_key(v));
  }

  // --- the answer --------------------------------------------------------------------------------

  WalkArcs walk_arcs() const {
    const auto [source, target] = *run_.question;
    WalkArcs arcs;
    const auto vertices = run_.walk(source, target);
    for (const Vertex v : vertices) arcs.names.push_back(run_.names[v]);
    add_arcs(source, target, 0, vertices.size() - 1, arcs.arcs);
    return arcs;
  }
  void add_arcs(Vertex from, Vertex to, std::size_t begin, std::size_t end,
                std::vector<WalkArc>& arcs) const {
    const FoundPair& pair = run_.found[from][to];
    if (begin == end) return;
    if (pair.via.empty()) {
      arcs.push_back({begin, end, 0, {}, kEdgeLine, walk_key(from, to)});
      return;
    }
    std::size_t reached = begin;
    for (const auto& [a, b] : parts_of(from, pair.via, to)) {
      const std::size_t before = std::exchange(reached, reached + run_.found[a][b].length);
      add_arcs(a, b, before, reached, arcs);
    }
    arcs.push_back({begin, end, *pair.step, fmt::format("iteration {}", *pair.step),
                    kHues[(*pair.step + 1) % kHues.size()], walk_key(from, to)});
  }

  /// Of every stretch of the walk, the longest first.
  void add_walk_notes(Vertex from, Vertex to, Strip& strip) const {
    const std::size_t row = strip.notes.size();
    strip.notes.push_back(
        {walk_key(from, to), text_.pair_note(run_.steps.size() - 1, from, to), {}, "walk", 0, row});
    const Between& via = run_.found[from][to].via;
    if (via.empty()) return;
    for (const auto& [a, b] : parts_of(from, via, to)) {
      strip.notes[row].marks.push_back(walk_key(a, b));
      add_walk_notes(a, b, strip);
    }
  }

  void answer() {
    Strip& strip = begin_strip("the answer");
    strip.step = run_.steps.size();
    double y = y_ + 28;
    strip.elements += line(kMargin, y, strip.name, 15, "font-weight=\"bold\"");
    strip.elements += line(kMargin + 130, y, text_.walk_sentence(), 13);
    y += 18;
    if (has_walk()) {
      const WalkArcs arcs = walk_arcs();
      add_walk_notes(run_.question->first, run_.question->second, strip);
      strip.elements += walk_arcs_elements(arcs, {kMargin, y});
      y += walk_arcs_size(arcs).second;
    }
    for (const std::string& sentence : text_.last_token())
      strip.elements += line(kMargin, y += 18, sentence, 12, quiet());
    y_ = strip.bottom = y + kMargin;
    strip.tables.push_back(text_.token_table());
  }

  const ReachabilityRun& run_;
  ReachabilityText text_;
  std::vector<Vertex> drawn_;
  StripPicture picture_;
  double y_ = 0;
};

}  // namespace

StripPicture draw_reachability(const ReachabilityRun& run) {
  return ReachabilityPicture(run).make();
}

}  // namespace logdepth::inline report_pictures
