#include "report/pictures/render.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/file/started_program.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

/// What an SVG made by Graphviz says beyond the picture: XML declaration, document type and
/// comments (which name the Graphviz version) are taken out, so that it can stand inside a page.
std::string bare_svg(std::string_view svg) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string_view::npos) return std::string(svg);
  svg.remove_prefix(begin);
  // Text and attributes hold no unescaped '<', so "<!--" can only be a comment.
  std::string result;
  while (true) {
    const std::size_t comment = svg.find("<!--");
    result += svg.substr(0, comment);
    if (comment == std::string_view::npos) break;
    const std::size_t end = svg.find("-->", comment);
    if (end == std::string_view::npos) break;
    svg.remove_prefix(end + 3);
    if (svg.starts_with('\n')) svg.remove_prefix(1);
  }
  return result;
}

/// What a program prints, its messages thrown away; absent where it does not end with status 0.
std::optional<std::string> output_of(std::vector<std::string> command) {
  const StartedProgram program = start_program(std::move(command), {}, ProgramErrors::dropped);
  std::string printed = read_to_end(program);
  if (wait_for_end(program) != 0) return std::nullopt;
  return printed;
}

InputError graphviz_failed() {
  return InputError(
      "the picture needs the program dot of the Debian package graphviz, which is missing or "
      "failed");
}

/// What stands between the two, from `at` on, which moves behind it.
std::string between(const std::string& text, const std::string& begin, const std::string& end,
                    std::size_t& at) {
  const std::size_t first = text.find(begin, at);
  const std::size_t last = first == std::string::npos ? first : text.find(end, first);
  if (last == std::string::npos) throw graphviz_failed();
  at = last + end.size();
  return text.substr(first + begin.size(), last - first - begin.size());
}

double number(const std::string& text) {
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    throw graphviz_failed();
  return value;
}

}  // namespace

std::vector<std::string> render_graphs(const std::string& dot) {
  const TemporaryFolder folder;
  const std::string input = folder.file("circuit.dot");
  write_whole_file(input, dot);
  // Of several graphs, only the first goes where the option -o says.
  const auto printed = output_of({"dot", "-Tsvg", input});
  if (!printed) throw graphviz_failed();
  const std::string& all = *printed;
  const std::string end = "</svg>\n";
  std::vector<std::string> pictures;
  for (std::size_t at = 0, next; (next = all.find(end, at)) != std::string::npos;) {
    next += end.size();
    pictures.push_back(bare_svg(std::string_view(all).substr(at, next - at)));
    at = next;
  }
  return pictures;
}

std::vector<LabelPicture> render_labels(const std::vector<std::string>& labels,
                                        const std::string& looks) {
  std::string graphs;
  for (const std::string& label : labels)
    graphs += "graph { graph [pad=0]; " + looks + "; label [label=" + label + "]; }\n";
  const auto pictures = render_graphs(graphs);
  if (pictures.size() != labels.size()) throw graphviz_failed();
  std::vector<LabelPicture> result;
  for (const std::string& picture : pictures) {
    std::size_t at = 0;
    LabelPicture label;
    between(picture, "viewBox=\"", " ", at);
    between(picture, "", " ", at);
    label.width = number(between(picture, "", " ", at));
    label.height = number(between(picture, "", "\"", at));
    between(picture, "class=\"node\">", "</title>\n", at);
    label.elements = between(picture, "", "</g>\n", at);
    result.push_back(std::move(label));
  }
  return result;
}

std::string render_svg(const std::string& svg, const std::string& form) {
  const TemporaryFolder folder;
  const std::string input = folder.file("picture.svg");
  write_whole_file(input, svg);
  // The date that a PDF names is fixed, so that the same picture gives the same bytes.
  auto picture = output_of({"env", "SOURCE_DATE_EPOCH=0", "rsvg-convert", "--unlimited", "--zoom",
                            form == "png" ? "2" : "1", "--format", form, input});
  if (!picture)
    throw InputError("a ." + form +
                     " needs the program rsvg-convert of the Debian package librsvg2-bin, which is "
                     "missing or failed");
  return std::move(*picture);
}

}}  // namespace logdepth::report_pictures
