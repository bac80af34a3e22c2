#include <fmt/core.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "cli/automaton_options.hpp"
#include "cli/commands.hpp"
#include "cli/graph_format_option.hpp"
#include "cli/validators.hpp"
#include "library/requests/automaton_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/file/gzip_text.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

struct ConvertOptions {
  AutomatonOptions automaton;
  std::string graph, output;
  GraphFormatOption format;
  bool minimal = false, undirected = false;
};

/// `text` writes the form that a name asks for. For LaTeX, Graphviz draws the DOT form.
void write_form(const std::string& output,
                const std::function<std::string(const std::string&)>& text) {
  const std::filesystem::path name = output;
  if (name.extension() == ".tex" || name.extension() == ".tikz") {
    save_graph(text("graph.dot"), output);
  } else {
    write_whole_file(output, text(output));
  }
}

/// What was written, for people.
std::string convert_graph(const ConvertOptions& options) {
  const Graph graph = read_graph(read_text_file(options.graph), options.graph, options.undirected,
                                 options.format.value());
  write_form(options.output, [&](const std::string& name) { return write_graph(graph, name); });
  return fmt::format("{} and {}", counted(graph.size(), "vertex", "vertices"),
                     counted(graph.edge_count(), "edge"));
}

std::string convert_automaton(const ConvertOptions& options) {
  const LoadedAutomaton loaded = load_automaton(options.automaton.source);
  const bool minimal = options.minimal || !loaded.given;
  const Nfa nfa = minimal ? loaded.minimal_to_write() : *loaded.given;
  write_form(options.output, [&](const std::string& name) { return write_automaton(nfa, name); });
  for (const std::string& note : loaded.notes) std::cerr << note << '\n';
  return fmt::format("the {}automaton, {}", minimal ? "minimal " : "",
                     counted(nfa.states(), "state"));
}

int convert(const ConvertOptions& options) {
  const bool graph = !options.graph.empty();
  if (graph == names_automaton(options.automaton.source))
    throw InputError(graph ? "expected --graph or an option that names an automaton, found both"
                           : "expected --graph or an option that names an automaton");
  if (graph && options.minimal) throw InputError("--minimal requires an automaton");
  std::vector<std::string> inputs = files_of(options.automaton.source);
  inputs.push_back(options.graph);
  refuse_overwriting(options.output, inputs);
  const std::string written = graph ? convert_graph(options) : convert_automaton(options);
  std::cerr << "wrote " << options.output << ": " << written << '\n';
  return kDone;
}

}  // namespace

Command add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert",
                         "write an automaton or a graph in another format\n"
                         "Example: logdepth convert --jff ends_in_abb.jff -o ends_in_abb.mata");
  options->automaton.add_to(*command);
  CLI::Option* graph = command->add_option("--graph", options->graph, kGraphFileDescription);
  options->format.add_to(*command, graph);
  command
      ->add_flag("--undirected", options->undirected, "treat the edges of the graph as undirected")
      ->needs(graph);
  command->add_flag("--minimal", options->minimal,
                    "write the minimal deterministic automaton instead of the given one");
  command
      ->add_option(
          "-o,--output", options->output,
          "file to write; automata: .fst, .dot, .jff, .mata, .json; graphs: .edges, .txt, "
          ".dot, .graphml, .gr, .col, .mtx, .json; both: .tex, .tikz (a drawing for LaTeX)")
      ->required()
      ->check(kInAFolder);
  return [options] { return convert(*options); };
}

}  // namespace logdepth::inline cli
