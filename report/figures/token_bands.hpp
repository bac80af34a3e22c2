#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures/strip_picture.hpp"
#include "report/figures/vertex_circle.hpp"

namespace logdepth { inline namespace report_figures {

struct BandToken {
  std::string name;
  bool quiet = false;  ///< stands back, as lines to it do: it carries nothing of the input
};

/// How lines of one kind look, and what they are.
struct BandStyle {
  std::string colour, dash, meaning;
};
/// The look of the kind of this number: hues first, then dashes.
BandStyle band_style(std::size_t number, const std::string& meaning);

/// A line from a token, in the lower row of a band, to the one in the upper row that it reads.
struct BandLine {
  std::size_t from = 0, to = 0;
  std::size_t style = 0;
  double share = 1;  ///< of what the token reads, from 0 to 1: how dark the line is
  bool wrong = false;
};

/// A text under every token.
struct BandRow {
  std::string label;
  std::vector<std::string> texts = {};
  bool quiet = false, bold = false;
  std::vector<std::size_t> wrong = {};  ///< tokens
};

/// One level: the tokens twice, and lines between them; or the tokens once, as nodes at columns and levels, and arrows.
struct Band {
  std::string name, note = {};
  std::vector<std::size_t> styles = {};  ///< of its lines, drawn a little apart in this order
  std::vector<BandLine> lines = {};
  std::vector<BandRow> rows = {};
  std::vector<std::string> details = {};  ///< of every token: what a page says of it; or none
  std::vector<std::size_t> wrong = {};    ///< tokens at which it goes wrong
  std::vector<CircleVertex> nodes = {};   ///< of every token, its label as the name; or none
};

struct BandVerdict {
  std::string text;
  bool good = false, wrong = false;
};

/// Who reads whom: tokens in a row and, from top to bottom, a band per level.
struct TokenBands {
  std::string title, subtitle;
  std::vector<std::string> alarms = {};  ///< what is wrong, in sentences
  std::vector<BandStyle> styles;
  std::vector<BandToken> tokens;
  std::size_t first_position = 0;  ///< the number of the first token
  std::vector<Band> bands;
  std::vector<BandRow> results;  ///< under the last band
  BandVerdict verdict;           ///< without a text: none
  std::vector<std::string> notes;
};

/// The picture of one, or of several beside each other, their bands at the same heights: a step for
/// each band. A line is an element of class "select", what is wrong one of class "wrong".
StripPicture token_bands_picture(const std::vector<TokenBands>& beside, std::string_view title);

}}  // namespace logdepth::report_figures
