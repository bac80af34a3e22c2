// Pictures of runs on graphs: what is drawn is what was read from the run, and that is what counting
// walks one step at a time gives; for every form of the construction, and for hostile graphs. Pictures of pointers:
// they lead where a recursion over the formula, or hops one at a time, allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/JSHCM26/formula_value_lem4_1.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/SHT24/induction_hops_thm4_2.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/draw_reachability.hpp"
#include "report/pictures/run_answers.hpp"
#include "report/pictures/save_drawing.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::run_pictures_tests { namespace {

using Padding = GraphInput::Padding;

using Question = std::pair<Vertex, Vertex>;
using Relation = std::vector<std::vector<char>>;

Model compiled(const Program& program, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return with_derived(compile(program, options));
}

/// The uniform forms, and those for graphs of at most `size` vertices.
std::vector<Model> models(std::uint32_t size) {
  return {compiled(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, Padding::n3_minus_n2)),
          compiled(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, Padding::n3)),
          compiled(graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, Padding::n3)),
          compiled(graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, Padding::n3_minus_n2)),
          compiled(graph_connectivity_rows_MS25_thm5_1(size)),
          compiled(graph_connectivity_rows_MS25_thm5_1(size), Norm::layernorm),
          compiled(graph_connectivity_sized_MS25_thm5_1(size)),
          compiled(graph_connectivity_bounded_MS25_thm5_1(size)),
          compiled(graph_connectivity_radix_MS25_thm5_1(size, 2)),
          compiled(graph_connectivity_radix_MS25_thm5_1(size, 3))};
}

ReachabilityRun run_of(const Model& model, const Graph& graph,
                       const std::optional<Question>& question) {
  const auto cells = reachability_cells(model);
  Runner runner(model);
  return read_reachability(runner, std::get<ReachabilityCells>(cells), graph, question).value();
}

Graph named(const std::vector<std::string>& names, const std::vector<Question>& edges) {
  Graph graph;
  for (const std::string& name : names) graph.add_vertex(name);
  for (const auto& [from, to] : edges) graph.add_edge(from, to);
  return graph;
}

/// lengths[from][to]: the fewest steps, at least one, of a walk; absent where there is none.
std::vector<std::vector<std::optional<std::size_t>>> walk_lengths(const Graph& graph) {
  const std::size_t n = graph.size();
  std::vector<std::vector<std::optional<std::size_t>>> lengths(
      n, std::vector<std::optional<std::size_t>>(n));
  for (Vertex from = 0; from < n; ++from) {
    std::vector<char> here(n, 0);
    here[from] = 1;
    for (std::size_t steps = 1; steps <= n; ++steps) {
      std::vector<char> next(n, 0);
      for (Vertex v = 0; v < n; ++v)
        for (Vertex to = 0; to < n; ++to)
          if (here[v] && graph.has_edge(v, to)) next[to] = 1;
      for (Vertex to = 0; to < n; ++to)
        if (next[to] && !lengths[from][to]) lengths[from][to] = steps;
      here = next;
    }
  }
  return lengths;
}

void expect_facts(const Model& model, const Graph& graph, const Question& question) {
  const ReachabilityRun run = run_of(model, graph, question);
  const std::size_t n = graph.size();
  const auto lengths = walk_lengths(graph);
  const bool rows = !run.cells.has_tuples();
  const bool three = std::get<GraphInput>(model.input).padding == Padding::n4_minus_n2;
  EXPECT_EQ(run.cells.factor(), three ? 3u : 2u);
  const auto longest = [&](std::size_t step) {
    std::size_t steps = 1;
    while (step-- > 0) steps *= three ? 3 : 2;
    return steps;
  };
  const auto is_walk = [&](Vertex from, Vertex to, std::size_t steps) {
    return (rows && from == to) || (lengths[from][to] && *lengths[from][to] <= steps);
  };
  const auto known = [&](Vertex from, Vertex to, std::size_t step) {
    return is_walk(from, to, longest(step));
  };
  const auto [source, target] = question;
  for (std::size_t step = 0; step < run.steps.size(); ++step) {
    for (Vertex from = 0; from < n; ++from)
      for (Vertex to = 0; to < n; ++to)
        ASSERT_EQ(run.steps[step].reaches[from][to] != 0, known(from, to, step))
            << model.construction << " step " << step << ": " << from << " to " << to << " in\n"
            << support::edge_list_text(graph);
    ASSERT_EQ(run.steps[step].middles.size(), step == 0 ? 0 : n);
    for (const MiddleVertex& middle : run.steps[step].middles) {
      const Vertex via = middle.via.front();
      EXPECT_EQ(middle.knows_first, known(source, via, step - 1));
      EXPECT_EQ(middle.knows_second,
                is_walk(via, target, (run.cells.factor() - 1) * longest(step - 1)));
      EXPECT_EQ(middle.joined.holds, middle.knows_first && middle.knows_second);
    }
  }
  for (Vertex from = 0; from < n; ++from)
    for (Vertex to = 0; to < n; ++to) {
      const FoundPair& found = run.found[from][to];
      ASSERT_EQ(found.step.has_value(), known(from, to, run.steps.size() - 1));
      if (!found.step) continue;
      const auto walk = run.walk(from, to);
      EXPECT_EQ(walk.size(), found.length + 1);
      EXPECT_EQ(found.length, rows && from == to ? 0 : *lengths[from][to]);
      EXPECT_EQ(walk.front(), from);
      EXPECT_EQ(walk.back(), to);
      for (std::size_t i = 0; i + 1 < walk.size(); ++i)
        EXPECT_TRUE(graph.has_edge(walk[i], walk[i + 1])) << support::edge_list_text(graph);
    }
  EXPECT_EQ(run.connected, ReachabilityOracle(graph).reaches(source, target));
}

TEST(ReachabilityPictures, EveryStepIsWhatCountingWalksGivesForEveryFormOnRandomGraphs) {
  std::mt19937_64 random(20261123);
  const auto forms = models(7);
  for (std::size_t n = 1; n <= 7; ++n) {
    std::vector<std::string> names;
    for (std::size_t v = 0; v < n; ++v) names.push_back("v" + std::to_string(v));
    for (const double density : {0.15, 0.35}) {
      const Graph graph = support::random_graph(random, names, density);
      const Question question(static_cast<Vertex>(random() % n), static_cast<Vertex>(random() % n));
      for (const Model& model : forms) expect_facts(model, graph, question);
    }
  }
}

TEST(ReachabilityPictures, EveryGraphOfTwoVerticesIsReadRight) {
  const auto forms = models(3);
  support::for_each_graph(2, [&](const Graph& graph) {
    for (const Model& model : forms)
      for (const Question& question : {Question(0, 0), Question(0, 1), Question(1, 0)})
        expect_facts(model, graph, question);
  });
}

TEST(ReachabilityPictures, ATripleAsksItsTwoPairsAndTheLastTokenTheTriplesThatHaveFoundIt) {
  const Graph graph = named({"a", "b", "c", "d"}, {{0, 1}, {1, 2}, {2, 3}});
  for (const Model& model : models(4)) {
    const ReachabilityRun run = run_of(model, graph, Question(0, 2));
    if (!run.cells.has_tuples()) {
      const FetchedFlag& joined = run.steps[1].middles[1].joined;  // by way of b
      EXPECT_EQ(joined.head, "to.2");
      EXPECT_EQ(joined.selected, (std::vector<std::size_t>{1})) << "of a and b, b reaches c";
      continue;
    }
    for (std::size_t step = 1; step < run.steps.size(); ++step)
      for (const MiddleVertex& middle : run.steps[step].middles) {
        const auto parts = parts_of(0, middle.via, 2);
        ASSERT_EQ(middle.stretches.size(), parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const bool stays = middle.stretches[i].front().cell == "stay";  // no head brings it
          EXPECT_EQ(middle.stretches[i][stays ? 1 : 0].selected,
                    std::vector{run.pair_token(parts[i].first, parts[i].second)});
        }
      }
    const FetchedFlag& answer = run.answers.front();
    EXPECT_EQ(answer.selected, std::vector{run.pair_token(0, 2)});
    if (run.cells.form == ReachabilityCells::Form::edges) {
      std::vector<std::size_t> found = {run.tuple_token(0, {1}, 2)};
      if (run.cells.factor() == 3) found = {run.tuple_token(0, {1, 2}, 2)};
      EXPECT_EQ(run.answers[1].selected, found);
      EXPECT_EQ(run.answers[1].value, "1");
    }
  }
}

std::string reason(const Model& model) {
  const auto cells = reachability_cells(model);
  const auto* text = std::get_if<std::string>(&cells);
  return text ? *text : "";
}

TEST(ReachabilityPictures, AFileThatDoesNotSayItsCellsIsNamedWithWhatIsMissing) {
  const auto forms = models(3);
  for (const Model& model : forms) EXPECT_EQ(reason(model), "");
  Model model = forms[0];
  model.cells.erase("xC");
  EXPECT_NE(reason(model).find("no flag 'xC'"), std::string::npos) << reason(model);
  model = forms[0];
  model.cells["A"].type = "scratch";
  EXPECT_NE(reason(model).find("no flag 'A'"), std::string::npos) << reason(model);
  model = forms[4];
  model.cells.clear();
  EXPECT_NE(reason(model).find("no flag 'R.0'"), std::string::npos) << reason(model);
  model = forms[9];
  model.cells.erase("stay");
  EXPECT_NE(reason(model).find("no flag 'stay'"), std::string::npos) << reason(model);
  for (Model renamed : forms) {
    renamed.construction = "mine";
    EXPECT_EQ(reason(renamed), "") << "cells are named, constructions are not";
  }
  const auto words = with_derived(
      compile(regular_language_scan_MS25_thm4_1(named_monoid("Z2"), "Z2", ScanOptions{})));
  EXPECT_NE(reason(words).find("takes no graph"), std::string::npos);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// What an XML reader that is not ours finds in the texts of an SVG or a page, one per line.
std::string texts(const std::string& document) {
  const support::TemporaryFolder folder;
  folder.write("read.py",
               "import sys, xml.etree.ElementTree as tree\n"
               "text = sys.stdin.read().replace('<!DOCTYPE html>', '')\n"
               "for part in tree.fromstring(text).itertext(): print(part)\n");
  const auto read = support::run_process(
      {"env", "PYTHONIOENCODING=utf-8", support::python(), folder.file("read.py")}, folder.path(),
      document);
  EXPECT_EQ(read.status, 0) << read.err;
  return read.out;
}

TEST(ReachabilityPictures, EveryKnownPairIsAnArrowAndAMarkedPlaceOfTheMatrix) {
  std::mt19937_64 random(7);
  const Graph graph = support::random_graph(random, {"a", "b", "c", "d", "e", "f"}, 0.25);
  for (const Model& model : models(6)) {
    const ReachabilityRun run = run_of(model, graph, Question(0, 5));
    const StripPicture picture = draw_reachability(run);
    ASSERT_EQ(picture.strips.size(), 1 + run.steps.size() + 1) << "head, steps, answer";
    for (std::size_t step = 0; step < run.steps.size(); ++step) {
      const Strip& strip = picture.strips[1 + step];
      EXPECT_EQ(strip.step, step);
      for (Vertex from = 0; from < 6; ++from)
        for (Vertex to = 0; to < 6; ++to) {
          const std::string pair = std::to_string(from) + "-" + std::to_string(to) + "\"";
          const bool known = run.steps[step].reaches[from][to] != 0;
          const bool itself = !run.cells.has_tuples() && from == to;
          EXPECT_EQ(count(strip.elements, "data-key=\"a" + pair), known && !itself ? 1u : 0u);
          const std::size_t cell = strip.elements.find("data-key=\"m" + pair);
          const std::string place =
              strip.elements.substr(cell, strip.elements.find("</g>", cell) - cell);
          EXPECT_EQ(count(place, "<text"), known ? 1u : 0u);
          if (known) {
            EXPECT_EQ(count(place, ">" + std::to_string(*run.found[from][to].step) + "</text>"),
                      1u);
          }
        }
    }
  }
}

TEST(ReachabilityPictures, TheSameRunGivesTheSamePageAndNothingIsFetched) {
  const Graph graph = named({"a", "b", "c"}, {{0, 1}, {1, 2}});
  for (const Model& model : models(3)) {
    const std::string page =
        run_page(model, draw_reachability(run_of(model, graph, Question(0, 2))), false);
    EXPECT_EQ(page,
              run_page(model, draw_reachability(run_of(model, graph, Question(0, 2))), false));
    texts(page);
    EXPECT_EQ(count(page, "http"), count(page, "xmlns=\"http://www.w3.org/2000/svg\""));
    for (const char* outside : {"src=", "href=", "url(", "@import"})
      EXPECT_EQ(count(page, outside), 0u) << outside;
    // Without scripts every step is seen.
    EXPECT_EQ(count(page, "<section class=\"strip step\" data-step="), 3u + 1u - 1u);
    EXPECT_EQ(count(page, "<section class=\"strip step\" hidden"), 0u);
  }
}

TEST(ReachabilityPictures, NotesSayTokensValuesAndWhatWasSelected) {
  const Graph graph = named({"a", "b", "c"}, {{0, 1}, {1, 2}});
  const Model model = models(3).front();
  const StripPicture picture = draw_reachability(run_of(model, graph, Question(0, 2)));
  const auto note = [&](const std::string& key) -> std::string {
    for (const StripNote& one : picture.strips[2].notes)
      if (one.key == key) return one.text;
    return "no such note";
  };
  EXPECT_EQ(note("m0-2"),
            "a \xE2\x86\x92 c, iteration 1: found in iteration 1, by way of b. Token 2: A = -1. C "
            "holds at "
            "token 5.");
  EXPECT_EQ(note("v0"), "a, iteration 1: reaches b, c. New: c.");
  const auto& stretches = picture.strips.back().notes;
  ASSERT_EQ(stretches.size(), 3u) << "the walk and its two edges";
  EXPECT_EQ(stretches[0].text, note("m0-2"));
  EXPECT_EQ(stretches[0].marks, (std::vector<std::string>{"w0-1", "w1-2"}));
  EXPECT_NE(picture.strips.back().elements.find("data-key=\"w1-2\""), std::string::npos);
  EXPECT_EQ(
      note("k1"),
      "By way of b, token 5. a \xE2\x86\x92 b: head left_edge selects token 1 (a \xE2\x86\x92 "
      "b): xA = 1; head left_walk selects tokens 1 (a \xE2\x86\x92 a \xE2\x86\x92 b), 4 (a "
      "\xE2\x86\x92 b \xE2\x86\x92 b), 7 (a \xE2\x86\x92 c \xE2\x86\x92 b): xC = -1. b "
      "\xE2\x86\x92 c: head right_edge selects token 5 (b \xE2\x86\x92 c): yA = 1; head "
      "right_walk selects tokens 11 (b \xE2\x86\x92 a \xE2\x86\x92 c), 14 (b \xE2\x86\x92 b "
      "\xE2\x86\x92 c), 17 (b \xE2\x86\x92 c \xE2\x86\x92 c): yC = -1. After the iteration: C = "
      "1.");
}

TEST(ReachabilityPictures, HostileNamesAreText) {
  const std::string hostile = "\"><script>alert(1)</script>&amp;']]>-->";
  const Graph graph =
      named({hostile, "<b>", "x&y", std::string(300, 'w')}, {{0, 1}, {1, 2}, {2, 0}});
  for (const Model& model : models(4)) {
    const StripPicture picture = draw_reachability(run_of(model, graph, Question(0, 3)));
    const std::string page = run_page(model, picture, false);
    EXPECT_EQ(count(page, "<script"), 1u) << "ours";
    EXPECT_EQ(count(page, "<b>"), 0u);
    const std::string read = texts(page);
    EXPECT_GT(count(read, hostile), 0u) << "whole, in a table";
    EXPECT_GT(count(texts(strips_svg(picture)), "x&y"), 0u);
  }
}

TEST(ReachabilityPictures, SmallAndStrangeGraphsAreDrawn) {
  const auto forms = models(3);
  const Graph alone = named({"a"}, {}), loop = named({"a"}, {{0, 0}});
  const Graph apart = named({"a", "b", "c"}, {});
  for (const Model& model : forms) {
    for (const Graph* graph : {&alone, &loop, &apart}) {
      const std::string svg = strips_svg(draw_reachability(run_of(model, *graph, Question(0, 0))));
      const std::string read = texts(svg);
      EXPECT_EQ(count(read, "source and target are the same vertex"), 1u);
      EXPECT_EQ(count(read, "connected\n"), 2u) << "as a badge, and of the logits";
    }
    const std::string read =
        texts(strips_svg(draw_reachability(run_of(model, apart, Question(0, 2)))));
    EXPECT_EQ(count(read, "no walk from source to target was found"), 1u);
    EXPECT_EQ(count(read, "not connected\n"), 2u);
  }
  const std::string all = texts(strips_svg(draw_reachability(run_of(forms[4], loop, {}))));
  EXPECT_EQ(count(all, "Who reaches whom?"), 2u) << "in the title, and to be read";
  EXPECT_EQ(count(all, "connected"), 0u);
}

TEST(ReachabilityPictures, ABrokenNetworkIsDrawnAsItIs) {
  const Graph graph = named({"a", "b", "c", "d"}, {{0, 1}, {1, 2}, {2, 0}, {3, 1}});
  std::size_t drawn = 0, out_of_nothing = 0, refused = 0;
  for (const Model& sound : models(4)) {
    std::vector<Model> broken;
    for (const auto& [kind, vector] : sound.embedding)
      for (std::size_t i = 0; i < vector.size(); ++i) {
        broken.push_back(sound);
        Rational& value = broken.back().embedding[kind][i].value;
        value = -value;
      }
    for (std::size_t layer = 0; layer < sound.layers.size(); ++layer)
      for (std::size_t head = 0; head < sound.layers[layer].attention.heads.size(); ++head) {
        broken.push_back(sound);
        for (auto& entry : broken.back().layers[layer].attention.heads[head].output.entries)
          entry.value = -entry.value;
      }
    for (const Model& model : broken) {
      Runner runner(model);
      const auto run = read_reachability(
          runner, std::get<ReachabilityCells>(reachability_cells(model)), graph, Question(0, 3));
      if (!run.has_value()) continue;
      ++drawn;
      const std::string svg = strips_svg(draw_reachability(run.value()));
      if (!run.value().connected) {  // refused after a contract was broken
        ++refused;
        EXPECT_TRUE(run.value().broken_promise);
        EXPECT_EQ(count(svg, ">connected<") + count(svg, ">not connected<"), 0u);
        EXPECT_GE(count(svg, xml_text(run.value().refusal.substr(0, 40))), 1u);
        continue;
      }
      EXPECT_EQ(count(svg, run.value().connected.value() ? ">connected<" : ">not connected<"), 1u);
      if (count(svg, "but not from two walks that were known") > 0) ++out_of_nothing;
    }
  }
  EXPECT_GT(drawn, 20u);
  EXPECT_GT(out_of_nothing, 0u);
  EXPECT_GT(refused, 0u);
}

TEST(ReachabilityPictures, OfManyVerticesTheWalkAndTheFirstAreDrawnAndTheRestIsCounted) {
  // The target is the last of 40 vertices, two steps away; the others hang on a path.
  Graph graph = support::numbered_graph(40);
  for (Vertex v = 0; v + 2 < 40; ++v) graph.add_edge(v, v + 1);
  graph.add_edge(37, 39);
  graph.add_edge(0, 37);
  const Model model = compiled(graph_connectivity_rows_MS25_thm5_1(40));
  const StripPicture picture = draw_reachability(run_of(model, graph, Question(0, 39)));
  const std::string read = texts(strips_svg(picture));
  EXPECT_EQ(count(read, "24 of 40 vertices are drawn"), 1u);
  EXPECT_EQ(count(read, "Of the arrows only edges and those from the source are drawn"), 1u);
  const Strip& loop = picture.strips[2];
  for (const Vertex v : {0, 37, 39, 1, 20}) {
    const std::string key = "data-key=\"v" + std::to_string(v) + "\"";
    EXPECT_EQ(count(loop.elements, key), 1u) << v;
  }
  EXPECT_EQ(count(loop.elements, "data-key=\"v21\""), 0u) << "three vertices are before it";
  EXPECT_EQ(count(loop.elements, "data-key=\"v"), kMaxDrawnVertices);
  EXPECT_EQ(loop.tables.front().rows.size(), 40u) << "a table has all";
}

// Pictures of divisions: quotients and remainders as they are read from the run are those of the
// language.

Model division(bool own_argument, bool unit_inputs, DivisionForm form = DivisionForm::compact) {
  return with_derived(compile(division_MS25_lem3_1({form, own_argument, unit_inputs})));
}

/// A dividend for each of some positions, from 0 to the position.
DivisionInput input_of(std::size_t positions, std::uint64_t divisor) {
  DivisionInput input{divisor, {}};
  for (std::uint64_t i = 0; i < positions; ++i)
    input.dividends.push_back((7 * i * i + 3) % (i + 1));
  return input;
}

TokenBands bands_of(const Model& model, const DivisionInput& input) {
  Runner runner(model);
  return attention_bands(runner, tokens_of(model, division_rows(model, input)).value()).value();
}

TEST(DivisionPictures, ShowTheQuotientAndTheRemainderOfTheLanguageAtEveryToken) {
  for (const Model& model :
       {division(false, false), division(true, false), division(false, false, DivisionForm::paper)})
    for (const std::uint64_t divisor : {1, 2, 3, 5, 30}) {
      const DivisionInput input = input_of(17, divisor);
      const bool own = division_file(model).own_argument;
      const TokenBands bands = bands_of(model, input);
      ASSERT_EQ(bands.results.size(), 4u);
      for (std::size_t i = 0; i < 17; ++i) {
        const std::uint64_t dividend = own ? i : input.dividends[i];
        EXPECT_EQ(bands.results[0].texts[i], std::to_string(dividend));
        EXPECT_EQ(bands.results[1].texts[i], std::to_string(divisor));
        EXPECT_EQ(bands.results[2].texts[i], std::to_string(dividend / divisor));
        EXPECT_EQ(bands.results[3].texts[i], std::to_string(dividend % divisor));
      }
    }
}

TEST(DivisionPictures, ShowAWrongAnswerAsItIs) {
  // The first number of the quotient's code doubled: (2 q, 1) stands for 2 q.
  Model model = division(false, false);
  const std::size_t row = division_file(model).rows[0];
  for (MatrixEntry& entry : model.unembedding.entries)
    if (entry.row == row) entry.value = entry.value * Rational(2);
  const DivisionInput input{2, {0, 1, 2, 3, 4}};
  const TokenBands bands = bands_of(model, input);
  EXPECT_EQ(bands.results[2].texts, (std::vector<std::string>{"0", "0", "2", "2", "4"}));
  EXPECT_EQ(bands.results[2].wrong, (std::vector<std::size_t>{2, 3, 4}));
  // A third of a quotient is no natural number.
  for (MatrixEntry& entry : model.unembedding.entries)
    if (entry.row == row) entry.value = entry.value * Rational(1, 6);
  EXPECT_EQ(bands_of(model, input).results[2].texts[2], "?");
}

TEST(DivisionPictures, AreNotMadeOfOtherNamesOrInputs) {
  EXPECT_TRUE(bands_of(division(false, true), input_of(5, 2)).results.empty()) << "no m is given";
  const Model model = division(true, false);
  std::vector<std::vector<Real>> rows = division_rows(model, input_of(3, 2));
  for (auto& row : rows) row[2] = Real(Rational(3, 2));  // the divisor
  Runner runner(model);
  const Tokens tokens = tokens_of(model, rows).value();
  const auto stream = runner.run(tokens);
  ASSERT_TRUE(stream.has_value());
  EXPECT_TRUE(division_results(runner, tokens, stream.value()).empty());
}

// Pictures of pointers.

std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (const char letter : text) letters.emplace_back(1, letter);
  return letters;
}

TokenBands bands_of(const Model& model, const std::string& word) {
  Runner runner(model);
  return attention_bands(runner, tokens_of(model, letters_of(word)).value()).value();
}

/// What ends at each token of a formula in postfix order, read from the right by recursion.
struct Subformula {
  std::size_t level = 0;
  int value = 0;
  std::vector<std::size_t> operands = {}, infix = {};  // tokens
};

void read(const std::string& word, int m, std::size_t end, std::size_t level,
          std::vector<Subformula>& all) {
  const char letter = word[end - 1];
  Subformula own{level, letter - '0', {}, {end}};
  if (letter < '0' || letter > '9') {
    read(word, m, end - 1, level + 1, all);
    const Subformula& right = all[end - 1];
    own.operands = {end - 1};
    own.infix.insert(own.infix.end(), right.infix.begin(), right.infix.end());
    own.value = 1 - right.value;
    if (letter != '!') {
      own.operands.push_back(end - 1 - right.infix.size());
      read(word, m, own.operands[1], level + 1, all);
      const Subformula& left = all[own.operands[1]];
      own.infix.insert(own.infix.begin(), left.infix.begin(), left.infix.end());
      own.value = letter == '+'   ? (left.value + right.value) % m
                  : letter == '|' ? std::max(left.value, right.value)
                                  : left.value * right.value % m;
    }
  }
  all[end] = own;
}

std::string random_formula(std::size_t operators, const std::string& values,
                           const std::string& letters, std::mt19937_64& random) {
  if (operators == 0) return std::string(1, values[random() % values.size()]);
  const char letter = letters[random() % letters.size()];
  const std::size_t left = letter == '!' ? 0 : random() % operators;
  const std::string text = letter == '!' ? "" : random_formula(left, values, letters, random);
  return text + random_formula(operators - 1 - left, values, letters, random) + letter;
}

/// A tree of the picture of a formula against the recursion. `known`: which tokens had a value in the tree before, all
/// of them before the first; then in this one.
void expect_tree(const Band& band, const std::vector<Subformula>& all, bool first,
                 std::vector<bool>& known) {
  std::map<std::size_t, std::size_t> arrows;
  std::vector<std::vector<std::size_t>> operands(all.size());
  for (const BandLine& line : band.lines)
    if (line.style == 1)
      operands[line.from].push_back(line.to);
    else
      EXPECT_TRUE(arrows.emplace(line.from, line.to).second);
  for (std::size_t token = 1; token < all.size(); ++token) {
    const Subformula& own = all[token];
    const CircleVertex& node = band.nodes[token];
    const bool is_known = node.fill != "#FFFFFF", is_open = !is_known && !node.name.empty();
    EXPECT_EQ(operands[token], own.operands);
    EXPECT_EQ(all.back().infix[static_cast<std::size_t>(node.place->first) - 1], token);
    EXPECT_EQ(node.place->second, own.level);
    EXPECT_TRUE(!is_known || node.name == std::to_string(own.value)) << node.name;
    EXPECT_TRUE(!first || is_known == own.operands.empty());
    EXPECT_TRUE(!first || is_open == (own.operands.size() == 1));
    EXPECT_EQ(arrows.contains(token), is_open || (is_known && !known[token]));
    known[token] = is_known;
    if (!arrows.contains(token)) continue;
    const std::size_t to = arrows.at(token);
    EXPECT_EQ(std::ranges::count(own.infix, to), 1) << "outside the subformula";
    EXPECT_NE(to, token);
    const char mapped = node.name.at(is_open ? static_cast<std::size_t>(all[to].value) : 0);
    EXPECT_EQ(mapped, '0' + own.value) << "the map of the value there";
    EXPECT_TRUE(is_open || band.nodes[to].fill != "#FFFFFF") << "by a value that is not known";
  }
}

/// `m`: of the algebra, 2 for the Boolean one.
void expect_trees(const Model& model, const std::string& word, int m) {
  SCOPED_TRACE(word);
  std::vector<Subformula> all(word.size() + 1);
  read(word, m, word.size(), 0, all);
  const TokenBands bands = bands_of(model, word);
  ASSERT_EQ(bands.bands.size(), 1 + std::bit_width(word.size() - 1)) << "one tree per iteration";
  std::vector<bool> known(all.size(), true);
  for (const Band& band : bands.bands) {
    SCOPED_TRACE(band.name);
    expect_tree(band, all, &band == bands.bands.data(), known);
  }
  EXPECT_EQ(std::ranges::count(known, false), 0) << "tokens without a value in the end";
  const int value = all.back().value;
  EXPECT_EQ(bands.verdict.text, m > 2        ? "answer: " + std::to_string(value)
                                : value == 1 ? "accept"
                                             : "reject");
}

TEST(PointerPictures, OfFormulasAreTreesWithTheValuesOfARecursionAndPointersIntoTheSubformula) {
  const Model boolean = compiled(formula_value({"boolean"}));
  const Model mod3 = compiled(formula_value({"mod3"}));
  std::mt19937_64 random(20261130);
  for (std::size_t operators = 0; operators <= 12; ++operators)
    for (int times = 0; times < 4; ++times) {
      expect_trees(boolean, random_formula(operators, "01", "&|!", random), 2);
      expect_trees(mod3, random_formula(operators, "012", "+*", random), 3);
    }
}

TEST(PointerPictures, OfAShortFormulaHaveOneTreePerIterationAndTheAnswer) {
  const Model model = compiled(formula_value({"mod3"}));
  const StripPicture picture = token_bands_picture({bands_of(model, "12+2*")}, "");
  ASSERT_EQ(picture.strips.size(), 6u) << "tokens, before the loop, three iterations, answer";
  for (std::size_t strip = 1; strip <= 4; ++strip) {
    const std::string& elements = picture.strips[strip].elements;
    EXPECT_EQ(count(elements, ">*</text>"), 1u);
    // Those of operands, and in the first iteration the pointers of + and *, which become known.
    EXPECT_EQ(count(elements, "<polygon"), strip == 2 ? 6u : 4u);
  }
  EXPECT_EQ(count(strips_svg(picture), ">answer: 0<"), 1u);
}

TEST(PointerPictures, OfWordsThatAreNoFormulasAreRows) {
  const Model model = compiled(formula_value({"mod3"}));
  for (const std::string word : {"", "+", "12", "12+*2", "+12"}) {
    const TokenBands bands = bands_of(model, word);
    EXPECT_EQ(bands.verdict.text, "answer: none") << word;
    for (const Band& band : bands.bands)
      for (std::size_t token = 0; token <= word.size(); ++token)
        EXPECT_EQ(band.nodes.at(token).place, PlotPoint(token, 0)) << word;
  }
}

/// The place behind the last occurrence of the letter before, or 0.
std::size_t hop(const std::string& word, std::size_t token) {
  for (std::size_t place = token; place >= 2; --place)
    if (word[place - 2] == word[token - 1]) return place;
  return 0;
}

TEST(PointerPictures, OfHopsLeadTwiceAsFarInEachIterationAndTheLetterThereIsBelow) {
  for (const HopsForm form : {HopsForm::loops, HopsForm::fixed}) {
    const Model model = compiled(induction_hops({form, 8, 3}));
    std::mt19937_64 random(3);
    for (std::string word; word.size() < 40; word += "abc"[random() % 3]) {
      const TokenBands bands = bands_of(model, word);
      ASSERT_EQ(bands.bands.size(), 4u);
      for (std::size_t token = 1; token <= word.size(); ++token) {
        std::size_t hops = 0, place = token;
        for (std::size_t round = 0; round < 4; ++round) {
          const std::size_t before = place;
          for (; hops < std::size_t{1} << round; ++hops) place = hop(word, place);
          const Band& band = bands.bands[round];
          EXPECT_EQ(band.nodes[token].name, place == 0 ? "none" : word.substr(place - 1, 1));
          std::vector<std::size_t> to = {token};  // without an arrow
          for (const BandLine& line : band.lines)
            if (line.from == token) to = {line.to};
          // The last layer of the fixed form leaves the pointers.
          EXPECT_EQ(to.back(), form == HopsForm::fixed && round == 3 ? before : place) << word;
        }
      }
      EXPECT_EQ(bands.verdict.text, "answer: " + bands.bands.back().nodes.back().name);
    }
  }
}

TEST(PointerPictures, AreNotMadeOfFilesThatDoNotNameTheirCells) {
  for (const char* missing : {"J", "I", "V"}) {
    Model model = compiled(induction_hops({HopsForm::loops, 8, 3}));
    model.cells.erase(missing);
    const TokenBands bands = bands_of(model, "abcab");
    EXPECT_TRUE(bands.bands.front().nodes.empty()) << missing;
    EXPECT_EQ(bands.bands.front().rows.front().label, "reaches");
  }
}

}}  // namespace logdepth::run_pictures_tests
