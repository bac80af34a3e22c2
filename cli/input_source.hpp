#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/graph_format_option.hpp"
#include "cli/word_source.hpp"
#include "library/runs/run_review.hpp"
#include "objects/graph.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline cli {

/// The options that name inputs of any kind: words, a graph with pairs of vertices, raw streams, a
/// division.
struct InputOptions {
  WordOptions words;
  std::string graph, source, target, cells;
  std::uint64_t dividend = 0, divisor = 1;
  GraphFormatOption format;
  bool undirected = false;
  CLI::Option *graph_option = nullptr, *source_option = nullptr, *target_option = nullptr,
              *cells_option = nullptr, *divide_option = nullptr, *by_option = nullptr;

  void add_to(CLI::App& app, bool with_batch);
  bool given() const;
  /// The files that are read, for refuse_overwriting.
  std::vector<std::string> files() const;
};

struct GraphQuestions {
  Graph graph;
  std::vector<VertexPair> pairs;  ///< source and target, in the order of the answers
};
using CellRows = std::vector<std::vector<Real>>;
/// Raw streams that end with the token that divides.
struct DivisionQuestion {
  CellRows rows;
};
using Questions =
    std::variant<std::vector<LetterNames>, GraphQuestions, CellRows, DivisionQuestion>;

/// What the options ask of this model. Errors: InputError when they are for another kind of input,
/// naming the options that this one takes; for bad input, with file and line.
Questions load_questions(const InputOptions& options, const Model& model);

/// The only question, for commands that look at one input.
OneQuestion load_one(const InputOptions& options, const Model& model);

}  // namespace logdepth::inline cli
