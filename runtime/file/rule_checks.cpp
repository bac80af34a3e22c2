#include "runtime/file/rule_checks.hpp"

#include <set>
#include <utility>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/file_limits.hpp"

namespace logdepth::inline runtime_file {

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

void violate(const Place& place, std::string sentence) {
  throw Violation{place.path(), std::move(sentence)};
}

void check_text(const std::string& text, const Place& place) {
  if (!is_utf8(text)) violate(place, "the text is not UTF-8");
}

void check_texts(const std::vector<std::string>& texts, const Place& place) {
  for (std::size_t i = 0; i < texts.size(); ++i) check_text(texts[i], place / i);
}

void check_distinct_names(const std::vector<std::string>& names, const Place& place) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    check_text(names[i], place / i);
    if (names[i].empty()) violate(place / i, "a name is empty");
    if (!seen.insert(names[i]).second) {
      violate(place / i, "the name " + shown(names[i]) + " appears twice");
    }
  }
}

namespace {

void check_json(const JsonText& json, const Place& place) {
  try {
    // Inside a file the value lies two levels down.
    const JsonTape tape = JsonTape::parse("[[" + json.text + "]]", "text");
    if (tape.count_elements(1) != 1) violate(place, "expected one JSON value");
  } catch (const InputError& error) {
    violate(place, std::string("expected a JSON value: ") + error.what());
  }
}

void check_value(const Rational& value, const Place& place) {
  if (value.is_zero()) violate(place, "the value 0 is written out; leave the entry out");
}

}  // namespace

void check_members(const OpenMembers& members, const Place& place) {
  for (const auto& member : members) {
    check_text(member.first, place);
    const Place inside = place / member.first;
    std::visit(Overload{[&](const std::string& text) { check_text(text, inside); },
                        [&](const JsonText& json) { check_json(json, inside); }},
               member.second);
  }
}

void check_vector(const SparseVector& vector, std::uint32_t width, const Place& place) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const Place entry = place / i;
    if (vector[i].index >= width) {
      violate(entry,
              "index " + number(vector[i].index) + " is not below the width " + number(width));
    }
    if (i > 0 && vector[i].index <= vector[i - 1].index) {
      violate(entry, "index " + number(vector[i].index) + " does not increase");
    }
    check_value(vector[i].value, entry);
  }
}

void check_matrix(const SparseMatrix& matrix, const Place& place) {
  if (matrix.rows > kMaxUnits) {
    violate(place / "rows", "more than the limit of " + number(kMaxUnits));
  }
  if (matrix.columns > kMaxUnits) {
    violate(place / "columns", "more than the limit of " + number(kMaxUnits));
  }
  const Place entries = place / "entries";
  for (std::size_t i = 0; i < matrix.entries.size(); ++i) {
    const MatrixEntry& e = matrix.entries[i];
    const Place entry = entries / i;
    if (e.row >= matrix.rows || e.column >= matrix.columns) {
      violate(entry, "entry (" + number(e.row) + "," + number(e.column) + ") is outside " +
                         number(matrix.rows) + " rows and " + number(matrix.columns) + " columns");
    }
    if (i > 0) {
      const MatrixEntry& before = matrix.entries[i - 1];
      if (std::pair(e.row, e.column) <= std::pair(before.row, before.column)) {
        violate(entry, "entry (" + number(e.row) + "," + number(e.column) +
                           ") is not after the one before it in row-major order");
      }
    }
    check_value(e.value, entry);
  }
}

void expect_dimension(std::uint32_t actual, std::uint32_t expected, const Place& place,
                      const char* meaning) {
  if (actual != expected) {
    violate(place, "expected " + number(expected) + " (" + meaning + "), found " + number(actual));
  }
}

}  // namespace logdepth::inline runtime_file
