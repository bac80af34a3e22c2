#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/validators.hpp"
#include "objects/text_format.hpp"

namespace logdepth::inline cli {

inline const char* const kGraphFileDescription =
    "graph file: edge or adjacency list, DOT, GML, GraphML, GEXF, DIMACS, METIS, Matrix Market, "
    "Pajek, graph6, sparse6 or node-link JSON";

/// The format of the file of --graph, where its name and its content do not say it.
class GraphFormatOption {
 public:
  void add_to(CLI::App& app, CLI::Option* graph) {
    app.add_option("--format", text_, "format of the graph file; decides over its name and content")
        ->check(choice_of(graph_format_options()))
        ->needs(graph);
  }
  std::optional<std::string> value() const {
    return text_.empty() ? std::nullopt : std::optional<std::string>(text_);
  }

 private:
  std::string text_;
};

}  // namespace logdepth::inline cli
