#include "learned/word_problems/csv_fields.hpp"

#include <fmt/core.h>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {

std::vector<CsvField> csv_fields(std::string_view line, const std::string& source,
                                 std::size_t number) {
  std::vector<CsvField> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    CsvField& field = fields.back();
    if (line[i] == ',') {
      fields.push_back({"", i + 1});
    } else if (line[i] == '"' && field.text.empty() && i == field.begin) {
      field.begin = i + 1;
      for (++i; i < line.size() && (line[i] != '"' || line.substr(i).starts_with("\"\"")); ++i) {
        if (line[i] == '"') ++i;
        field.text += line[i];
      }
      if (i == line.size() || (i + 1 < line.size() && line[i + 1] != ','))
        throw InputError(
            source, number,
            fmt::format("column {}: expected '\"' to end the quoted field", fields.size()));
    } else {
      field.text += line[i];
    }
  }
  return fields;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace logdepth::inline learned_word_problems
