#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {

/// What a page says of an element of a picture when a reader points at it, or comes to it by keys:
/// Tab leads to the first of each group, arrow keys to the others by row and column.
struct StripNote {
  std::string key;  ///< of the elements of the strip that carry key_attribute(key); a word of ours
  std::string text;
  std::vector<std::string> marks = {};  ///< keys of elements that stand out with it
  std::string group = {};               ///< a word of ours
  std::size_t row = 0, column = 0;
};

/// What a strip shows, for readers who do not see it.
struct StripTable {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows = {};
};

/// A part of a picture from one height to another, over its whole width.
struct Strip {
  std::string name;                      ///< "iteration 2"
  std::optional<std::size_t> step = {};  ///< its number, if it is one of those that a page turns
  double top = 0, bottom = 0;
  std::string elements = {};            ///< as SVG, in the coordinates of the whole picture
  std::vector<StripNote> notes = {};    ///< of a page only
  std::vector<StripTable> tables = {};  ///< of a page only
};

/// A picture of strips below each other. Steps have increasing numbers, one after the other.
struct StripPicture {
  std::string title;
  double width = 0;
  std::vector<Strip> strips = {};
  std::string turned = "step";  ///< what a page calls a step
};

/// data-key="key", by which a note finds its elements.
std::string key_attribute(std::string_view key);

/// All strips as one picture.
std::string strips_svg(const StripPicture& picture);

/// A picture of strips as a part of a page that needs nothing else: every strip a picture of its
/// own with its tables below it, all in their order where nothing runs scripts. A script makes it
/// one step at a time, with a slider, arrow keys, and what the notes say of elements that a reader
/// points at or comes to by keys. The address chooses what it begins with: `#step=2` this step,
/// `#step=2,KEY` also the note of this key, `#all` all steps; none of them: the first, or all if
/// `together`.
std::string strips_section(const StripPicture& picture, bool together);

/// What this part adds to the looks of its page, for light and for dark ones.
std::string strips_style(const StripPicture& picture);

}}  // namespace logdepth::report_figures
