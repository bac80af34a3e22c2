#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline report_figures {

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

}  // namespace logdepth::inline report_figures
