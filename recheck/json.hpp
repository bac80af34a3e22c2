#pragma once

// JSON as a tree, and the canonical text of runtime/README.md. Owes: the same content as the file, nothing merged or
// rounded: repeated keys, bytes after the end, bad UTF-8 and more than 32 levels are refused, numbers keep their spelling.

#include <gmpxx.h>

#include <cstdint>
#include <string>
#include <vector>

namespace recheck {

/// The same number for GMP, whose constructors take `long`: 32 bits in a browser.
inline mpz_class exact(std::int64_t number) {
  return mpz_class(std::to_string(number));
}

struct Member;

struct Json {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::int64_t line = 0;  // where it begins; 0 for what was not read
  std::string text;       // a string's content, otherwise the spelling
  std::vector<Json> items;
  std::vector<Member> members;  // sorted by key

  /// Malformed, with the line.
  [[noreturn]] void fail(const std::string& problem) const;
  bool has(const std::string& key) const;
  const Json& at(const std::string& key) const;  // Malformed if it is missing
  /// The members are these and no others; those after `required` may be missing.
  void only(std::initializer_list<const char*> required,
            std::initializer_list<const char*> optional = {}) const;
  const std::vector<Member>& object() const;
  const std::vector<Json>& array() const;
  const std::string& string() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  mpq_class rational() const;  // a string "p" or "p/q" in lowest terms
};

struct Member {
  std::string key;
  Json value;
};

Json parse_json(const std::string& text);
/// A text as JSON, so that nothing in it is taken for something else.
std::string quoted(const std::string& text);
std::string canonical_text(const Json& value);

/// A file of at most 256 MiB; Malformed if there is none.
std::string read_text(const std::string& path);
/// The same, as JSON.
Json read_json(const std::string& path);

}  // namespace recheck
