#include "base/json_tape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace base {
namespace {

/// Where the lexer stands. It reads one character beyond a number to see its end; when that is a
/// line break, the number still belongs to the line before.
struct Progress {
  std::size_t line = 1;
  std::size_t column = 0;  ///< of the character that was read last
  char last = ' ';
  std::size_t line_of_number() const { return line - (last == '\n' ? 1 : 0); }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Progress* progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    progress_->last = *at_;
    progress_->column += (static_cast<unsigned char>(*at_) & 0xC0) != 0x80;  // characters
    if (*at_ == '\n') {
      ++progress_->line;
      progress_->column = 0;
    }
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Progress* progress_;
};

/// What remains of the library's message once its own position and the (possibly huge, possibly
/// not UTF-8) text it read last are cut away.
std::string plain_reason(std::string message) {
  if (const auto cut = message.find("; last read"); cut != std::string::npos) message.resize(cut);
  for (const char* marker : {"syntax error ", "] "}) {
    if (const auto start = message.find(marker); start != std::string::npos) {
      message.erase(0, start + std::strlen(marker));
      break;
    }
  }
  if (!is_utf8(message)) return "invalid text";
  return printable(message);
}

/// Fills a tape from the events of nlohmann::json's parser, whose own documents would merge
/// repeated keys and forget the lines.
class TapeFiller {
 public:
  TapeFiller(JsonTape& tape, const Progress& progress, const std::string& source)
      : tape_(tape), progress_(progress), source_(source) {}

  bool null() { return here().add_null(), true; }
  bool boolean(bool value) { return here().add_boolean(value), true; }
  bool number_integer(std::int64_t value) { return at_number().add_integer(value), true; }
  bool number_unsigned(std::uint64_t value) {
    if (value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      at_number().add_integer(static_cast<std::int64_t>(value));
    } else {
      at_number().add_number(std::to_string(value));
    }
    return true;
  }
  bool number_float(double, const std::string& spelling) {
    return at_number().add_number(spelling), true;
  }
  bool string(const std::string& text) { return here().add_string(text), true; }
  bool binary(const nlohmann::json::binary_t&) { return false; }
  bool key(const std::string& text) { return here().add_key(text), true; }
  bool start_object(std::size_t) { return enter(), here().open_object(), true; }
  bool start_array(std::size_t) { return enter(), here().open_array(), true; }
  bool end_array() { return --depth_, tape_.close(), true; }
  bool end_object() { return --depth_, tape_.close(), true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    throw InputError(
        source_, progress_.line_of_number(),
        "not valid JSON: " + plain_reason(error.what()) +
            (progress_.column > 0 ? fmt::format(", at column {}", progress_.column) : ""));
  }

 private:
  JsonTape& here() { return tape_.at_line(progress_.line), tape_; }
  JsonTape& at_number() { return tape_.at_line(progress_.line_of_number()), tape_; }
  void enter() {
    if (++depth_ > kMaxJsonDepth) {
      throw InputError(
          source_, progress_.line,
          fmt::format("arrays and objects are nested deeper than {} levels", kMaxJsonDepth));
    }
  }

  JsonTape& tape_;
  const Progress& progress_;
  const std::string& source_;
  std::size_t depth_ = 0;
};

/// The first key of the object that repeats an earlier one.
std::optional<JsonTape::Node> repeated_key(const JsonTape& tape, JsonTape::Node object,
                                           std::vector<JsonTape::Node>& keys) {
  keys.clear();
  for (auto key = tape.first_child(object); key != tape.end(object);) {
    keys.push_back(key);
    key = tape.next(tape.next(key));
  }
  std::sort(keys.begin(), keys.end(), [&](JsonTape::Node a, JsonTape::Node b) {
    const int order = tape.text(a).compare(tape.text(b));
    return order != 0 ? order < 0 : a < b;
  });
  const auto same = [&](JsonTape::Node a, JsonTape::Node b) {
    return tape.text(a) == tape.text(b);
  };
  const auto found = std::adjacent_find(keys.begin(), keys.end(), same);
  if (found == keys.end()) return std::nullopt;
  return *std::next(found);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

std::string path_text(const JsonPath& path) {
  std::string out;
  for (const auto& step : path) {
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      out += fmt::format("[{}]", *index);
    } else if (const auto& name = std::get<std::string>(step); is_name(name)) {
      if (!out.empty()) out += '.';
      out += name;
    } else {
      out += "[" + shown(name) + "]";
    }
  }
  return out;
}

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    constexpr std::string_view escaped = "\"\\\n\r\t\f\b", names = "\"\\nrtfb";
    if (const auto i = escaped.find(c); i != std::string_view::npos) {
      out += '\\';
      out += names[i];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string shown(std::string_view text) {
  std::size_t cut = std::min(text.size(), kMostQuoted);
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80)
    --cut;  // not inside a character
  std::string quoted;
  append_quoted(text.substr(0, cut), quoted);
  // What JSON leaves as it is may still disturb a terminal.
  return printable(quoted, std::string::npos) + (cut < text.size() ? "..." : "");
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void JsonTape::add(Kind kind, std::uint64_t payload) {
  if (values_.size() >= kMaxJsonValues) {
    throw SizeLimit(fmt::format("the text has more than {} JSON values", kMaxJsonValues));
  }
  Value value;
  value.line = line_;
  value.kind = static_cast<std::uint32_t>(kind) & 15u;
  value.end = static_cast<std::uint32_t>(values_.size() + 1) & 0xfffffffu;
  value.payload = payload;
  values_.push_back(value);
}

std::uint64_t JsonTape::store(std::string_view text) {
  const std::uint64_t offset = buffer_.size();
  if (offset + text.size() > 0xffffffffu) throw SizeLimit("the strings exceed 4 GiB");
  buffer_ += text;
  return offset << 32 | text.size();
}

void JsonTape::add_null() {
  add(Kind::null, 0);
}
void JsonTape::add_boolean(bool value) {
  add(Kind::boolean, value ? 1 : 0);
}
void JsonTape::add_integer(std::int64_t value) {
  add(Kind::integer, static_cast<std::uint64_t>(value));
}
void JsonTape::add_number(std::string_view spelling) {
  add(Kind::number, store(spelling));
}
void JsonTape::add_string(std::string_view text) {
  add(Kind::string, store(text));
}

void JsonTape::open(Kind kind) {
  open_.push_back(static_cast<Node>(values_.size()));
  add(kind, 0);
}

void JsonTape::close() {
  values_[open_.back()].end = static_cast<std::uint32_t>(values_.size()) & 0xfffffffu;
  open_.pop_back();
}

void JsonTape::add_to_root(std::string_view key, std::string_view text) {
  open_.push_back(0);
  add_key(key);
  add_string(text);
  close();
}

void JsonTape::add_json(std::string_view text, const std::string& source) {
  if (text.starts_with("\xef\xbb\xbf")) {
    throw InputError(source, 1, "the text starts with a byte order mark; save it without one");
  }
  // The library takes a NUL byte for the end of the text.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(nul), '\n');
    throw InputError(source, static_cast<std::size_t>(line), "not valid JSON: a NUL byte");
  }
  const Node first = static_cast<Node>(values_.size());
  Progress progress;
  TapeFiller filler(*this, progress, source);
  try {
    nlohmann::json::sax_parse(CountingIterator(text.data(), &progress),
                              CountingIterator(text.data() + text.size(), &progress), &filler);
  } catch (const SizeLimit& error) {
    throw InputError(source, progress.line, error.what());
  }
  std::vector<Node> keys;
  for (Node node = first; node < values_.size(); ++node) {
    if (kind(node) != Kind::object) continue;
    if (const auto key = repeated_key(*this, node, keys)) {
      throw InputError(source, line(*key),
                       "the key " + path_text(path_to(*key)) + " appears twice in one object");
    }
  }
}

JsonTape JsonTape::parse(std::string_view text, const std::string& source) {
  JsonTape tape;
  tape.add_json(text, source);
  return tape;
}

std::size_t JsonTape::count_elements(Node array) const {
  std::size_t count = 0;
  for (Node child = first_child(array); child != end(array); child = next(child)) ++count;
  return count;
}

JsonPath JsonTape::path_to(Node target) const {
  JsonPath path;
  for (Node node = 0; node != target;) {
    const bool object = kind(node) == Kind::object;
    std::size_t index = 0;
    Node child = first_child(node);
    for (; end(child) <= target; child = next(child)) ++index;
    if (!object) {
      path.emplace_back(index);
    } else if (index % 2 == 0) {  // the target is this key
      path.emplace_back(std::string(text(child)));
    } else {
      // The key before this value is the last node before it.
      path.emplace_back(std::string(text(child - 1)));
    }
    node = child;
  }
  return path;
}

JsonTape::Node JsonTape::nearest(const JsonPath& path) const {
  Node node = 0;
  for (const auto& step : path) {
    Node child = first_child(node);
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      if (kind(node) != Kind::array) return node;
      for (std::size_t i = 0; i < *index && child != end(node); ++i) child = next(child);
    } else {
      if (kind(node) != Kind::object) return node;
      while (child != end(node) && text(child) != std::get<std::string>(step)) {
        child = next(next(child));
      }
      if (child != end(node)) child = next(child);
    }
    if (child == end(node)) return node;
    node = child;
  }
  return node;
}

void JsonTape::append_canonical(Node node, std::string& out,
                                std::span<const std::string_view> without) const {
  switch (kind(node)) {
    case Kind::null:
      out += "null";
      return;
    case Kind::boolean:
      out += boolean(node) ? "true" : "false";
      return;
    case Kind::integer:
      out += std::to_string(integer(node));
      return;
    case Kind::number:
      out += text(node);
      return;
    case Kind::string:
      append_quoted(text(node), out);
      return;
    case Kind::array: {
      bool scalars = true;
      for (Node child = first_child(node); child != end(node); child = next(child)) {
        scalars = scalars && kind(child) < Kind::array;
      }
      out += '[';
      for (Node child = first_child(node); child != end(node); child = next(child)) {
        if (child != first_child(node)) out += ',';
        if (!scalars) out += '\n';
        append_canonical(child, out);
      }
      out += scalars ? "]" : "\n]";
      return;
    }
    case Kind::object: {
      std::vector<Node> keys;
      for (Node key = first_child(node); key != end(node); key = next(next(key))) {
        if (std::find(without.begin(), without.end(), text(key)) == without.end()) {
          keys.push_back(key);
        }
      }
      std::sort(keys.begin(), keys.end(), [&](Node a, Node b) { return text(a) < text(b); });
      out += '{';
      for (std::size_t i = 0; i < keys.size(); ++i) {
        out += i == 0 ? "\n" : ",\n";
        append_quoted(text(keys[i]), out);
        out += ": ";
        append_canonical(next(keys[i]), out);
      }
      out += keys.empty() ? "}" : "\n}";
      return;
    }
  }
}

void refuse(const JsonTape& tape, JsonTape::Node node, const std::string& source,
            const std::string& sentence) {
  const std::string path = path_text(tape.path_to(node));
  throw InputError(source, tape.line(node), path.empty() ? sentence : path + ": " + sentence);
}

}}  // namespace logdepth::base
