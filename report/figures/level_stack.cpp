#include "report/figures/level_stack.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {
namespace {

using Kind = StackStep::Kind;

constexpr double kStackMargin = 24;
constexpr double kStackCharacter = 6.8,
                 kStackSmallCharacter = 5.9;    // of letters of 11 and of 10 pixels
constexpr double kStackWidth = 940;             // of a line of letters
constexpr double kPointSquare = 9, kApart = 2;  // points in a cell, and between them
constexpr std::size_t kSquaresInRow = 8, kMostSquares = 24;
constexpr double kCellHead = 19;   // of a cell, where its value stands
constexpr double kBandGap = 16;    // between cells of two levels
constexpr double kValueLine = 15;  // of the values beside a band
constexpr std::size_t kValuesListed = 6, kValueCharacters = 26, kStackLetterCharacters = 10;
constexpr std::array<const char*, 10> kValueFills = {"#DCEBF6", "#FBE3D3", "#D8EFE7", "#F3DEEC",
                                                     "#E4E4E4", "#F5E9CB", "#E6DDF0", "#ECE0D8",
                                                     "#DDF0FA", "#F4D9E0"};

double width_of(const std::string& text, double character) {
  return static_cast<double>(count_characters(text)) * character;
}

std::string look(const char* name, const char* value) {
  return svg_attribute(name, value) + " ";
}

std::string key(const char* what, std::size_t level, std::size_t column) {
  return what + std::to_string(level) + "-" + std::to_string(column);
}

class StackDrawing {
 public:
  explicit StackDrawing(const LevelStack& stack) : stack_(stack) {
    squares_ = stack.points <= kMostSquares;
    const std::size_t in_row = std::min(stack.points, kSquaresInRow);
    const std::size_t rows =
        squares_ ? (stack.points + kSquaresInRow - 1) / kSquaresInRow : std::size_t{1};
    cell_ = std::max(
        {squares_ ? static_cast<double>(in_row) * (kPointSquare + kApart) + 10 : 46, 34.0});
    glyph_ = squares_ ? static_cast<double>(rows) * (kPointSquare + kApart) : kPointSquare + kApart;
    for (const std::string& result : stack.results)
      cell_ = std::max(cell_, width_of(result, kStackCharacter) + 14);
    for (const std::string& letter : stack.letters)
      gutter_ = std::max(gutter_, width_of(cut_text(letter, kStackLetterCharacters), 8) + 12);
    labels_ = width_of(stack.points_name, kStackCharacter) + 12;
    for (const StackLevel& level : stack.levels) {
      for (const StackStep& step : level.steps)
        gutter_ = std::max(gutter_, width_of(step.text, kStackSmallCharacter) + 10);
      labels_ =
          std::max({labels_, width_of(level.name, 8.8) + width_of(level.note, kStackCharacter) + 34,
                    width_of(stack.results_name, kStackCharacter) + 12});
      for (const std::string& value : listed(level))
        labels_ = std::max(labels_, width_of(value, kStackCharacter) + 42);
    }
    const double room = kStackWidth - 2 * kStackMargin - labels_ - cell_;
    const auto most = static_cast<std::size_t>(std::max(1.0, room / (cell_ + gutter_)));
    const std::size_t lines = std::max<std::size_t>(1, (stack.letters.size() + most - 1) / most);
    in_line_ = std::max<std::size_t>(1, (stack.letters.size() + lines - 1) / lines);
  }

  StripPicture draw() {
    StripPicture picture{stack_.title, 0, {}, "line"};
    title();
    picture.strips.push_back({"title"});
    end_strip(picture.strips.back());
    const std::size_t letters = stack_.letters.size();
    for (std::size_t first = 0; first == 0 || first < letters; first += in_line_) {
      const std::size_t last = std::min(letters, first + in_line_);
      Strip strip{letters == 0
                      ? "the empty word"
                      : "letters " + std::to_string(first + 1) + " to " + std::to_string(last),
                  picture.strips.size()};
      strip.top = y_;
      line(first, last, strip);
      end_strip(strip);
      picture.strips.push_back(std::move(strip));
    }
    picture.width = widest_ + kStackMargin;
    return picture;
  }

 private:
  // --- places ------------------------------------------------------------------------------------

  double left(std::size_t column) const {
    return kStackMargin + labels_ + static_cast<double>(column - first_) * (cell_ + gutter_);
  }
  double middle(std::size_t column) const { return left(column) + cell_ / 2; }
  double height() const { return kCellHead + glyph_ + 7; }
  double band_height(const StackLevel& level) const {
    return std::max(height(), 20 + kValueLine * static_cast<double>(listed(level).size())) +
           kBandGap;
  }
  double cell_top(std::size_t level) const { return tops_[level] + kBandGap / 2; }
  double cell_middle(std::size_t level) const { return cell_top(level) + kCellHead / 2 + 2; }

  static std::vector<std::string> listed(const StackLevel& level) {
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < level.values.size(); ++k) {
      if (k + 1 == kValuesListed && level.values.size() > kValuesListed) {
        lines.push_back("and " + std::to_string(level.values.size() - k) + " more");
        break;
      }
      lines.push_back(cut_text(level.values[k], kValueCharacters));
    }
    return lines;
  }

  static bool none(const StackLevel& level, std::size_t value) { return level.none && value == 0; }
  static std::string sign(const StackLevel& level, std::size_t value) {
    return none(level, value) ? "\xE2\x80\x93" : std::to_string(value - level.none);
  }
  static const char* ink(const StackLevel& level, std::size_t value) {
    return none(level, value) ? kQuietInk : kHues[(value - level.none) % kHues.size()];
  }
  static const char* fill(const StackLevel& level, std::size_t value) {
    return none(level, value) ? "#FFFFFF" : kValueFills[(value - level.none) % kValueFills.size()];
  }

  // --- drawing -----------------------------------------------------------------------------------

  void text(double x, double y, const std::string& content, double size,
            const std::string& attributes = "") {
    front_ += svg_text(x, y, content, svg_attribute("font-size", size) + " " + attributes);
    if (attributes.find("middle") == std::string::npos)
      widest_ = std::max(widest_, x + width_of(content, size * 0.63));
  }

  void title() {
    y_ = kStackMargin + 14;
    text(kStackMargin, y_, stack_.title, 17, "font-weight=\"bold\"");
    y_ += 21;
    text(kStackMargin, y_, stack_.subtitle, 12);
    y_ += 26;
    double x = kStackMargin;
    const auto sample = [&](const std::string& words, const auto& draw) {
      const double width = 52 + width_of(words, kStackCharacter) + 14;
      if (x + width > kStackWidth) {
        x = kStackMargin;
        y_ += 24;
      }
      draw();
      text(x + 52, y_, words, 11);
      x += width;
    };
    const auto mark_sample = [&](Kind kind, const char* colour, const std::string& words) {
      sample(words, [&] {
        front_ += mark(kind, {x, y_ - 4}, {x + 42, y_ - 4}, colour);
        if (kind == Kind::reset) front_ += svg_rect({x + 40, y_ - 14}, 5, 20, look("fill", colour));
      });
    };
    mark_sample(Kind::reset, kHues[1], "reset, whatever it was");
    mark_sample(Kind::permuted, kInk, "permuted, in cycles");
    mark_sample(Kind::kept, kQuietInk, "kept");
    sample("action of the letter on the levels below", [&] {
      lines_ += decision({x + 8, y_ - 12}, x + 34, y_ + 3);
    });
    if (squares_) {
      sample("states that are left", [&] {
        front_ += svg_rect({x + 32, y_ - 9}, kPointSquare, kPointSquare, look("fill", kHues[0]));
      });
      sample("ruled out at this level", [&] { front_ += outline({x + 32, y_ - 9}); });
    }
    for (const bool good : {true, false})
      sample(good ? stack_.good_name : stack_.bad_name, [&] {
        front_ += svg_rect({x + 16, y_ - 12}, 26, 16,
                           std::string("rx=\"8\" stroke=\"#00664F\" stroke-width=\"1.2\" ") +
                               look("fill", good ? "#00664F" : "#FFFFFF"));
      });
    y_ += 20;
  }

  void line(std::size_t first, std::size_t last, Strip& strip) {
    first_ = first;
    y_ += 16;
    header(last);
    tops_.clear();
    for (const StackLevel& level : stack_.levels) {
      tops_.push_back(y_);
      y_ += band_height(level);
    }
    const double right = left(last) + cell_ + 12;
    widest_ = std::max(widest_, right);
    for (std::size_t i = 0; i < stack_.levels.size(); ++i) {
      back_ += svg_rect({kStackMargin - 10, tops_[i]}, right - kStackMargin + 10,
                        band_height(stack_.levels[i]) - 4,
                        "rx=\"7\" " + svg_attribute("fill", i % 2 == 0 ? "#F4F4F1" : "#FAFAF8"));
      label(i);
      for (std::size_t column = first; column <= last; ++column) cell(i, column);
      for (std::size_t column = first + 1; column <= last; ++column) step(i, column, strip);
    }
    y_ += 8;
    text(kStackMargin, y_ + 15, stack_.results_name, 12, "font-weight=\"bold\"");
    for (std::size_t column = first; column <= last; ++column) result(column);
    y_ += 40;
    strip.tables.push_back(table(first, last));
  }

  void header(std::size_t last) {
    for (std::size_t column = first_ + 1; column <= last; ++column) {
      const std::string letter = cut_text(stack_.letters[column - 1], kStackLetterCharacters);
      const double half = std::max(12.0, width_of(letter, 8) / 2 + 5);
      const double x = left(column) - gutter_ / 2;
      front_ +=
          svg_rect({x - half, y_ - 4}, 2 * half, 22, "rx=\"5\" fill=\"#E3EEF6\" stroke=\"#8A8A8A\"",
                   stack_.letters[column - 1]);
      text(x, y_ + 11, letter, 13, "text-anchor=\"middle\" font-weight=\"bold\"");
    }
    text(kStackMargin, y_ + 11, "letters", 11, look("fill", kQuietInk));
    y_ += 32;
    const bool named = squares_ && stack_.points <= kSquaresInRow &&
                       std::ranges::all_of(stack_.point_names, [](const std::string& name) {
                         return count_characters(name) == 1;
                       });
    if (named)
      for (std::size_t column = first_; column <= last; ++column)
        for (std::size_t p = 0; p < stack_.points; ++p)
          text(point_place({left(column), 0}, p).first + kPointSquare / 2, y_ + 6,
               stack_.point_names[p], 9, "text-anchor=\"middle\" " + look("fill", kQuietInk));
    y_ += named ? 9 : 0;
    text(kStackMargin, y_ + 8, stack_.points_name, 11, look("fill", kQuietInk));
    std::vector<std::size_t> all(stack_.points);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t column = first_; column <= last; ++column)
      glyph({left(column), y_}, all, all, kQuietInk);
    y_ += glyph_ + 8;
  }

  void label(std::size_t at) {
    const StackLevel& level = stack_.levels[at];
    const double y = tops_[at] + 19;
    text(kStackMargin, y, level.name, 14, "font-weight=\"bold\"");
    text(kStackMargin + width_of(level.name, 8.8) + 10, y, level.note, 11, look("fill", kQuietInk));
    const auto lines = listed(level);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const double line = y + 4 + kValueLine * static_cast<double>(k + 1);
      if (k < level.values.size() && !lines[k].starts_with("and "))
        text(kStackMargin + 11, line - 1, sign(level, k), 11,
             "text-anchor=\"middle\" font-weight=\"bold\" " + look("fill", ink(level, k)));
      text(kStackMargin + 26, line - 1, none(level, k) ? "nothing to choose" : lines[k], 11);
    }
  }

  void cell(std::size_t at, std::size_t column) {
    const StackLevel& level = stack_.levels[at];
    const StackCell& held = level.cells[column];
    const double x = left(column), y = cell_top(at);
    const bool empty = none(level, held.value);
    std::string elements =
        svg_rect({x, y}, cell_, height(),
                 "rx=\"4\" " + look("fill", fill(level, held.value)) +
                     look("stroke", empty ? "#CFCFCF" : ink(level, held.value)) +
                     (empty ? "stroke-dasharray=\"3 3\"" : "stroke-width=\"1.1\""),
                 level.values[held.value]);
    elements += svg_text(x + cell_ / 2, y + 15, sign(level, held.value),
                         "text-anchor=\"middle\" font-size=\"13\" font-weight=\"bold\" " +
                             look("fill", ink(level, held.value)));
    front_ += svg_group(elements, key_attribute(key("c", at, column)));
    const auto before =
        at == 0 ? std::vector<std::size_t>{} : stack_.levels[at - 1].cells[column].points;
    glyph({x, y + kCellHead + 2}, held.points, before, ink(level, held.value), at == 0);
  }

  /// Points that are left, those that were left above as outlines, and a dot for each other.
  void glyph(PlotPoint corner, const std::vector<std::size_t>& points,
             const std::vector<std::size_t>& before, const char* colour, bool all_before = false) {
    if (!squares_) {
      const double share = static_cast<double>(points.size()) / static_cast<double>(stack_.points);
      front_ += svg_text(corner.first + cell_ / 2, corner.second + 9, std::to_string(points.size()),
                         "text-anchor=\"middle\" font-size=\"10\"");
      front_ += svg_rect({corner.first + cell_ / 2 - (cell_ - 10) / 2 * share, corner.second + 11},
                         (cell_ - 10) * share, 2, look("fill", colour));
      return;
    }
    for (std::size_t p = 0; p < stack_.points; ++p) {
      const PlotPoint at = point_place(corner, p);
      if (std::ranges::count(points, p) > 0) {
        front_ += svg_rect(at, kPointSquare, kPointSquare, look("fill", colour));
      } else if (all_before || std::ranges::count(before, p) > 0) {
        front_ += outline(at);
      } else {
        front_ += svg_rect({at.first + kPointSquare / 2 - 1, at.second + kPointSquare / 2 - 1}, 2,
                           2, look("fill", "#B8B8B8"));
      }
    }
  }

  /// Where the square of a point stands in a cell whose first row of squares begins there.
  PlotPoint point_place(PlotPoint corner, std::size_t point) const {
    const std::size_t in_row = std::min(stack_.points, kSquaresInRow);
    const double row = static_cast<double>(in_row) * (kPointSquare + kApart) - kApart;
    return {corner.first + (cell_ - row) / 2 +
                static_cast<double>(point % in_row) * (kPointSquare + kApart),
            corner.second + static_cast<double>(point / in_row) * (kPointSquare + kApart)};
  }

  static std::string outline(PlotPoint at) {
    return svg_rect({at.first + 0.5, at.second + 0.5}, kPointSquare - 1, kPointSquare - 1,
                    look("fill", "#FFFFFF") + look("stroke", "#9A9A9A") + "stroke-width=\"1\"");
  }

  /// Between the cells before and after a letter.
  void step(std::size_t at, std::size_t column, Strip& strip) {
    const StackLevel& level = stack_.levels[at];
    const StackStep& step = level.steps[column - 1];
    const char* colour = ink(level, level.cells[column].value);
    const double y = cell_middle(at), right = left(column), gap = right - gutter_;
    std::string elements =
        svg_rect({gap, cell_top(at)}, gutter_, height(), "fill=\"none\" pointer-events=\"all\"") +
        mark(step.kind, {gap, y}, {right, y}, colour);
    if (step.kind == Kind::reset)
      elements += svg_rect({right - 2, cell_top(at)}, 5, height(), look("fill", colour));
    if (!step.text.empty())
      elements +=
          svg_text(gap + gutter_ / 2, y - 10, step.text, "text-anchor=\"middle\" font-size=\"10\"");
    front_ += svg_group(elements, key_attribute(key("s", at, column)));
    StripNote note{key("s", at, column),
                   "letter " + std::to_string(column) + ", " + stack_.letters[column - 1] + ": " +
                       level.name + " " + step.note,
                   {},
                   "line" + std::to_string(first_),
                   at,
                   column};
    for (const std::size_t above : step.decided_by) {
      const double lane = gap + 5 + std::min(4 * static_cast<double>(at - 1), gutter_ - 12);
      lines_ += decision({gap, cell_top(above) + height() - 6}, lane, cell_top(at) - 1);
      note.marks.push_back(key("c", above, column - 1));
    }
    note.marks.push_back(key("c", at, column));
    strip.notes.push_back(std::move(note));
  }

  /// From one cell to the next.
  static std::string mark(Kind kind, PlotPoint from, PlotPoint to, const char* colour) {
    const auto [x, y] = from;
    const double end = to.first;
    const auto head = [&](double tip, double height, double size) {
      return svg_polygon(
          {{tip - 1.6 * size, height - size}, {tip - 1.6 * size, height + size}, {tip, height}},
          look("fill", colour));
    };
    const std::string stroke = look("stroke", colour);
    switch (kind) {
      case Kind::kept:
        return svg_line(from, to, look("stroke", "#9A9A9A") + "stroke-width=\"1.2\"");
      case Kind::reset:
        return svg_line(from, {x + 5, y}, look("stroke", "#9A9A9A") + "stroke-width=\"1.2\"") +
               svg_line({x + 5, y - 5}, {x + 5, y + 5},
                        look("stroke", "#9A9A9A") + "stroke-width=\"1.2\"") +
               head(end - 2, y, 5);
      case Kind::permuted: {
        std::string lines;
        for (const double side : {-5.0, 5.0}) {
          const std::string centre = svg_number((x + end) / 2);
          lines += svg_path("M" + svg_number(x) + " " + svg_number(y + side) + "C" + centre + " " +
                                svg_number(y + side) + " " + centre + " " + svg_number(y - side) +
                                " " + svg_number(end - 5) + " " + svg_number(y - side),
                            "fill=\"none\" stroke-width=\"1.6\" " + look("stroke", kInk)) +
                   svg_polygon({{end - 6, y - side - 3}, {end - 6, y - side + 3}, {end, y - side}},
                               look("fill", kInk));
        }
        return lines;
      }
      case Kind::mapped:
        break;
    }
    return svg_line(from, {end - 6, y}, stroke + "stroke-width=\"1.6\" stroke-dasharray=\"4 3\"") +
           head(end, y, 4);
  }

  /// From a cell to a lane beside it, and down to what is decided there.
  static std::string decision(PlotPoint from, double lane, double bottom) {
    const std::string colour = "#6B6B6B";
    return svg_circle(from, 2, look("fill", colour.c_str())) +
           svg_path("M" + svg_number(from.first) + " " + svg_number(from.second) + "H" +
                        svg_number(lane) + "V" + svg_number(bottom - 4),
                    "fill=\"none\" stroke-width=\"0.9\" " + look("stroke", colour.c_str())) +
           svg_polygon({{lane - 2.6, bottom - 5}, {lane + 2.6, bottom - 5}, {lane, bottom}},
                       look("fill", colour.c_str()));
  }

  void result(std::size_t column) {
    const std::string& name = stack_.results[column];
    const double width = std::max(26.0, width_of(name, kStackCharacter) + 12);
    const bool good = stack_.good[column];
    front_ += svg_rect({middle(column) - width / 2, y_}, width, 21,
                       std::string("rx=\"10\" stroke=\"#00664F\" stroke-width=\"1.2\" ") +
                           look("fill", good ? "#00664F" : "#FFFFFF"));
    text(middle(column), y_ + 14.5, name, 12,
         std::string("text-anchor=\"middle\" font-weight=\"bold\" ") +
             look("fill", good ? "#FFFFFF" : kInk));
  }

  StripTable table(std::size_t first, std::size_t last) const {
    StripTable table{stack_.title, {"letters read", "letter"}};
    for (const StackLevel& level : stack_.levels) table.headings.push_back(level.name);
    table.headings.push_back(stack_.results_name);
    for (std::size_t column = first; column <= last; ++column) {
      std::vector<std::string> row{std::to_string(column),
                                   column == 0 ? "" : stack_.letters[column - 1]};
      for (const StackLevel& level : stack_.levels)
        row.push_back((column == 0 ? "" : level.steps[column - 1].note + ": ") +
                      level.values[level.cells[column].value]);
      row.push_back(stack_.results[column]);
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  void end_strip(Strip& strip) {
    strip.elements = back_ + lines_ + front_;
    strip.bottom = y_;
    back_.clear();
    lines_.clear();
    front_.clear();
  }

  const LevelStack& stack_;
  bool squares_ = true;
  double cell_ = 0, glyph_ = 0, gutter_ = 30, labels_ = 0;
  std::size_t in_line_ = 1, first_ = 0;
  double y_ = 0, widest_ = 0;
  std::vector<double> tops_;
  std::string back_, lines_, front_;
};

}  // namespace

StripPicture level_stack_picture(const LevelStack& stack) {
  return StackDrawing(stack).draw();
}

}  // namespace logdepth::inline report_figures
