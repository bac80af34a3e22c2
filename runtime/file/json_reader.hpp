#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_tape.hpp"
#include "runtime/file/file_limits.hpp"
#include "runtime/file/open_members.hpp"
#include "runtime/numbers/rational.hpp"

namespace logdepth::inline runtime_file {

/// The tools that the members of a weights file are read with: each refuses whatever is not exactly
/// what it reads, with an InputError that names key and line.
class JsonReader {
 public:
  using Node = JsonTape::Node;
  using Kind = JsonTape::Kind;
  static constexpr Node kAbsent = 0;  ///< the root is nobody's member

  JsonReader(const JsonTape& tape, const std::string& source) : tape_(tape), source_(source) {}

  [[noreturn]] void fail(Node node, const std::string& sentence) const {
    refuse(tape_, node, source_, sentence);
  }

  // The tools: each refuses whatever is not exactly what it reads.

  void expect(Node node, Kind kind) const {
    if (tape_.kind(node) != kind) {
      fail(node,
           std::string("expected ") + kind_name(kind) + ", found " + kind_name(tape_.kind(node)));
    }
  }

  /// The values of exactly these keys; a name that ends in '?' may be missing (kAbsent).
  template <std::size_t N>
  std::array<Node, N> members(Node object, const std::array<const char*, N>& names) const {
    expect(object, Kind::object);
    std::array<Node, N> values{};
    for (Node key = tape_.first_child(object); key != tape_.end(object);) {
      const Node value = tape_.next(key);
      std::size_t i = 0;
      while (i < N && tape_.text(key) != plain(names[i])) ++i;
      if (i == N) fail(key, "unknown key");
      values[i] = value;
      key = tape_.next(value);
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (values[i] == kAbsent && plain(names[i]) == names[i]) {
        fail(object, std::string("the key \"") + names[i] + "\" is missing");
      }
    }
    return values;
  }
  static std::string_view plain(std::string_view name) {
    if (name.ends_with('?')) name.remove_suffix(1);
    return name;
  }
  std::optional<Node> find(Node object, std::string_view name) const {
    for (Node key = tape_.first_child(object); key != tape_.end(object);) {
      const Node value = tape_.next(key);
      if (tape_.text(key) == name) return value;
      key = tape_.next(value);
    }
    return std::nullopt;
  }
  /// The index of the object's "kind" among those known here; the other keys depend on it.
  std::size_t kind_of(Node object, std::initializer_list<std::string_view> known) const {
    expect(object, Kind::object);
    const auto kind = find(object, "kind");
    if (!kind) fail(object, "the key \"kind\" is missing");
    return one_of(*kind, known);
  }
  std::size_t one_of(Node node, std::initializer_list<std::string_view> known) const {
    expect(node, Kind::string);
    const auto found = std::find(known.begin(), known.end(), tape_.text(node));
    if (found == known.end()) {
      std::string sentence = "expected one of";
      const char* separator = " ";
      for (const auto word : known) {
        sentence += separator;
        append_quoted(word, sentence);
        separator = ", ";
      }
      fail(node, sentence + ", not " + shown(tape_.text(node)));
    }
    return static_cast<std::size_t>(found - known.begin());
  }
  std::vector<std::pair<std::string, Node>> entries(Node object) const {
    std::vector<std::pair<std::string, Node>> out;
    for (Node key = tape_.first_child(object); key != tape_.end(object);) {
      const Node value = tape_.next(key);
      out.emplace_back(tape_.text(key), value);
      key = tape_.next(value);
    }
    return out;
  }

  std::string text(Node node) const {
    expect(node, Kind::string);
    return std::string(tape_.text(node));
  }
  bool boolean(Node node) const {
    expect(node, Kind::boolean);
    return tape_.boolean(node);
  }
  std::uint64_t integer64(Node node, std::int64_t from, std::int64_t to) const {
    const bool fits = tape_.kind(node) == Kind::integer && tape_.integer(node) >= from &&
                      tape_.integer(node) <= to;
    if (!fits) {
      std::string got = kind_name(tape_.kind(node));
      if (tape_.kind(node) == Kind::integer) got = std::to_string(tape_.integer(node));
      if (tape_.kind(node) == Kind::number) got = shown(tape_.text(node));
      fail(node, fmt::format("expected an integer from {} to {}, found {}", from, to, got));
    }
    return static_cast<std::uint64_t>(tape_.integer(node));
  }
  std::uint32_t integer(Node node, std::int64_t from = 0,
                        std::int64_t to = std::numeric_limits<std::uint32_t>::max()) const {
    return static_cast<std::uint32_t>(integer64(node, from, to));
  }
  Rational rational(Node node) const {
    expect(node, Kind::string);
    const std::string_view spelling = tape_.text(node);
    if (spelling.size() > kMaxRationalDigits) {
      fail(node, fmt::format("a number of {} characters; the limit is {}", spelling.size(),
                             kMaxRationalDigits));
    }
    auto value = Rational::parse(spelling);
    if (!value) {
      fail(node, "expected a rational number in lowest terms, such as \"-3/4\" or \"2\", found " +
                     shown(spelling));
    }
    return std::move(*value);
  }

  template <class Read>
  std::vector<std::invoke_result_t<Read, Node>> list(Node node, std::size_t limit,
                                                     const Read& read) const {
    expect(node, Kind::array);
    const std::size_t count = tape_.count_elements(node);
    if (count > limit) {
      fail(node, fmt::format("{} elements; the limit is {}", count, limit));
    }
    std::vector<std::invoke_result_t<Read, Node>> out;
    out.reserve(count);
    for (Node child = tape_.first_child(node); child != tape_.end(node);
         child = tape_.next(child)) {
      out.push_back(read(child));
    }
    return out;
  }
  template <class Read>
  std::vector<std::invoke_result_t<Read, Node>> list(Node node, const Read& read) const {
    return list(node, kMaxJsonValues, read);
  }
  std::vector<std::string> texts(Node node) const {
    return list(node, [&](Node child) { return text(child); });
  }
  std::vector<std::uint32_t> integers(Node node) const {
    return list(node, [&](Node child) { return integer(child); });
  }
  std::vector<std::vector<std::uint32_t>> lists(Node node) const {
    return list(node, [&](Node child) { return integers(child); });
  }
  OpenMember member(Node node) const {
    if (tape_.kind(node) == Kind::string) return text(node);
    JsonText json{""};
    tape_.append_canonical(node, json.text);
    return json;
  }
  OpenMembers open_members(Node node) const {
    expect(node, Kind::object);
    OpenMembers out;
    for (const auto& [key, value] : entries(node)) out.emplace(key, member(value));
    return out;
  }

  /// The N elements of a short array: an index pair and a value, for example.
  template <std::size_t N>
  std::array<Node, N> tuple(Node node, const char* shape) const {
    std::array<Node, N> out{};
    std::size_t count = 0;
    if (tape_.kind(node) == Kind::array) {
      for (Node child = tape_.first_child(node); child != tape_.end(node);
           child = tape_.next(child)) {
        if (count < N) out[count] = child;
        ++count;
      }
    }
    if (count != N) fail(node, std::string("expected ") + shape);
    return out;
  }
  /// An optional key that is written only to say yes, so that a model has one canonical text.
  bool flag(Node node) const {
    if (node == kAbsent) return false;
    if (!boolean(node)) fail(node, "leave the key out instead of writing false");
    return true;
  }

 protected:
  const JsonTape& tape_;
  const std::string& source_;

 private:
  static const char* kind_name(Kind kind) {
    switch (kind) {
      case Kind::null:
        return "null";
      case Kind::boolean:
        return "a boolean";
      case Kind::integer:
        return "an integer";
      case Kind::number:
        return "a number";
      case Kind::string:
        return "a string";
      case Kind::array:
        return "an array";
      case Kind::object:
        return "an object";
    }
    return "something else";
  }
};

}  // namespace logdepth::inline runtime_file
