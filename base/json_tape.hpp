#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace logdepth { inline namespace base {

/// Limits of a JSON text, beside those of whoever reads it.
inline constexpr std::size_t kMaxJsonValues = std::size_t{1} << 26;
inline constexpr std::size_t kMaxJsonDepth = 32;

/// The way from the root to a value: names and indices. Written `layers[2].attention.mask`.
using JsonPath = std::vector<std::variant<std::string, std::size_t>>;
std::string path_text(const JsonPath& path);

/// `text` as a JSON string, escaped as little as JSON allows (what Python's
/// json.dumps(text, ensure_ascii=False) prints).
void append_quoted(std::string_view text, std::string& out);
/// `text` quoted for a message, cut off when it is long.
std::string shown(std::string_view text);

bool is_utf8(std::string_view text);

/// A JSON document in one array: values in the order of the text, each with the line it starts on
/// and the end of its subtree, all strings in one buffer. A value costs 16 bytes and no allocation,
/// which is what makes files of many megabytes cheap; keys are kept as the text has them, so that
/// nothing is merged or reordered behind the reader's back.
class JsonTape {
 public:
  using Node = std::uint32_t;
  /// `integer` fits int64; any other number is `number` and keeps its spelling.
  enum class Kind : std::uint8_t { null, boolean, integer, number, string, array, object };

  /// Strict JSON (RFC 8259), one document, no repeated key, no byte order mark.
  /// Errors: InputError(source, line, ...).
  static JsonTape parse(std::string_view text, const std::string& source);

  // Building, in the order of the text. Errors: SizeLimit beyond the limits above.
  void add_null();
  void add_boolean(bool value);
  void add_integer(std::int64_t value);
  void add_number(std::string_view spelling);
  void add_string(std::string_view text);
  void add_key(std::string_view text) { add_string(text); }
  void open_array() { open(Kind::array); }
  void open_object() { open(Kind::object); }
  void close();
  /// Parses `text` and adds its value. Errors: InputError.
  void add_json(std::string_view text, const std::string& source);
  /// One more member of the finished object that is the root.
  void add_to_root(std::string_view key, std::string_view text);
  void at_line(std::size_t line) { line_ = static_cast<std::uint32_t>(line); }

  // Reading. Node 0 is the root.
  Kind kind(Node node) const { return static_cast<Kind>(values_[node].kind); }
  std::size_t line(Node node) const { return values_[node].line; }
  bool boolean(Node node) const { return values_[node].payload != 0; }
  std::int64_t integer(Node node) const { return static_cast<std::int64_t>(values_[node].payload); }
  std::string_view text(Node node) const {  ///< of a string, key or number
    return std::string_view(buffer_).substr(values_[node].payload >> 32,
                                            values_[node].payload & 0xffffffffu);
  }
  /// Children of an array or object: first_child(n), next(child), ... until end(n). The children of
  /// an object alternate between key and value.
  Node first_child(Node node) const { return node + 1; }
  Node next(Node child) const { return end(child); }
  Node end(Node node) const { return values_[node].end; }
  std::size_t count_elements(Node array) const;

  JsonPath path_to(Node node) const;
  /// The value at `path`, or the innermost value on the way that exists.
  Node nearest(const JsonPath& path) const;

  /// The canonical text (runtime/README.md) of a value, without a final newline, leaving out the
  /// members named in `without` if it is an object.
  void append_canonical(Node node, std::string& out,
                        std::span<const std::string_view> without = {}) const;

 private:
  struct Value {
    std::uint32_t line = 0;
    std::uint32_t kind : 4 = 0;
    std::uint32_t end : 28 = 0;
    std::uint64_t payload = 0;  ///< boolean, integer, or offset << 32 | length in buffer_
  };
  static_assert(kMaxJsonValues < (std::size_t{1} << 28));

  void add(Kind kind, std::uint64_t payload);
  void open(Kind kind);
  std::uint64_t store(std::string_view text);

  std::vector<Value> values_;
  std::string buffer_;
  std::vector<Node> open_;
  std::uint32_t line_ = 0;
};

/// For messages about a value of the tape: its line and its path.
[[noreturn]] void refuse(const JsonTape& tape, JsonTape::Node node, const std::string& source,
                         const std::string& sentence);

}}  // namespace logdepth::base
