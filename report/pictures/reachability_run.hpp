#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "objects/graph.hpp"
#include "report/pictures/run_answers.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"

namespace logdepth { inline namespace report_pictures {

/// A cell of one number.
struct NumberCell {
  std::string name;
  std::uint32_t coordinate = 0;
};

/// Where a file that decides reachability keeps what it knows of the walks of a graph; a flag is
/// true where its number is positive. Which head fetches a cell is said by the weights: the one
/// that writes it. The names are those of graph_connectivity_*_MS25_thm5_1.cpp, where they are
/// explained: whoever calls cells so gets the picture, whatever the construction is called.
struct ReachabilityCells {
  /// `edges`: the edges are kept at tokens of pairs, walks at tokens of tuples (from, one or two
  /// vertices between, to); `pairs`: walks at both; `rows`: a row of the relation at the token of
  /// each vertex.
  enum class Form { edges, pairs, rows };
  Form form = Form::edges;
  NumberCell pair = {}, tuple = {};  ///< edges: A, C; pairs: B, C
  /// For each two neighbours of a tuple, what it knows of walks from one to the other: any of these
  /// flags is enough. The last is fetched from tuples where there are several, the others from
  /// pairs.
  std::vector<std::vector<NumberCell>> stretches = {};
  std::vector<NumberCell> row = {}, fetched = {};  ///< rows: R.j, and S.j, what is fetched for it
  std::vector<NumberCell> answers = {};  ///< what the last token fetches, and whether s = t

  bool has_tuples() const { return form != Form::rows; }
  /// By which a loop makes the walks longer.
  std::size_t factor() const { return has_tuples() ? stretches.size() : 2; }
};

/// The cells of this file, or why it does not say where they are, as a sentence.
std::variant<ReachabilityCells, std::string> reachability_cells(const Model& model);

/// A flag of a token, and who brought it there.
struct FetchedFlag {
  std::string cell, value;  ///< exact
  bool holds = false;
  std::string head = {};                   ///< empty: no head brought it
  std::vector<std::size_t> selected = {};  ///< by this head, for the token
};

/// The vertices between two others by way of which walks are joined: one, or two in the order in
/// which they are passed.
using Between = std::vector<Vertex>;

/// A vertex between source and target, as a loop looked at it.
struct MiddleVertex {
  Between via;            ///< the vertex, and a second one where tuples have two
  std::size_t token = 0;  ///< the one that works on it
  std::vector<std::vector<FetchedFlag>>
      stretches;  ///< source to via, ... to target, before the loop
  bool knows_first = false, knows_second = false;  ///< of the first stretch, and of all others
  FetchedFlag joined = {};                         ///< after the loop
};

/// The ways from each vertex to the next.
inline std::vector<std::pair<Vertex, Vertex>> parts_of(Vertex from, const Between& via, Vertex to) {
  std::vector<std::pair<Vertex, Vertex>> parts;
  for (const Vertex v : via) {
    parts.emplace_back(from, v);
    from = v;
  }
  parts.emplace_back(from, to);
  return parts;
}

/// What the network knows before the loops (the first step) or after one of them.
struct ReachabilityStep {
  std::vector<std::size_t> layers = {};         ///< executed ones, from 1
  std::vector<std::vector<char>> reaches = {};  ///< [from][to]
  /// Of the flag of the pair, exact.
  std::vector<std::vector<std::string>> values = {};
  std::vector<MiddleVertex> middles = {};  ///< of the question; none before the loops
};

/// How a pair was found.
struct FoundPair {
  std::optional<std::size_t> step = {};
  std::vector<Between> joins = {};  ///< by way of what walks were joined in this step
  /// Of the shortest walk that these joins make; 0 also where a broken network has found the pair
  /// out of nothing.
  std::size_t length = 0;
  Between via = {};  ///< the join of this walk whose longest part is shortest; none: not joined
};

/// An exact run on a graph as it explains itself. All of it was read from the residual stream, or
/// was selected by a head; only lengths of walks are counted, from the joins that were read.
struct ReachabilityRun {
  std::string name, construction;
  ReachabilityCells cells;
  std::vector<std::string> names;                           ///< of the graph's vertices
  std::size_t edges = 0, size = 0, tokens = 0, layers = 0;  ///< size: with vertices filled up
  std::size_t first_tuple = 0, answer_token = 0;
  std::optional<std::pair<Vertex, Vertex>> question;
  std::vector<ReachabilityStep> steps;
  std::vector<std::vector<FoundPair>> found;  ///< [from][to]
  std::vector<FetchedFlag> answers;
  std::vector<std::pair<std::string, std::string>> logits;  ///< names and exact values
  std::optional<bool> connected;                            ///< the answer to the question
  bool finished = false;  ///< else it was refused, and the steps are those before
  std::string refusal;    ///< why there is none, or empty
  std::optional<std::string> broken_promise;  ///< the first one
  RunReview review;

  std::size_t pair_token(Vertex from, Vertex to) const { return from * size + to; }
  std::size_t tuple_token(Vertex from, const Between& via, Vertex to) const {
    std::size_t number = from;
    for (const Vertex v : via) number = number * size + v;
    return first_tuple + number * size + to;
  }
  /// Whether the step knows a walk that there is none of, or the last one misses one.
  bool is_wrong(std::size_t step, Vertex from, Vertex to) const;
  /// The vertices of the walk that was found, ends included. Precondition: found[from][to].step.
  std::vector<Vertex> walk(Vertex from, Vertex to) const;
};

/// Runs the graph and reads `cells` as it goes; a file of pairs and tuples needs a question. The
/// refusal of the run or of the verdict, when there is no answer.
Outcome<ReachabilityRun> read_reachability(Runner& runner, const ReachabilityCells& cells,
                                           const Graph& graph,
                                           const std::optional<std::pair<Vertex, Vertex>>& question,
                                           const RunReview& review = {});

}}  // namespace logdepth::report_pictures
