#include "proofs-check/pictures/save_drawing.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "figures/table_text.hpp"
#include "objects/input_error.hpp"
#include "objects/xml_text.hpp"
#include "proofs-check/file/measure.hpp"
#include "proofs-check/pictures/svg_text.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

constexpr const char* kStyle =
    "body{max-width:72em}th,td{border:0}th{padding:.25em 1.2em .25em 0;font-weight:600;"
    "white-space:nowrap}td{padding:.25em 0;overflow-wrap:anywhere}ul{margin:0;padding-left:1.1em}";

/// Runs a program without a shell, its messages thrown away. True when it ends with status 0.
bool run_quietly(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string list(const std::vector<std::string>& items) {
  if (items.empty()) return "none";
  std::string text = "<ul>";
  for (const std::string& item : items) text += "<li>" + xml_text(item) + "</li>";
  return text + "</ul>";
}

std::vector<std::string> parameter_lines(const Model& model) {
  std::vector<std::string> lines;
  const auto parameters = nlohmann::json::parse(model.parameters.text, nullptr, false);
  if (!parameters.is_object()) return lines;
  for (const auto& [key, value] : parameters.items())
    lines.push_back(key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return lines;
}

std::string claim_sheet(const Model& model) {
  const Measures m = measure(model, 0);
  std::string rows;
  const auto add = [&](const char* name, const std::string& html) {
    rows += "<tr><th>" + std::string(name) + "</th><td>" + html + "</td></tr>\n";
  };
  add("construction", xml_text(model.construction));
  add("source", xml_text(model.source));
  add("hypotheses", list(model.hypotheses));
  add("deviations", list(model.deviations));
  if (const auto parameters = parameter_lines(model); !parameters.empty())
    add("parameters", list(parameters));
  std::string depth =
      fmt::format("{}, shape ({}, {}, {})", depth_formula(model), m.initial, m.repeated, m.final);
  if (model.unroll.max_length)
    depth += fmt::format(", inputs up to n = {}", *model.unroll.max_length);
  add("depth", depth);
  add("sizes", fmt::format("width {}, strict width {}, cells {}, heads per sublayer {}, "
                           "feed-forward units {}, non-zero numbers {}",
                           m.width, m.strict_width, m.cells, m.heads, m.units, m.nonzeros));
  return "<table>\n" + rows + "</table>\n";
}

}  // namespace

std::string render_dot(const std::string& dot) {
  const TemporaryFolder folder;
  const std::string input = folder.file("circuit.dot"), output = folder.file("circuit.svg");
  write_whole_file(input, dot);
  if (!run_quietly({"dot", "-Tsvg", "-o", output, input}))
    throw InputError(
        "the picture needs the program dot of the Debian package graphviz, which is missing or "
        "failed");
  return bare_svg(read_whole_file(output));
}

std::string drawing_page(const Model& model, const std::string& svg) {
  return html_page(model.name.empty() ? "unnamed model" : model.name, kStyle,
                   claim_sheet(model) + "<figure>\n" + bare_svg(svg) + "</figure>\n");
}

void save_drawing(const Model& model, const Drawing& drawing, const std::string& path) {
  const auto svg = [&] {
    return drawing.kind == DrawingKind::dot ? render_dot(drawing.text) : drawing.text;
  };
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".dot") {
    if (drawing.kind != DrawingKind::dot)
      throw InputError(path + ": a picture of attention has no DOT form, use .svg or .html");
    write_whole_file(path, drawing.text);
  } else if (ending == ".svg") {
    write_whole_file(path, svg());
  } else if (ending == ".html") {
    write_whole_file(path, drawing_page(model, svg()));
  } else {
    throw InputError(path + ": a drawing is written as .svg, .dot or .html");
  }
}

}  // namespace logdepth
