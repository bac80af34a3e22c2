#include "report/pictures/render.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
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

namespace {

/// A pixel in big points.
constexpr double kPixel = 0.75;

/// Characters that pdflatex has in mathematics only, or not at all.
constexpr std::pair<std::string_view, std::string_view> kCharacters[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\xC2\xA0", "~"},
    {"\xC2\xB7", "\\textperiodcentered{}"},
    {"\xC3\x97", "\\ensuremath{\\times}"},
    {"\xCE\xB5", "\\ensuremath{\\varepsilon}"},
    {"\xCF\x86", "\\ensuremath{\\varphi}"},
    {"\xE2\x80\x93", "--"},
    {"\xE2\x80\xA6", "\\ldots{}"},
    {"\xE2\x86\x90", "\\ensuremath{\\leftarrow}"},
    {"\xE2\x86\x92", "\\ensuremath{\\rightarrow}"},
    {"\xE2\x86\x93", "\\ensuremath{\\downarrow}"},
    {"\xE2\x88\x92", "\\ensuremath{-}"},
    {"\xE2\x88\x9A", "\\ensuremath{\\surd}"},
    {"\xE2\x88\x9E", "\\ensuremath{\\infty}"},
    {"\xE2\x89\xA0", "\\ensuremath{\\neq}"},
    {"\xE2\x89\xA4", "\\ensuremath{\\leq}"},
    {"\xE2\x89\xA5", "\\ensuremath{\\geq}"},
    {"\xE2\x8C\x88", "\\ensuremath{\\lceil}"},
    {"\xE2\x8C\x89", "\\ensuremath{\\rceil}"},
    {"\xE2\x9C\x93", "\\ensuremath{\\surd}"},
    {"\xE2\x9C\x97", "\\ensuremath{\\times}"},
    {"\xE2\x9C\x98", "\\ensuremath{\\times}"},
};

std::string tex_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto* const known =
        std::ranges::find_if(kCharacters, [&](auto& one) { return text.starts_with(one.first); });
    const bool plain = known == std::end(kCharacters);
    out += plain ? text.substr(0, 1) : known->second;
    text.remove_prefix(plain ? 1 : known->first.size());
  }
  return out;
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("the TikZ form of a picture does not have " + what);
}

double number(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) refuse("the number " + in_quotes(std::string(text)));
  return value;
}

std::string decimal(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string place(double x, double y) {
  return "(" + decimal(x) + "," + decimal(y) + ")";
}

/// "#0072B2", "white", "none" as xcolor takes it; empty for no colour.
std::string colour(std::string_view text) {
  if (text.empty() || text == "none" || text == "transparent") return "";
  if (text.front() != '#') return std::string(text);
  std::string digits(text.substr(1));
  if (digits.size() == 3)
    digits = {digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < 3; ++i) {
    const char* first = digits.data() + 2 * i;
    if (digits.size() != 6 || std::from_chars(first, first + 2, parts[i], 16).ec != std::errc())
      refuse("the colour " + in_quotes(std::string(text)));
  }
  return fmt::format("{{rgb,255:red,{};green,{};blue,{}}}", parts[0], parts[1], parts[2]);
}

/// What elements inherit.
struct Looks {
  std::string fill = "black", stroke = "none", family, weight, anchor = "start", dashes;
  double width = 1, size = 16, fill_opacity = 1, stroke_opacity = 1;
};

/// Numbers and commands of a path, a list of points, or the arguments of a transformation.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() {
    skip();
    return text_.empty();
  }
  bool at_letter() {
    skip();
    return !text_.empty() && std::isalpha(static_cast<unsigned char>(text_.front())) != 0;
  }
  char letter() {
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }
  double next() {
    skip();
    double value = 0;
    const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (read.ec != std::errc()) refuse("the list " + in_quotes(std::string(text_)));
    text_.remove_prefix(static_cast<std::size_t>(read.ptr - text_.data()));
    return value;
  }

 private:
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(" ,\n\t"), text_.size())); }
  std::string_view text_;
};

/// The path in TikZ's words.
std::string path_text(std::string_view data) {
  Reader reader(data);
  std::string text;
  double x = 0, y = 0;
  char command = 'M';
  const auto line = [&] { text += " -- " + place(x, y); };
  while (!reader.at_end()) {
    if (reader.at_letter()) command = reader.letter();
    switch (command) {
      case 'M':
        x = reader.next(), y = reader.next();
        text += (text.empty() ? "" : " ") + place(x, y);
        command = 'L';
        break;
      case 'L':
        x = reader.next(), y = reader.next();
        line();
        break;
      case 'H':
        x = reader.next();
        line();
        break;
      case 'V':
        y = reader.next();
        line();
        break;
      case 'C': {
        const double ax = reader.next(), ay = reader.next(), bx = reader.next(), by = reader.next();
        x = reader.next(), y = reader.next();
        text += " .. controls " + place(ax, ay) + " and " + place(bx, by) + " .. " + place(x, y);
        break;
      }
      case 'Q': {
        const double qx = reader.next(), qy = reader.next();
        const double fromx = x, fromy = y;
        x = reader.next(), y = reader.next();
        text += " .. controls " +
                place(fromx + 2 * (qx - fromx) / 3, fromy + 2 * (qy - fromy) / 3) + " and " +
                place(x + 2 * (qx - x) / 3, y + 2 * (qy - y) / 3) + " .. " + place(x, y);
        break;
      }
      case 'Z':
      case 'z':
        text += " -- cycle";
        break;
      default:
        refuse("the path command " + in_quotes(std::string(1, command)));
    }
  }
  return text;
}

/// "translate(64 172) rotate(-90)" as options of a scope; empty where nothing is moved.
std::string transform_options(std::string_view text) {
  std::string options;
  while (true) {
    const std::size_t open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return options;
    std::string_view name = text.substr(0, open);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    Reader arguments(text.substr(open + 1, close - open - 1));
    std::string option;
    if (name == "translate") {
      const double x = arguments.next(), y = arguments.at_end() ? 0 : arguments.next();
      if (x != 0 || y != 0) option = "shift={" + place(x, y) + "}";
    } else if (name == "rotate") {
      if (const double angle = arguments.next(); angle != 0)
        option = "rotate=" + decimal(-angle);  // the ordinate points down
    } else if (name == "scale") {
      if (const double factor = arguments.next(); factor != 1) option = "scale=" + decimal(factor);
    } else {
      refuse("the transformation " + in_quotes(std::string(name)));
    }
    if (!option.empty()) options += (options.empty() ? "" : ", ") + option;
    text.remove_prefix(close + 1);
  }
}

class Writer {
 public:
  std::string write(const pugi::xml_node& svg) {
    Looks looks;
    inherit(svg, looks);
    children(svg, looks);
    return std::move(out_);
  }

 private:
  static double attribute(const pugi::xml_node& node, const char* name, double otherwise = 0) {
    const std::string_view text = node.attribute(name).as_string();
    return text.empty() ? otherwise : number(text);
  }

  static void inherit(const pugi::xml_node& node, Looks& looks) {
    const auto text = [&](const char* name, std::string& of) {
      if (const auto found = node.attribute(name)) of = found.as_string();
    };
    text("fill", looks.fill);
    text("stroke", looks.stroke);
    text("font-family", looks.family);
    text("font-weight", looks.weight);
    text("text-anchor", looks.anchor);
    text("stroke-dasharray", looks.dashes);
    looks.width = attribute(node, "stroke-width", looks.width);
    looks.size = attribute(node, "font-size", looks.size);
    looks.fill_opacity = attribute(node, "fill-opacity", looks.fill_opacity);
    looks.stroke_opacity = attribute(node, "stroke-opacity", looks.stroke_opacity);
  }

  void children(const pugi::xml_node& node, const Looks& looks) {
    for (const pugi::xml_node& child : node.children()) element(child, looks);
  }

  void element(const pugi::xml_node& node, Looks looks) {
    const std::string_view name = node.name();
    if (name.empty() || name == "title" || name == "desc" || name == "style" || name == "script")
      return;
    inherit(node, looks);
    const std::string moved = transform_options(node.attribute("transform").as_string());
    if (name == "text") {
      text(node, looks, moved);
      return;
    }
    if (!moved.empty()) out_ += "\\begin{scope}[" + moved + "]\n";
    if (name == "g" || name == "a") {
      children(node, looks);
    } else {
      shape(node, name, looks);
    }
    if (!moved.empty()) out_ += "\\end{scope}\n";
  }

  void shape(const pugi::xml_node& node, std::string_view name, const Looks& looks) {
    std::string path, more;
    if (name == "rect") {
      const double x = attribute(node, "x"), y = attribute(node, "y");
      path = place(x, y) + " rectangle " +
             place(x + attribute(node, "width"), y + attribute(node, "height"));
      if (const double round = attribute(node, "rx"); round > 0)
        more = ", rounded corners=" + decimal(kPixel * round) + "bp";
    } else if (name == "line") {
      path = place(attribute(node, "x1"), attribute(node, "y1")) + " -- " +
             place(attribute(node, "x2"), attribute(node, "y2"));
    } else if (name == "circle") {
      path = place(attribute(node, "cx"), attribute(node, "cy")) +
             " circle[radius=" + decimal(kPixel * attribute(node, "r")) + "bp]";
    } else if (name == "ellipse") {
      path = place(attribute(node, "cx"), attribute(node, "cy")) +
             " ellipse[x radius=" + decimal(kPixel * attribute(node, "rx")) +
             "bp, y radius=" + decimal(kPixel * attribute(node, "ry")) + "bp]";
    } else if (name == "polygon" || name == "polyline") {
      Reader points(node.attribute("points").as_string());
      while (!points.at_end()) {
        const double x = points.next(), y = points.next();
        path += (path.empty() ? "" : " -- ") + place(x, y);
      }
      if (name == "polygon") path += " -- cycle";
    } else if (name == "path") {
      path = path_text(node.attribute("d").as_string());
    } else {
      refuse("the element " + in_quotes(std::string(name)));
    }
    std::string options;
    const auto add = [&](const std::string& option) {
      options += (options.empty() ? "" : ", ") + option;
    };
    if (const std::string fill = colour(looks.fill); !fill.empty() && name != "line") {
      add("fill=" + fill);
      if (looks.fill_opacity < 1) add("fill opacity=" + decimal(looks.fill_opacity));
    }
    if (const std::string stroke = colour(looks.stroke); !stroke.empty()) {
      add("draw=" + stroke);
      add("line width=" + decimal(kPixel * looks.width) + "bp");
      if (looks.stroke_opacity < 1) add("draw opacity=" + decimal(looks.stroke_opacity));
      if (!looks.dashes.empty() && looks.dashes != "none") add(dashes(looks.dashes));
    }
    if (!options.empty()) out_ += "\\path[" + options + more + "] " + path + ";\n";
  }

  static std::string dashes(std::string_view lengths) {
    Reader reader(lengths);
    std::vector<double> all;
    while (!reader.at_end()) all.push_back(reader.next());
    if (all.size() % 2 == 1) all.insert(all.end(), all.begin(), all.end());
    std::string text = "dash pattern=";
    for (std::size_t i = 0; i < all.size(); ++i)
      text += (i % 2 == 0 ? "on " : "off ") + decimal(kPixel * all[i]) + "bp" +
              (i + 1 < all.size() ? " " : "");
    return text;
  }

  void text(const pugi::xml_node& node, const Looks& looks, const std::string& moved) {
    std::string content;
    for (const pugi::xml_node& child : node.children())
      content += *child.name() == '\0' ? child.value() : child.child_value();
    const std::string ink = colour(looks.fill);
    if (content.empty() || ink.empty()) return;
    const char* anchor = looks.anchor == "middle" ? "base"
                         : looks.anchor == "end"  ? "base east"
                                                  : "base west";
    const char* family = looks.family.find("Mono") != std::string::npos ? "\\ttfamily"
                         : looks.family.find("serif") != std::string::npos &&
                                 looks.family.find("sans") == std::string::npos
                             ? "\\rmfamily"
                             : "\\sffamily";
    const double size = kPixel * looks.size;
    if (!moved.empty()) out_ += "\\begin{scope}[" + moved + ", transform shape]\n";
    out_ += fmt::format(
        "\\node[anchor={}, inner sep=0, outer sep=0, text={}, "
        "font=\\fontsize{{{}}}{{{}}}{}{}\\selectfont] at {} {{{}}};\n",
        anchor, ink, decimal(size), decimal(1.2 * size), family,
        looks.weight == "bold" ? "\\bfseries" : "",
        place(attribute(node, "x"), attribute(node, "y")), tex_text(content));
    if (!moved.empty()) out_ += "\\end{scope}\n";
  }

  std::string out_;
};

}  // namespace

std::string tikz_picture(const std::string& svg) {
  pugi::xml_document document;
  if (!document.load_buffer(svg.data(), svg.size(),
                            pugi::parse_default | pugi::parse_ws_pcdata_single))
    refuse("a text that is no SVG");
  return fmt::format(
      "% Needs \\usepackage{{tikz}}; helvet has narrow letters like those of the SVG.\n"
      "\\begin{{tikzpicture}}[x={0}bp, y=-{0}bp]\n{1}\\end{{tikzpicture}}\n",
      decimal(kPixel), Writer().write(document.child("svg")));
}

std::string tikz_document(const std::string& svg) {
  return "\\documentclass[border=2bp]{standalone}\n"
         "\\usepackage[T1]{fontenc}\n"
         "\\usepackage[scaled]{helvet}\n"
         "\\usepackage{tikz}\n"
         "\\begin{document}\n" +
         tikz_picture(svg) + "\\end{document}\n";
}

}}  // namespace logdepth::report_pictures
