#include "report/pictures/reachability_text.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/phrases.hpp"
#include "base/xml_text.hpp"

namespace logdepth::inline report_pictures {
namespace {

constexpr const char* kTo = " \xE2\x86\x92 ";
constexpr const char* kDash = "\xE2\x80\x93";
constexpr std::size_t kNameLimit = 24;  ///< characters of a name in a sentence
constexpr std::size_t kListLimit = 8;   ///< items of a list in a sentence
constexpr std::size_t kTokensListed = 4;

const char* named(bool connected) {
  return connected ? "connected" : "not connected";
}

}  // namespace

std::string ReachabilityText::pair(Vertex from, Vertex to) const {
  return cut_text(run_.names[from], kNameLimit) + kTo + cut_text(run_.names[to], kNameLimit);
}

std::string ReachabilityText::names(const std::vector<Vertex>& vertices, std::size_t limit) const {
  std::vector<std::string> items;
  for (const Vertex v : vertices)
    if (items.size() < limit) items.push_back(cut_text(run_.names[v], kNameLimit));
  std::string text = joined(items);
  if (vertices.size() > limit) text += fmt::format(" and {} more", vertices.size() - limit);
  return text.empty() ? "none" : text;
}

std::string ReachabilityText::answer() const {
  return run_.connected ? named(*run_.connected) : run_.refusal;
}

std::string ReachabilityText::title() const {
  if (!run_.question) return "Who reaches whom?";
  const auto [source, target] = *run_.question;
  return "Can " + cut_text(run_.names[target], kNameLimit) + " be reached from " +
         cut_text(run_.names[source], kNameLimit) + "?";
}

std::vector<std::string> ReachabilityText::introduction(std::size_t drawn, bool all_arrows) const {
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
        "Tokens represent pairs of vertices and tuples (from, first between, second between, to). "
        "In each iteration, a tuple that knows the three walks between neighbours, or two where "
        "the second is the end, has found its pair.");
  else if (run_.cells.has_tuples())
    sentences.emplace_back(
        "Tokens represent pairs of vertices and triples (from, between, to). In each iteration, a "
        "triple that knows walks from \xE2\x86\x92 between and between \xE2\x86\x92 to has found "
        "its pair.");
  else
    sentences.emplace_back(
        "Each token is a vertex and stores which vertices it reaches. In each iteration, it reads "
        "what these vertices reach.");
  sentences.push_back(
      fmt::format("An iteration thus joins {} walks to one of up to {} as many steps. All of this "
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
    sentences.push_back(
        fmt::format("The network requires {} vertices; {} isolated vertices, which pad the graph, "
                    "are not drawn.",
                    run_.size, run_.size - run_.names.size()));
  return sentences;
}

std::vector<std::string> ReachabilityText::alarms() const {
  std::vector<std::string> sentences;
  const auto right = run_.review.verdict;
  if (!run_.finished && !right) sentences.push_back(run_.refusal);
  if (right && run_.question && right != run_.connected)
    sentences.push_back(fmt::format("expected {}, found {}", named(*right), answer()));
  const std::size_t last = run_.steps.size() - 1;
  std::size_t missing = 0, made_up = 0;
  for (Vertex from = 0; from < run_.names.size(); ++from)
    for (Vertex to = 0; to < run_.names.size(); ++to)
      if (run_.is_wrong(last, from, to)) ++(run_.steps[last].reaches[from][to] ? made_up : missing);
  if (missing > 0)
    sentences.push_back(counted(missing, "pair is", "pairs are") + " connected and not found");
  if (made_up > 0)
    sentences.push_back(counted(made_up, "pair is", "pairs are") + " found and not connected");
  if (run_.broken_promise) sentences.push_back("contract violated: " + *run_.broken_promise);
  if (run_.review.difference)
    sentences.push_back("first difference from the program: " + describe(*run_.review.difference));
  return sentences;
}

std::vector<std::string> ReachabilityText::how_to_read() const {
  if (!run_.question)
    return {"An arrow: the network knows a walk", "from its tail to its tip.", "",
            "The matrix: the same pairs, and the", "iteration that found each."};
  const auto [source, target] = *run_.question;
  const std::string from = cut_text(run_.names[source], 14), to = cut_text(run_.names[target], 14);
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

std::string ReachabilityText::step_name(std::size_t step) const {
  return step == 0 ? "before the iterations" : fmt::format("iteration {}", step);
}

std::string ReachabilityText::walks(std::size_t step) const {
  if (step == 0)
    return run_.cells.has_tuples() ? "the edges, as the input gives them"
                                   : "the edges, as the input gives them, and every vertex itself";
  std::vector<std::string> layers;
  for (const std::size_t layer : run_.steps[step].layers) layers.push_back(std::to_string(layer));
  std::size_t longest = 1;
  for (std::size_t loop = 0; loop < step; ++loop) longest *= run_.cells.factor();
  return fmt::format("walks of at most {} steps are known ({} {} of {})", longest,
                     layers.size() == 1 ? "layer" : "layers", joined(layers, " and "), run_.layers);
}

std::size_t ReachabilityText::pairs(std::size_t step, bool only_new) const {
  std::size_t count = 0;
  for (Vertex from = 0; from < run_.names.size(); ++from)
    count += reached(step, from, only_new).size();
  return count;
}

std::vector<Vertex> ReachabilityText::reached(std::size_t step, Vertex from, bool only_new) const {
  std::vector<Vertex> vertices;
  for (Vertex to = 0; to < run_.names.size(); ++to)
    if (run_.steps[step].reaches[from][to] && (!only_new || run_.found[from][to].step == step))
      vertices.push_back(to);
  return vertices;
}

std::string ReachabilityText::news(std::size_t step) const {
  std::string text = step == 0 ? counted(pairs(0, false), "pair")
                               : counted(pairs(step, true), "new pair") +
                                     fmt::format(", {} in all", pairs(step, false));
  if (!run_.question) return text;
  const Vertex source = run_.question->first;
  const auto found = reached(step, source, true);
  const std::string name = cut_text(run_.names[source], kNameLimit);
  if (found.empty()) return text + "; none of them from " + name;
  return text + "; " + name + (step == 0 ? " reaches " : " now reaches ") +
         names(found, kListLimit);
}

std::string ReachabilityText::vertex_note(std::size_t step, Vertex vertex) const {
  const auto all = reached(step, vertex, false), found = reached(step, vertex, true);
  std::string text = cut_text(run_.names[vertex], kNameLimit) + ", " + step_name(step) +
                     ": reaches " + names(all, run_.names.size()) + ".";
  if (step > 0) text += " New: " + names(found, run_.names.size()) + ".";
  return text;
}

std::string ReachabilityText::pair_note(std::size_t step, Vertex from, Vertex to) const {
  const FoundPair& found = run_.found[from][to];
  std::string text = pair(from, to) + ", " + step_name(step) + ": ";
  if (!run_.steps[step].reaches[from][to]) {
    text += "not known.";
  } else if (found.step == 0) {
    text += found.length == 0 ? "the vertex itself." : "an edge.";
  } else {
    text += fmt::format("found in iteration {}, by way of {}.", *found.step, ways(found.joins, to));
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

std::string ReachabilityText::way(Between via, Vertex to, std::size_t limit) const {
  if (via.size() > 1 && via.back() == to) via.pop_back();
  std::vector<std::string> passed;
  for (const Vertex v : via) passed.push_back(cut_text(run_.names[v], limit));
  return joined(passed, kTo);
}

std::string ReachabilityText::ways(const std::vector<Between>& joins, Vertex to) const {
  std::vector<std::string> texts;
  for (const Between& via : joins) texts.push_back(way(via, to, kNameLimit));
  return texts.empty() ? "none" : joined(texts);
}

std::string ReachabilityText::token(std::size_t at, bool tuple) const {
  const auto name = [&](std::size_t vertex) {
    return vertex < run_.names.size() ? cut_text(run_.names[vertex], kNameLimit)
                                      : std::string("filled up");
  };
  const std::size_t n = run_.size;
  if (!run_.cells.has_tuples()) return name(at);
  std::size_t number = tuple ? at - run_.first_tuple : at;
  std::vector<std::string> vertices;
  for (std::size_t i = 0; i < (tuple ? run_.cells.stretches.size() + 1 : 2); ++i, number /= n)
    vertices.insert(vertices.begin(), name(number % n));
  if (number > 0 || (tuple && at < run_.first_tuple)) return std::to_string(at);
  return fmt::format("{} ({})", at, joined(vertices, kTo));
}

std::string ReachabilityText::fetched(const FetchedFlag& flag, bool tuple) const {
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

std::string ReachabilityText::middle_note(const MiddleVertex& middle) const {
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
    text +=
        fmt::format(" {}: {}.", pair(parts[i].first, parts[i].second), flags(middle.stretches[i]));
  return text + " After the iteration: " + fetched(middle.joined, false) + ".";
}

StripTable ReachabilityText::reach_table(std::size_t step) const {
  StripTable table{"Who reaches whom, " + step_name(step), {"from", "reaches"}};
  if (step > 0) table.headings.emplace_back("new in this iteration");
  for (Vertex v = 0; v < run_.names.size(); ++v) {
    auto& row = table.rows.emplace_back();
    row = {run_.names[v], names(reached(step, v, false), run_.names.size())};
    if (step > 0) row.push_back(names(reached(step, v, true), run_.names.size()));
  }
  return table;
}

StripTable ReachabilityText::question_table(std::size_t step) const {
  const auto [source, target] = *run_.question;
  StripTable table{pair(source, target) + ", the question, in " + step_name(step),
                   {"by way of", "token", pair(source, source), "", "joined"}};
  table.headings[2] = "from " + cut_text(run_.names[source], kNameLimit);
  table.headings[3] = "to " + cut_text(run_.names[target], kNameLimit);
  const auto known = [](bool is) { return is ? "known" : "not known"; };
  for (const MiddleVertex& middle : run_.steps[step].middles)
    table.rows.push_back({way(middle.via, target, SIZE_MAX), std::to_string(middle.token),
                          known(middle.knows_first), known(middle.knows_second),
                          middle.joined.holds ? "yes" : "no"});
  return table;
}

StripTable ReachabilityText::token_table() const {
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
  table.rows.push_back({"the target, in unary", range(sources + source + 1, run_.tokens - 1), ""});
  return table;
}

std::string ReachabilityText::walk_sentence() const {
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

std::vector<std::string> ReachabilityText::last_token() const {
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

}  // namespace logdepth::inline report_pictures
