#include "recheck/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "recheck/refusal.hpp"

namespace recheck {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostDigits = 20000;
constexpr int kMostLevels = 32;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Json document() {
    if (text_.starts_with("\xEF\xBB\xBF"))
      throw Malformed("a byte order mark; expected JSON without it, 'tail -c +4' removes it");
    Json value = parse(0);
    skip_space();
    if (at_ != text_.size()) fail("nothing after the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw Malformed("line " + std::to_string(line_) + ": no JSON; expected " + expected);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      line_ += text_[at_++] == '\n';
  }
  bool take(const std::string& word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  std::size_t digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == begin) fail("a digit");
    return at_ - begin;
  }

  Json parse(int level) {
    skip_space();
    if (level == kMostLevels && (peek() == '[' || peek() == '{')) fail("at most 32 levels");
    Json value;
    value.line = line_;
    for (const char* word : {"null", "true", "false"})
      if (take(word)) {
        value.kind = word[0] == 'n' ? Json::Kind::null : Json::Kind::boolean;
        value.text = word;
        return value;
      }
    if (peek() == '"') {
      value.kind = Json::Kind::string;
      value.text = parse_string();
    } else if (take("[")) {
      value.kind = Json::Kind::array;
      sequence("]", [&] { value.items.push_back(parse(level + 1)); });
    } else if (take("{")) {
      value.kind = Json::Kind::object;
      sequence("}", [&] {
        skip_space();
        std::string key = parse_string();
        skip_space();
        if (!take(":")) fail("a colon");
        value.members.push_back({std::move(key), parse(level + 1)});
      });
      const auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };
      std::sort(value.members.begin(), value.members.end(), by_key);
      for (std::size_t i = 1; i < value.members.size(); ++i)
        if (value.members[i - 1].key == value.members[i].key) fail("distinct keys");
    } else {
      parse_number(value);
    }
    return value;
  }

  template <typename Element>
  void sequence(const char* end, Element element) {
    skip_space();
    if (take(end)) return;
    do element();
    while (skip_space(), take(","));
    if (!take(end)) fail("a comma or the end of the list");
  }

  void parse_number(Json& value) {
    value.kind = Json::Kind::number;
    const std::size_t begin = at_;
    take("-");
    if (!take("0")) digits();
    if (take(".")) digits();
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      digits();
    }
    value.text = text_.substr(begin, at_ - begin);
    if (value.text == "-0") value.text = "0";
    if (!std::isfinite(std::strtod(value.text.c_str(), nullptr))) fail("a number within double");
  }

  unsigned hexadecimal() {
    unsigned code = 0;
    const char* const begin = text_.data() + at_;
    if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4)
      fail("four hexadecimal digits");
    at_ += 4;
    return code;
  }

  std::string parse_string() {
    if (!take("\"")) fail("a string");
    std::string out;
    while (!take("\"")) {
      const unsigned char c = static_cast<unsigned char>(peek());
      if (c < 0x20) fail("the end of the string");
      if (c >= 0x80) {
        copy_utf8(out);
      } else if (take("\\")) {
        escape(out);
      } else {
        out += text_[at_++];
      }
    }
    return out;
  }

  void escape(std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const char c = peek();
    ++at_;
    if (const auto i = names.find(c); c != '\0' && i != std::string_view::npos) {
      out += meanings[i];
      return;
    }
    if (c != 'u') fail("an escape");
    unsigned code = hexadecimal();
    if (code >= 0xd800 && code < 0xdc00) {
      const unsigned low = take("\\u") ? hexadecimal() : 0;
      if (low < 0xdc00 || low > 0xdfff) fail("the second half of a pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      fail("no lone surrogate");
    }
    const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) put(0xc0 | code >> 6);
    if (code >= 0x800 && code < 0x10000) put(0xe0 | code >> 12);
    if (code >= 0x10000) put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 0x3f));
    if (code >= 0x800) put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }

  void copy_utf8(std::string& out) {
    const auto byte = [&](std::size_t i) {
      return i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0u;
    };
    const unsigned first = byte(at_), second = byte(at_ + 1);
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    // The shortest spelling, no surrogates, nothing above U+10FFFF.
    bool good = first >= 0xc2 && first <= 0xf4 && !(first == 0xe0 && second < 0xa0) &&
                !(first == 0xed && second > 0x9f) && !(first == 0xf0 && second < 0x90) &&
                !(first == 0xf4 && second > 0x8f);
    for (std::size_t i = 1; i < length; ++i) good = good && (byte(at_ + i) & 0xc0) == 0x80;
    if (!good) fail("UTF-8");
    out += text_.substr(at_, length);
    at_ += length;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

void append_canonical(const Json& value, std::string& out) {
  using Kind = Json::Kind;
  if (value.kind == Kind::array) {
    const bool nested = std::any_of(value.items.begin(), value.items.end(),
                                    [](const Json& x) { return x.kind >= Kind::array; });
    out += nested ? "[\n" : "[";
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out += nested ? ",\n" : ",";
      append_canonical(value.items[i], out);
    }
    out += nested ? "\n]" : "]";
  } else if (value.kind == Kind::object && !value.members.empty()) {
    out += "{\n";
    for (std::size_t i = 0; i < value.members.size(); ++i) {
      out += (i > 0 ? ",\n" : "") + quoted(value.members[i].key) + ": ";
      append_canonical(value.members[i].value, out);
    }
    out += "\n}";
  } else {
    out += value.kind == Kind::object   ? "{}"
           : value.kind == Kind::string ? quoted(value.text)
                                        : value.text;
  }
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr std::string_view escaped = "\"\\\n\r\t\f\b", names = "\"\\nrtfb";
    if (const auto i = escaped.find(c); i != std::string_view::npos) {
      out += {'\\', names[i]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

Json parse_json(const std::string& text) {
  return Parser(text).document();
}

std::string canonical_text(const Json& value) {
  std::string out;
  append_canonical(value, out);
  return out + '\n';
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer), file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) throw Malformed("too large; expected at most 256 MiB");
  }
  if (!file.eof()) throw Malformed("cannot be read");
  if (text.starts_with("\x1f\x8b"))
    throw Malformed("packed; expected JSON, unpack it with gunzip first");
  return text;
}

Json read_json(const std::string& path) {
  return parse_json(read_text(path));
}

void Json::fail(const std::string& problem) const {
  throw Malformed((line > 0 ? "line " + std::to_string(line) + ": " : "") + problem);
}

bool Json::has(const std::string& key) const {
  const auto is_it = [&](const Member& member) { return member.key == key; };
  return std::any_of(object().begin(), object().end(), is_it);
}

const Json& Json::at(const std::string& key) const {
  for (const auto& [name, value] : object())
    if (name == key) return value;
  fail("missing key " + key);
}

void Json::only(std::initializer_list<const char*> required,
                std::initializer_list<const char*> optional) const {
  for (const char* key : required) at(key);
  const auto in = [](const std::string& key, const auto& list) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  for (const auto& [key, value] : members)
    if (!in(key, required) && !in(key, optional))
      value.fail("unknown key " + quoted(key.substr(0, 40)));
}

const std::vector<Member>& Json::object() const {
  if (kind != Kind::object) fail("wrong type; expected an object");
  return members;
}

const std::vector<Json>& Json::array() const {
  if (kind != Kind::array) fail("wrong type; expected an array");
  return items;
}

const std::string& Json::string() const {
  if (kind != Kind::string) fail("wrong type; expected a string");
  return text;
}

bool Json::boolean() const {
  if (kind != Kind::boolean) fail("wrong type; expected true or false");
  return text == "true";
}

std::int64_t Json::integer(std::int64_t least, std::int64_t most) const {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool whole = kind == Kind::number && stop == end && error == std::errc{};
  if (!whole || value < least || value > most)
    fail("wrong number; expected an integer from " + std::to_string(least) + " to " +
         std::to_string(most));
  return value;
}

mpq_class Json::rational() const {
  const auto natural = [](const std::string& s) {
    return !s.empty() && s.find_first_not_of("0123456789") == std::string::npos &&
           (s == "0" || s[0] != '0');
  };
  const std::string& s = string();
  const std::size_t slash = s.find('/');
  const std::string top = s.substr(s.starts_with('-') ? 1 : 0,
                                   slash == s.npos ? s.npos : slash - (s.starts_with('-') ? 1 : 0));
  const std::string bottom = slash == s.npos ? "1" : s.substr(slash + 1);
  mpq_class value;
  bool good = s.size() <= kMostDigits && natural(top) && natural(bottom) && s != "-0" &&
              bottom != "0" && (slash == s.npos || bottom != "1");
  if (good) {
    value = mpq_class(s, 10);
    value.canonicalize();
    good = value.get_den() == mpz_class(bottom, 10);  // in lowest terms
  }
  if (!good) fail("wrong number; expected a rational in lowest terms as a string");
  return value;
}

}  // namespace recheck
