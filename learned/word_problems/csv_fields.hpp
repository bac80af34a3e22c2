#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline learned_word_problems {

/// A field of a line of a CSV file, without its quotation marks.
struct CsvField {
  std::string text;
  std::size_t begin = 0;  ///< of the text in the line, in bytes
};

/// The fields of a line, also those in quotation marks, in which a doubled mark is one. Errors:
/// InputError for a quoted field without an end.
std::vector<CsvField> csv_fields(std::string_view line, const std::string& source,
                                 std::size_t number);
/// A field as it is written, in quotation marks where it must be.
std::string csv_field(const std::string& text);

}  // namespace logdepth::inline learned_word_problems
