#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline objects {

/// The sentence of a message with a column in it: at its end, or before the advice after a semicolon.
std::string with_column(const std::string& sentence, std::size_t column);

/// A line of a file, for messages about what is in it.
struct TextPlace {
  std::string_view source;
  std::size_t line = 0;
  std::string_view text = {};

  InputError error(const std::string& sentence) const {
    return InputError(std::string(source), line, sentence);
  }
  /// With the column of a part of the line, in characters from 1 on; without one where it is no part.
  InputError error(std::string_view part, const std::string& sentence) const;
};

/// Calls `visit(place, fields)` with each line of the text and its fields between blanks; returns the
/// place of the last line.
template <typename Visit>
TextPlace for_each_line(std::string_view text, std::string_view source, Visit visit) {
  TextPlace place{source};
  for (const std::string_view line : lines_of(text)) {
    ++place.line;
    place.text = line;
    visit(place, fields_of(line));
  }
  return place;
}

/// A message about what begins at this offset of the text.
InputError error_at(std::string_view text, std::string_view source, std::size_t offset,
                    const std::string& sentence);
/// A message about a part of the text.
inline InputError error_at(std::string_view text, std::string_view source, std::string_view part,
                           const std::string& sentence) {
  return error_at(text, source, static_cast<std::size_t>(part.data() - text.data()), sentence);
}

}  // namespace logdepth::inline objects
