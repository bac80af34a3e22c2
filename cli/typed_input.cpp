#include "cli/typed_input.hpp"

#include <algorithm>
#include <variant>

#include "base/phrases.hpp"
#include "base/shell_word.hpp"

namespace logdepth::inline cli {
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

TypedInput typed_graph(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  std::vector<std::string> lines = {"# edge list"};  // some lines hold one vertex
  // First the vertices, so that they keep their order.
  for (std::uint32_t i = 0; i < graph.vertices; ++i) lines.push_back(std::to_string(i));
  for (const auto& [from, to] : graph.edges)
    lines.push_back(std::to_string(from) + " " + std::to_string(to));
  const std::string file = "counterexample.edges";
  return {written(lines, file), "--graph " + file + " --source " + std::to_string(source) +
                                    " --target " + std::to_string(target)};
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

}  // namespace logdepth::inline cli
