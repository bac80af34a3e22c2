#include "report/pictures/draw_reachability.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "report/figures/svg_elements.hpp"
#include "report/figures/vertex_circle.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

constexpr const char* kTo = " \xE2\x86\x92 ";
constexpr const char* kDash = "\xE2\x80\x93";
constexpr std::size_t kNameLimit = 24;  ///< characters of a name in a sentence
constexpr std::size_t kListLimit = 8;   ///< items of a list in a sentence
constexpr std::size_t kTokensListed = 4;

const char* named(bool connected) {
  return connected ? "connected" : "not connected";
}

/// A run on a graph in sentences and tables, for a picture of it.
class ReachabilityText {
 public:
  explicit ReachabilityText(const ReachabilityRun& run) : run_(run) {}

  std::string title() const {
    if (!run_.question) return "Who reaches whom?";
    const auto [source, target] = *run_.question;
    return "Can " + name(target) + " be reached from " + name(source) + "?";
  }

  /// "connected", "not connected", or why there is no answer.
  std::string answer() const { return run_.connected ? named(*run_.connected) : run_.refusal; }

  /// What is drawn, and what is left out when so many vertices are, and not all arrows.
  std::vector<std::string> introduction(std::size_t drawn, bool all_arrows) const {
    std::vector<std::string> sentences;
    sentences.push_back(cut_text(run_.name, kNameLimit) + ", " +
                        cut_text(run_.construction, kNameLimit) + " \xC2\xB7 " +
                        counted(run_.names.size(), "vertex", "vertices") + ", " +
                        counted(run_.edges, "edge") + " \xC2\xB7 " + counted(run_.tokens, "token") +
                        " \xC2\xB7 " + counted(run_.layers, "layer run", "layers run") + ", in " +
                        counted(run_.steps.size() - 1, "iteration"));
    const bool wide = run_.cells.factor() > 2;
    if (wide)
      sentences.emplace_back(
          "Tokens represent pairs of vertices and tuples (from, first between, second between, "
          "to). In each iteration, a tuple that knows the three walks between neighbours, or two "
          "where the second is the end, has found its pair.");
    else if (run_.cells.has_tuples())
      sentences.emplace_back(
          "Tokens represent pairs of vertices and triples (from, between, to). In each iteration, "
          "a triple that knows walks from \xE2\x86\x92 between and between \xE2\x86\x92 to has "
          "found its pair.");
    else
      sentences.emplace_back(
          "Each token is a vertex and stores which vertices it reaches. In each iteration, it "
          "reads what these vertices reach.");
    sentences.push_back(fmt::format(
        "An iteration thus joins {} walks to one of up to {} as many steps. All of this "
        "was read from the exact run of the network.",
        wide ? "three" : "two", wide ? "three times" : "twice"));
    if (drawn < run_.names.size())
      sentences.push_back(fmt::format(
          "{} of {} vertices are drawn: {}. Counts cover all vertices.", drawn, run_.names.size(),
          run_.question ? "the walk that was found, then the first to be reached" : "the first"));
    if (!all_arrows)
      sentences.push_back(std::string("Of the arrows only edges") +
                          (run_.question ? " and those from the source" : "") +
                          " are drawn; the matrix has the others.");
    if (run_.size > run_.names.size())
      sentences.push_back(fmt::format(
          "The network requires {} vertices; {} isolated vertices, which pad the graph, "
          "are not drawn.",
          run_.size, run_.size - run_.names.size()));
    return sentences;
  }

  /// What is wrong.
  std::vector<std::string> alarms() const {
    std::vector<std::string> sentences;
    const auto right = run_.review.verdict;
    if (!run_.finished && !right) sentences.push_back(run_.refusal);
    if (right && run_.question && right != run_.connected)
      sentences.push_back(fmt::format("expected {}, found {}", named(*right), answer()));
    const std::size_t last = run_.steps.size() - 1;
    std::size_t missing = 0, made_up = 0;
    for (Vertex from = 0; from < run_.names.size(); ++from)
      for (Vertex to = 0; to < run_.names.size(); ++to)
        if (run_.is_wrong(last, from, to))
          ++(run_.steps[last].reaches[from][to] ? made_up : missing);
    if (missing > 0)
      sentences.push_back(counted(missing, "pair is", "pairs are") + " connected and not found");
    if (made_up > 0)
      sentences.push_back(counted(made_up, "pair is", "pairs are") + " found and not connected");
    if (run_.broken_promise) sentences.push_back("contract violated: " + *run_.broken_promise);
    if (run_.review.difference)
      sentences.push_back("first difference from the program: " +
                          describe(*run_.review.difference));
    return sentences;
  }

  /// Short lines beside the first step.
  std::vector<std::string> how_to_read() const {
    if (!run_.question)
      return {"An arrow: the network knows a walk", "from its tail to its tip.", "",
              "The matrix: the same pairs, and the", "iteration that found each."};
    const auto [source, target] = *run_.question;
    const std::string from = cut_text(run_.names[source], 14),
                      to = cut_text(run_.names[target], 14);
    return {"An arrow: the network knows a walk from its tail to",
            "its tip. Strong arrows begin at " + from + ".",
            "",
            "The matrix: the same pairs, and the iteration that",
            "found each. The framed one is the question.",
            "",
            "Each iteration: candidate intermediate vertices.",
            "A line on the left: " + from + " reaches it,",
            "on the right: it reaches " + to +
                (run_.cells.factor() > 2 ? ", itself or by one more." : ", before the iteration."),
            "Orange: both, so the iteration has found the pair."};
  }

  std::string step_name(std::size_t step) const {
    return step == 0 ? "before the iterations" : fmt::format("iteration {}", step);
  }

  /// How long the walks are that are known.
  std::string walks(std::size_t step) const {
    if (step == 0)
      return run_.cells.has_tuples()
                 ? "the edges, as the input gives them"
                 : "the edges, as the input gives them, and every vertex itself";
    std::vector<std::string> layers;
    for (const std::size_t layer : run_.steps[step].layers) layers.push_back(std::to_string(layer));
    std::size_t longest = 1;
    for (std::size_t loop = 0; loop < step; ++loop) longest *= run_.cells.factor();
    return fmt::format("walks of at most {} steps are known ({} {} of {})", longest,
                       layers.size() == 1 ? "layer" : "layers", joined(layers, " and "),
                       run_.layers);
  }

  /// What the step has found.
  std::string news(std::size_t step) const {
    std::string text = step == 0 ? counted(pairs(0, false), "pair")
                                 : counted(pairs(step, true), "new pair") +
                                       fmt::format(", {} in all", pairs(step, false));
    if (!run_.question) return text;
    const Vertex source = run_.question->first;
    const auto found = reached(step, source, true);
    if (found.empty()) return text + "; none of them from " + name(source);
    return text + "; " + name(source) + (step == 0 ? " reaches " : " now reaches ") +
           names(found, kListLimit);
  }

  // What is said of a vertex, a pair, and a vertex between source and target.
  std::string vertex_note(std::size_t step, Vertex vertex) const {
    const auto all = reached(step, vertex, false), found = reached(step, vertex, true);
    std::string text =
        name(vertex) + ", " + step_name(step) + ": reaches " + names(all, run_.names.size()) + ".";
    if (step > 0) text += " New: " + names(found, run_.names.size()) + ".";
    return text;
  }

  std::string pair_note(std::size_t step, Vertex from, Vertex to) const {
    const FoundPair& found = run_.found[from][to];
    std::string text = pair(from, to) + ", " + step_name(step) + ": ";
    if (!run_.steps[step].reaches[from][to]) {
      text += "not known.";
    } else if (found.step == 0) {
      text += found.length == 0 ? "the vertex itself." : "an edge.";
    } else {
      text +=
          fmt::format("found in iteration {}, by way of {}.", *found.step, ways(found.joins, to));
    }
    if (run_.is_wrong(step, from, to))
      text += run_.steps[step].reaches[from][to] ? " Wrong: there is no walk."
                                                 : " Wrong: there is a walk.";
    const bool rows = !run_.cells.has_tuples();
    text += fmt::format(" Token {}: {} = {}.", rows ? from : run_.pair_token(from, to),
                        rows ? run_.cells.row[to].name : run_.cells.pair.name,
                        run_.steps[step].values[from][to]);
    if (rows || !run_.steps[step].reaches[from][to] || found.step == 0) return text;
    std::vector<std::string> tokens;
    for (const Between& via : found.joins)
      tokens.push_back(std::to_string(run_.tuple_token(from, via, to)));
    return text + " " + run_.cells.tuple.name + " holds at " +
           (tokens.size() == 1 ? "token " : "tokens ") + joined(tokens) + ".";
  }

  std::string middle_note(const MiddleVertex& middle) const {
    const auto [source, target] = *run_.question;
    const auto flags = [&](const std::vector<FetchedFlag>& all) {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < all.size(); ++i)
        texts.push_back(fetched(all[i], i > 0 && i + 1 == all.size()));
      return joined(texts, "; ");
    };
    std::string text =
        fmt::format("By way of {}, token {}.", way(middle.via, target, kNameLimit), middle.token);
    const auto parts = parts_of(source, middle.via, target);
    for (std::size_t i = 0; i < parts.size(); ++i)
      text += fmt::format(" {}: {}.", pair(parts[i].first, parts[i].second),
                          flags(middle.stretches[i]));
    return text + " After the iteration: " + fetched(middle.joined, false) + ".";
  }

  /// The vertices by way of which walks are joined, "b", or "b -> c" where there are two; `limit`:
  /// characters of a name.
  std::string way(Between via, Vertex to, std::size_t limit) const {
    if (via.size() > 1 && via.back() == to) via.pop_back();
    std::vector<std::string> passed;
    for (const Vertex v : via) passed.push_back(cut_text(run_.names[v], limit));
    return joined(passed, kTo);
  }

  StripTable reach_table(std::size_t step) const {
    StripTable table{"Who reaches whom, " + step_name(step), {"from", "reaches"}};
    if (step > 0) table.headings.emplace_back("new in this iteration");
    for (Vertex v = 0; v < run_.names.size(); ++v) {
      auto& row = table.rows.emplace_back();
      row = {run_.names[v], names(reached(step, v, false), run_.names.size())};
      if (step > 0) row.push_back(names(reached(step, v, true), run_.names.size()));
    }
    return table;
  }

  StripTable question_table(std::size_t step) const {
    const auto [source, target] = *run_.question;
    StripTable table{
        pair(source, target) + ", the question, in " + step_name(step),
        {"by way of", "token", "from " + name(source), "to " + name(target), "joined"}};
    const auto known = [](bool is) { return is ? "known" : "not known"; };
    for (const MiddleVertex& middle : run_.steps[step].middles)
      table.rows.push_back({way(middle.via, target, SIZE_MAX), std::to_string(middle.token),
                            known(middle.knows_first), known(middle.knows_second),
                            middle.joined.holds ? "yes" : "no"});
    return table;
  }

  /// Which tokens stand for what.
  StripTable token_table() const {
    if (!run_.cells.has_tuples()) {
      StripTable table{"The tokens", {"token", "vertex"}};
      for (Vertex v = 0; v < run_.names.size(); ++v)
        table.rows.push_back({std::to_string(v), run_.names[v]});
      return table;
    }
    StripTable table{"The tokens and what they represent",
                     {"from", "tokens of its pairs",
                      run_.cells.factor() > 2 ? "tokens of its tuples" : "tokens of its triples"}};
    const std::size_t n = run_.size;
    const auto last = static_cast<Vertex>(n - 1);
    const auto range = [](std::size_t first, std::size_t end) {
      return fmt::format("{}{}{}", first, kDash, end);
    };
    const std::size_t between = run_.cells.stretches.size() - 1;
    for (Vertex v = 0; v < run_.names.size(); ++v)
      table.rows.push_back({run_.names[v], range(run_.pair_token(v, 0), run_.pair_token(v, last)),
                            range(run_.tuple_token(v, Between(between, 0), 0),
                                  run_.tuple_token(v, Between(between, last), last))});
    const auto [source, target] = *run_.question;
    const std::size_t sources = run_.tokens - source - target - 2;
    table.rows.push_back({"the source, in unary", range(sources, sources + source), ""});
    table.rows.push_back(
        {"the target, in unary", range(sources + source + 1, run_.tokens - 1), ""});
    return table;
  }

  std::string walk_sentence() const {
    const auto [source, target] = *run_.question;
    const FoundPair& found = run_.found[source][target];
    if (source == target) return "source and target are the same vertex";
    if (!found.step) return "no walk from source to target was found";
    if (found.step == 0) return "an edge leads from source to target";
    if (found.via.empty())
      return fmt::format("the pair was found, but not from {} walks that were known",
                         run_.cells.factor() > 2 ? "three" : "two");
    return fmt::format("the walk of {} that the iterations have joined",
                       counted(found.length, "step"));
  }

  /// What the answer was read from.
  std::vector<std::string> last_token() const {
    if (!run_.question) return {};
    std::vector<std::string> sentences;
    const bool rows = !run_.cells.has_tuples();
    for (std::size_t i = 0; i < run_.answers.size(); ++i)
      sentences.push_back(
          (i == 0 ? fmt::format("Token {}, the last: ", run_.answer_token) : std::string()) +
          fetched(run_.answers[i], run_.answers[i].cell == "zC"));
    std::vector<std::string> logits;
    for (const auto& [name, value] : run_.logits) logits.push_back(name + " " + value);
    sentences.push_back((rows ? fmt::format("Token {}, the source: logit of ", run_.answer_token)
                              : std::string("Logits: ")) +
                        joined(logits) + ", so " + answer());
    return sentences;
  }

 private:
  std::string name(Vertex vertex) const { return cut_text(run_.names[vertex], kNameLimit); }
  std::string names(const std::vector<Vertex>& vertices, std::size_t limit) const {
    std::vector<std::string> items;
    for (const Vertex v : vertices)
      if (items.size() < limit) items.push_back(name(v));
    std::string text = joined(items);
    if (vertices.size() > limit) text += fmt::format(" and {} more", vertices.size() - limit);
    return text.empty() ? "none" : text;
  }

  std::string pair(Vertex from, Vertex to) const { return name(from) + kTo + name(to); }

  std::vector<Vertex> reached(std::size_t step, Vertex from, bool only_new) const {
    std::vector<Vertex> vertices;
    for (Vertex to = 0; to < run_.names.size(); ++to)
      if (run_.steps[step].reaches[from][to] && (!only_new || run_.found[from][to].step == step))
        vertices.push_back(to);
    return vertices;
  }

  std::size_t pairs(std::size_t step, bool only_new) const {
    std::size_t count = 0;
    for (Vertex from = 0; from < run_.names.size(); ++from)
      count += reached(step, from, only_new).size();
    return count;
  }

  std::string ways(const std::vector<Between>& joins, Vertex to) const {
    std::vector<std::string> texts;
    for (const Between& via : joins) texts.push_back(way(via, to, kNameLimit));
    return texts.empty() ? "none" : joined(texts);
  }

  std::string token(std::size_t at, bool tuple) const {
    const auto named = [&](std::size_t vertex) {
      return vertex < run_.names.size() ? name(static_cast<Vertex>(vertex)) : "filled up";
    };
    const std::size_t n = run_.size;
    if (!run_.cells.has_tuples()) return named(at);
    std::size_t number = tuple ? at - run_.first_tuple : at;
    std::vector<std::string> vertices;
    for (std::size_t i = 0; i < (tuple ? run_.cells.stretches.size() + 1 : 2); ++i, number /= n)
      vertices.insert(vertices.begin(), named(number % n));
    if (number > 0 || (tuple && at < run_.first_tuple)) return std::to_string(at);
    return fmt::format("{} ({})", at, joined(vertices, kTo));
  }

  std::string fetched(const FetchedFlag& flag, bool tuple) const {
    const std::string value = flag.cell + " = " + flag.value;
    if (flag.head.empty()) return value;
    std::vector<std::string> tokens;
    for (const std::size_t selected : flag.selected)
      if (tokens.size() < kTokensListed) tokens.push_back(token(selected, tuple));
    std::string text = "head " + flag.head + " selects " +
                       (flag.selected.size() == 1 ? "token " : "tokens ") + joined(tokens);
    if (flag.selected.size() > kTokensListed)
      text += fmt::format(" and {} more", flag.selected.size() - kTokensListed);
    return text + ": " + value;
  }

  const ReachabilityRun& run_;
};

/// Between more vertices, arrows that are no edges are drawn from the source only.
constexpr std::size_t kAllArrows = 14;
constexpr double kMargin = 24, kPanelGap = 34, kStripHead = 58;
constexpr double kLegendWidth = 800, kBadgeWidth = 190;
constexpr double kCharacter = 0.57;  ///< width of most texts, in letters' sizes
constexpr double kBold = 1.15;       ///< times it
constexpr const char *kKnownFill = "#D3E5F2", *kKnownInk = "#0B4A75";
constexpr const char *kNewFill = "#FBD0AE", *kNewInk = "#8A3B00";
constexpr const char *kKnownLine = kHues[0], *kNewLine = kHues[1], *kEdgeLine = "#4A4A4A";

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
  static std::string vertex_key(Vertex vertex) { return fmt::format("v{}", vertex); }
  static std::string arrow_key(Vertex a, Vertex b) { return fmt::format("a{}-{}", a, b); }
  static std::string walk_key(Vertex a, Vertex b) { return fmt::format("w{}-{}", a, b); }
  static std::string cell_key(Vertex a, Vertex b) { return fmt::format("m{}-{}", a, b); }
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

}}  // namespace logdepth::report_pictures
