#include "report/figures/token_bands.hpp"

#include <algorithm>
#include <array>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {
namespace {

constexpr std::array<const char*, 4> kDashes = {"", "6 3", "2 3", "8 3 2 3"};

constexpr double kBandMargin = 24;
constexpr double kBandLabels = 136;  ///< room for the names of the bands
/// Between the two rows of dots of a band, and how much more with each token that lines have to
/// pass beyond some.
constexpr double kBandHeight = 108, kBandGrowth = 2.4;
constexpr std::size_t kFewTokens = 20;
constexpr double kFewStroke = 1.8, kManyStroke = 1.1, kWrongStroke = 3;
constexpr double kRowHeight = 17;
constexpr double kDigit = 6.7;     ///< width of a character of the small monospaced rows
constexpr double kDarkest = 0.85;  ///< of lines
constexpr double kBehind = 0.4;    ///< of those that stand back
constexpr double kNodeLevel = 50;  ///< between levels of nodes
/// Lines below could not be seen at all.
constexpr double kLightest = 0.06;
constexpr std::size_t kTokenCharacters = 10;
constexpr std::size_t kSelectedListed = 8;  ///< positions, in words

/// What pictures beside each other have in common, so that their bands begin at the same heights.
struct BandsLayout {
  std::size_t styles = 0, alarms = 0, tokens = 0;
  std::vector<std::size_t> rows;  ///< of each band

  double band_height() const {
    return kBandHeight +
           kBandGrowth * static_cast<double>(std::max(tokens, kFewTokens) - kFewTokens);
  }
};

BandsLayout layout_of(const std::vector<TokenBands>& beside) {
  BandsLayout layout;
  for (const TokenBands& bands : beside) {
    layout.styles = std::max(layout.styles, bands.styles.size());
    layout.alarms = std::max(layout.alarms, bands.alarms.size());
    layout.tokens = std::max(layout.tokens, bands.tokens.size());
    layout.rows.resize(std::max(layout.rows.size(), bands.bands.size()));
    for (std::size_t i = 0; i < bands.bands.size(); ++i)
      layout.rows[i] = std::max(layout.rows[i], bands.bands[i].rows.size());
  }
  return layout;
}

/// Draws one picture into the strips of all that stand beside each other.
class BandsDrawing {
 public:
  BandsDrawing(const TokenBands& bands, const BandsLayout& layout, double left, std::size_t number)
      : bands_(bands),
        layout_(layout),
        keys_("p" + std::to_string(number) + "-"),
        left_(left + kBandMargin),
        widest_(left_) {
    choose_step();
  }

  void draw(std::vector<Strip>& strips) {
    title();
    token_row();
    end_strip(strips.front());
    for (std::size_t i = 0; i < bands_.bands.size(); ++i) {
      band(i);
      describe(i, strips[1 + i]);
      end_strip(strips[1 + i]);
    }
    results();
    y_ += 4;
    for (const std::string& note : bands_.notes) {
      left_text(y_ + 4, note, quiet(), 11);
      y_ += 16;
    }
    y_ += kBandMargin - 8;
    end_strip(strips.back());
  }

  double right() const {
    return std::max(x(bands_.tokens.size()) - step_ / 2, widest_) + kBandMargin;
  }

 private:
  /// Tokens stand as close as the widest text of their column lets them.
  void choose_step() {
    std::size_t characters = 0;
    for (const BandToken& token : bands_.tokens)
      characters =
          std::max(characters, count_characters(cut_text(token.name, kTokenCharacters)) + 1);
    const auto consider = [&](const std::vector<BandRow>& rows) {
      for (const BandRow& row : rows)
        for (const std::string& text : row.texts)
          characters = std::max(characters, count_characters(text));
    };
    consider(bands_.results);
    for (const Band& band : bands_.bands) consider(band.rows);
    const std::size_t tokens = bands_.tokens.size();
    const double roomy = tokens <= 9 ? 76 : tokens <= 18 ? 58 : 42;
    step_ = std::max(roomy, static_cast<double>(characters) * kDigit + 8);
  }

  double x(std::size_t token) const {
    return left_ - kBandMargin + kBandLabels + step_ * (static_cast<double>(token) + 0.5);
  }

  static std::string wrong() { return "class=\"wrong\" fill=\"" + std::string(kWrongInk) + "\""; }
  static std::string quiet() { return "fill=\"" + std::string(kQuietInk) + "\""; }

  void left_text(double y, const std::string& content, const std::string& style, double size = 12) {
    front_ += svg_text(left_, y, content, "font-size=\"" + svg_number(size) + "\" " + style);
    widest_ =
        std::max(widest_, left_ + static_cast<double>(count_characters(content)) * size * 0.66);
  }

  static std::string stroke(const BandStyle& style, double width) {
    return "stroke=\"" + style.colour + "\" " + svg_attribute("stroke-width", width) +
           (style.dash.empty() ? "" : " stroke-dasharray=\"" + style.dash + "\"");
  }

  void title() {
    y_ = kBandMargin + 14;
    left_text(y_, bands_.title, "font-weight=\"bold\"", 17);
    y_ += 20;
    left_text(y_, bands_.subtitle, "");
    for (std::size_t i = 0; i < bands_.alarms.size(); ++i)
      left_text(y_ + 20 * static_cast<double>(i + 1),
                std::string(kWrongSign) + " " + bands_.alarms[i], wrong() + " font-weight=\"bold\"",
                13);
    y_ += 20 * static_cast<double>(layout_.alarms);
    double y = y_;
    for (const BandStyle& style : bands_.styles) {
      y += 19;
      front_ += svg_line({left_, y - 4}, {left_ + 26, y - 4}, stroke(style, kFewStroke));
      front_ += svg_text(left_ + 34, y, style.meaning, "font-size=\"12\"");
      widest_ = std::max(widest_,
                         left_ + 34 + static_cast<double>(count_characters(style.meaning)) * 7.9);
    }
    y_ += 19 * static_cast<double>(layout_.styles) + 18;
  }

  void token_row() {
    y_ += 20;
    for (std::size_t token = 0; token < bands_.tokens.size(); ++token) {
      const auto& [name, stands_back] = bands_.tokens[token];
      const std::string shown = cut_text(name, kTokenCharacters);
      const double half = std::max(13.0, static_cast<double>(count_characters(shown)) * 4.0 + 5);
      front_ += svg_rect({x(token) - half, y_ - 15}, 2 * half, 22,
                         std::string("rx=\"5\" fill=\"") + (stands_back ? "#ECECEC" : "#E3EEF6") +
                             "\" stroke=\"#8A8A8A\"",
                         name);
      front_ += svg_text(x(token), y_, shown,
                         std::string("text-anchor=\"middle\" font-size=\"") +
                             (stands_back ? "11" : "13") + "\" font-weight=\"" +
                             (stands_back ? "normal" : "bold") + "\"");
      front_ += svg_text(x(token), y_ + 22, std::to_string(bands_.first_position + token),
                         "text-anchor=\"middle\" font-size=\"10\" " + quiet());
    }
    left_text(y_, "tokens", quiet(), 11);
    left_text(y_ + 22, "position", quiet(), 10);
    y_ += 36;
  }

  void band(std::size_t at) {
    const Band& band = bands_.bands[at];
    const bool lines = band.nodes.empty();
    const double top = y_ + 12, bottom = lines ? top + layout_.band_height() : nodes(band, top);
    const double end = bottom + 12 + kRowHeight * static_cast<double>(layout_.rows[at]) + 6;
    back_ +=
        svg_rect({left_ - 10, y_}, x(bands_.tokens.size()) - step_ / 2 - left_ + 16, end - y_,
                 std::string("rx=\"7\" fill=\"") + (at % 2 == 0 ? "#F4F4F1" : "#FAFAF8") + "\"");
    left_text(top + 14, band.name, "font-weight=\"bold\"", 14);
    left_text(top + 31, band.note, quiet(), 11);
    for (const BandLine& one : band.lines)
      if (lines) line(band, one, top, bottom);
    for (std::size_t token = band.nodes.size(); token < bands_.tokens.size(); ++token)
      front_ += svg_group(svg_rect({x(token) - step_ / 2, top}, step_, bottom - top,
                                   "fill=\"none\" pointer-events=\"all\"") +
                              svg_circle({x(token), top}, 3.2, "fill=\"#3A3A3A\"") +
                              svg_circle({x(token), bottom}, 3.2, "fill=\"#3A3A3A\""),
                          key_attribute(token_key(token)));
    for (const std::size_t token : band.wrong)
      front_ += svg_circle({x(token), bottom}, 8,
                           "class=\"wrong\" fill=\"none\" stroke-width=\"3\" stroke=\"" +
                               std::string(kWrongInk) + "\"");
    y_ = bottom + 12 + 10;
    for (const BandRow& one : band.rows) row(one);
    y_ = end + 8;
  }

  /// Draws the nodes of a band below `top` and returns where they end.
  double nodes(const Band& band, double top) {
    VertexCircle drawn{band.nodes, {}};
    double first = top + 16, bottom = 0;
    for (const BandLine& line : band.lines) {
      const auto from = *band.nodes[line.from].place, to = *band.nodes[line.to].place;
      const bool own = std::ranges::count(band.styles, line.style) > 0;
      const double bend = from.second == to.second ? -0.25 : own ? 0.14 : 0;  // an arc, if level
      first = std::max(first, top + 6 + step_ * bend * (to.first - from.first) / 2 -
                                  kNodeLevel * (from.second + to.second) / 2);
      drawn.arrows.push_back({line.from, line.to, bands_.styles[line.style].colour, kFewStroke,
                              bands_.tokens[line.to].quiet ? kBehind : kDarkest,
                              own ? line_key(line.from) : "", bend});
    }
    for (std::size_t token = 0; token < band.nodes.size(); ++token) {
      auto& [x_at, y_at] = *drawn.vertices[token].place;
      drawn.vertices[token].key = token_key(token);
      x_at = x(0) + step_ * x_at;
      y_at = first + kNodeLevel * y_at;
      bottom = std::max(bottom, y_at);
    }
    front_ += circle_elements(drawn, {});
    return bottom + 14;
  }

  /// From the reading token below to the one above that is read.
  void line(const Band& band, const BandLine& one, double top, double bottom) {
    // Kinds stand a little apart, so that equal choices stay visible.
    const auto place = std::find(band.styles.begin(), band.styles.end(), one.style);
    const double shift = 3.0 * (static_cast<double>(place - band.styles.begin()) -
                                static_cast<double>(band.styles.size() - 1) / 2);
    const double width = one.wrong                     ? kWrongStroke
                         : layout_.tokens > kFewTokens ? kManyStroke
                                                       : kFewStroke;
    const double dark =
        one.wrong ? 1 : kDarkest * one.share * (bands_.tokens[one.to].quiet ? kBehind : 1);
    BandStyle style = bands_.styles[one.style];
    if (one.wrong) style.colour = kWrongInk;
    const double middle = (top + bottom) / 2, from = x(one.from) + shift, to = x(one.to) + shift;
    lines_ += svg_path(
        "M" + svg_number(from) + " " + svg_number(bottom) + "C" + svg_number(from) + " " +
            svg_number(middle) + " " + svg_number(to) + " " + svg_number(middle) + " " +
            svg_number(to) + " " + svg_number(top),
        std::string(one.wrong ? "class=\"select wrong\" " : "class=\"select\" ") +
            key_attribute(line_key(one.from)) + " fill=\"none\" " + stroke(style, width) + " " +
            svg_attribute("stroke-opacity", fixed_text(std::max(kLightest, dark), 2)));
  }

  void row(const BandRow& row) {
    left_text(y_, row.label, quiet(), 11);
    const std::string colour = row.quiet ? kQuietInk : row.bold ? "#000000" : "#202020";
    for (std::size_t token = 0; token < row.texts.size(); ++token) {
      const bool is_wrong = std::ranges::count(row.wrong, token) > 0;
      front_ += svg_text(
          x(token), y_, row.texts[token],
          "text-anchor=\"middle\" font-size=\"11\" font-family=\"DejaVu Sans Mono,monospace\" " +
              (is_wrong ? wrong() : "fill=\"" + colour + "\"") +
              (row.bold || is_wrong ? " font-weight=\"bold\"" : ""));
    }
    y_ += kRowHeight;
  }

  void results() {
    y_ += 12;
    for (const BandRow& one : bands_.results) {
      row(one);
      y_ += 6;
    }
    const auto& [text, good, is_wrong] = bands_.verdict;
    if (text.empty()) return;
    const double last = x(bands_.tokens.size() - 1);
    const double half = std::max(40.0, static_cast<double>(text.size()) * 4.4 + 8);
    const double left = std::max(left_ - kBandMargin + kBandLabels,
                                 std::min(last - half, last + step_ / 2 - 2 * half));
    front_ += svg_rect(
        {left, y_ - 6}, 2 * half, 26,
        is_wrong ? "rx=\"6\" " + wrong()
                 : std::string("rx=\"6\" fill=\"") + (good ? "#00664F" : "#A34700") + "\"");
    widest_ = std::max(widest_, left + 2 * half);
    front_ += svg_text(left + half, y_ + 12, text,
                       "text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\" "
                       "fill=\"#FFFFFF\"");
    left_text(y_ + 11, "verdict", quiet(), 11);
    y_ += 34;
  }

  void end_strip(Strip& strip) {
    strip.elements += back_ + lines_ + front_;
    back_.clear();
    lines_.clear();
    front_.clear();
    strip.bottom = std::max(strip.bottom, y_);
  }

  // --- for a page --------------------------------------------------------------------------------

  std::string token_key(std::size_t token) const { return keys_ + "t" + std::to_string(token); }
  std::string line_key(std::size_t token) const { return keys_ + "l" + std::to_string(token); }

  void describe(std::size_t at, Strip& strip) const {
    const Band& band = bands_.bands[at];
    strip.step = at + 1;
    if (strip.name.empty()) strip.name = band.name + ", " + band.note;
    StripTable table{
        band.name + ", " + band.note + (bands_.title.empty() ? "" : ": ") + bands_.title,
        {"position", "token", "selects"}};
    for (const BandRow& row : band.rows) table.headings.push_back(row.label);
    if (!band.nodes.empty()) table.headings.emplace_back("label");
    for (std::size_t token = 0; token < bands_.tokens.size(); ++token) {
      std::vector<std::string> texts = {std::to_string(bands_.first_position + token),
                                        bands_.tokens[token].name, selected(band, token)};
      for (const BandRow& row : band.rows) texts.push_back(row.texts.at(token));
      if (!band.nodes.empty()) texts.push_back(band.nodes[token].name);
      StripNote note{token_key(token),
                     texts[0] + ": " + texts[1] + ", " + strip.name + ". Selects " + texts[2] + ".",
                     {line_key(token)},
                     keys_ + "tokens",
                     0,
                     token};
      for (const BandLine& line : band.lines)
        if (line.from == token) note.marks.push_back(token_key(line.to));
      for (std::size_t i = 3; i < texts.size(); ++i)
        note.text += " " + table.headings[i] + ": " + texts[i] + ".";
      if (!band.details.empty()) note.text += " " + band.details.at(token);
      strip.notes.push_back(std::move(note));
      table.rows.push_back(std::move(texts));
    }
    strip.tables.push_back(std::move(table));
  }
  /// Positions, by the kinds of lines that lead there.
  std::string selected(const Band& band, std::size_t token) const {
    std::string text;
    for (const std::size_t style : band.styles) {
      std::string places;
      std::size_t count = 0;
      for (const BandLine& line : band.lines)
        if (line.from == token && line.style == style && ++count <= kSelectedListed)
          places += (count == 1 ? "" : " ") + std::to_string(bands_.first_position + line.to);
      if (count == 0) continue;
      if (count > kSelectedListed)
        places += " and " + std::to_string(count - kSelectedListed) + " more";
      text += (text.empty() ? "" : "; ") + places;
    }
    return text.empty() ? "nothing" : text;
  }

  const TokenBands& bands_;
  const BandsLayout& layout_;
  std::string keys_;
  double left_, widest_, step_ = 0, y_ = 0;
  std::string back_, lines_, front_;
};

}  // namespace

BandStyle band_style(std::size_t number, const std::string& meaning) {
  return {kHues[number % kHues.size()], kDashes[number / kHues.size() % kDashes.size()], meaning};
}

StripPicture token_bands_picture(const std::vector<TokenBands>& beside, std::string_view title) {
  const BandsLayout layout = layout_of(beside);
  StripPicture picture{std::string(title)};
  picture.strips.resize(layout.rows.size() + 2);
  picture.strips.front().name = "tokens";
  picture.strips.back().name = "answer";
  for (std::size_t i = 0; i < beside.size(); ++i) {
    BandsDrawing drawing(beside[i], layout, picture.width, i);
    drawing.draw(picture.strips);
    picture.width = drawing.right();
  }
  for (std::size_t i = 1; i < picture.strips.size(); ++i)
    picture.strips[i].top = picture.strips[i - 1].bottom;
  return picture;
}

}}  // namespace logdepth::report_figures
