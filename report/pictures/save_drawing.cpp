#include "report/pictures/save_drawing.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "compiler/file/measure.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/strip_page.hpp"
#include "report/figures/table_text.hpp"
#include "report/pictures/circuit_sheet.hpp"
#include "report/pictures/draw_circuit.hpp"
#include "report/pictures/render.hpp"
#include "report/pictures/tikz.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline report_pictures {
namespace {

constexpr const char* kStyle =
    "body{max-width:72em}th,td{border:0}th{padding:.25em 1.2em .25em 0;font-weight:600;"
    "white-space:nowrap}td{padding:.25em 0;overflow-wrap:anywhere}ul{margin:0;padding-left:1.1em}";

/// The heading of a run's page stands in the picture as well: it is there to be read aloud.
constexpr const char* kSaidByPicture = "h1{position:absolute;clip-path:inset(50%)}";

std::string list(const std::vector<std::string>& items) {
  if (items.empty()) return "none";
  std::string text = "<ul>";
  for (const std::string& item : items) text += "<li>" + xml_text(item) + "</li>";
  return text + "</ul>";
}

std::vector<std::string> parameter_lines(const Model& model) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : model.parameters)
    lines.push_back(key + ": " + member_text(value));
  return lines;
}

std::string model_card(const Model& model) {
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
  add("sizes", fmt::format("width {}, strict width {}, cells {}, heads per sublayer {}, hidden "
                           "units {}, nonzero weights {}",
                           m.width, m.strict_width, m.cells, m.heads, m.units, m.nonzeros));
  return "<table>\n" + rows + "</table>\n";
}

std::string title_of(const Model& model) {
  return model.name.empty() ? "unnamed model" : model.name;
}

/// What a name asks for. Errors: InputError when that is none of `forms`.
std::string form_of(const std::string& path, const std::vector<std::string>& forms) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::vector<std::string> endings;
  for (const std::string& form : forms) {
    endings.push_back("." + form);
    if (ending == endings.back()) return form;
  }
  throw InputError(path +
                   (ending == ".dot" ? ": this picture has no DOT form, expected "
                                     : ": expected a name that ends in ") +
                   joined(endings, ", "));
}

void write_picture(const std::string& svg, const std::string& form, const std::string& path) {
  write_whole_file(path, form == "svg"    ? svg
                         : form == "tex"  ? tikz_document(svg)
                         : form == "tikz" ? tikz_picture(svg)
                                          : render_svg(svg, form));
}

}  // namespace

std::string circuit_page(const Model& model, const StripPicture& picture) {
  return html_page(picture.title, kStyle + strips_style(picture) + kSaidByPicture,
                   strips_section(picture, false) + "<h2>Model card</h2>\n" + model_card(model));
}

std::string run_page(const Model& model, const StripPicture& picture, bool together) {
  return html_page(picture.title, kStyle + strips_style(picture) + kSaidByPicture,
                   strips_section(picture, together) +
                       "<details><summary>The weights file: " + xml_text(title_of(model)) +
                       "</summary>\n" + model_card(model) + "</details>\n");
}

std::string save_circuit(const Model& model, const CircuitCards& circuit, const std::string& path) {
  const std::string form = form_of(path, {"svg", "html", "pdf", "png", "tex", "tikz", "dot"});
  if (form == "dot") {
    write_whole_file(path, circuit_dot(circuit));
  } else if (form == "html") {
    write_whole_file(path, circuit_page(model, circuit_strips(circuit)));
  } else {
    const CircuitSheet sheet = circuit_sheet(circuit);
    write_picture(sheet.svg, form, path);
    return sheet_text(sheet);
  }
  return "";
}

void save_run(const Model& model, const StripPicture& picture, bool together,
              const std::string& path) {
  const std::string form = form_of(path, {"svg", "html", "pdf", "png", "tex", "tikz"});
  if (form == "html") {
    write_whole_file(path, run_page(model, picture, together));
  } else {
    write_picture(strips_svg(picture), form, path);
  }
}

void save_picture(const StripPicture& picture, const std::string& path) {
  const std::string form = form_of(path, {"svg", "html", "pdf", "png", "tex", "tikz"});
  if (form == "html") {
    write_whole_file(path, html_page(picture.title, kStyle + strips_style(picture) + kSaidByPicture,
                                     strips_section(picture, true)));
  } else {
    write_picture(strips_svg(picture), form, path);
  }
}

void save_graph(const std::string& dot, const std::string& path) {
  const std::string form = form_of(path, {"tex", "tikz"});
  write_picture(render_graphs(dot).at(0), form, path);
}

void save_figure(const std::string& svg, const std::string& path) {
  write_picture(svg, form_of(path, {"svg", "pdf", "png", "tex", "tikz"}), path);
}

}  // namespace logdepth::inline report_pictures
