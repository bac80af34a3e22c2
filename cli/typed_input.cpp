#include "cli/typed_input.hpp"

#include <algorithm>
#include <variant>

#include "base/phrases.hpp"
#include "base/shell_word.hpp"

namespace logdepth {
namespace {

std::string written(const std::vector<std::string>& lines, const std::string& file) {
  std::string text = "printf '%s\\n'";
  for (const std::string& line : lines) text += " " + shell_word(line);
  return text + " > " + file;
}

}  // namespace

TypedInput typed_word(const LetterNames& letters) {
  const std::string word = show_word(letters);
  const bool separated = letters.size() > 1 && word.find(' ') != std::string::npos;
  return {"", (separated ? "--tokens " : "--input ") + shell_word(word)};
}

TypedInput typed_graph(const Graph& graph, Vertex source, Vertex target) {
  const std::vector<std::string>& names = graph.names();
  std::vector<std::string> lines = names;  // so that vertices keep their order
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to)) lines.push_back(names[from] + " " + names[to]);
  const std::string file = "counterexample.edges";
  return {written(lines, file), "--graph " + file + " --source " + shell_word(names[source]) +
                                    " --target " + shell_word(names[target])};
}

TypedInput typed_cells(const Model& model, const std::vector<std::vector<Real>>& rows) {
  std::vector<std::string> lines = {joined(std::get<CellsInput>(model.input).names, " ")};
  for (const std::vector<Real>& row : rows) {
    std::vector<std::string> values;
    for (const Real& value : row) values.push_back(value.text());
    lines.push_back(joined(values, " "));
  }
  const std::string file = "counterexample.txt";
  return {written(lines, file), "--cells " + file};
}

}  // namespace logdepth
