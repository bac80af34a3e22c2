#include "objects/xml_elements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/quoted_text.hpp"
#include "base/shell_word.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"
#include "objects/text_place.hpp"

namespace logdepth::inline objects {

namespace {

/// Of a file: its tree takes up to twenty times as much memory.
constexpr std::size_t kMostXml = std::size_t{1} << 26;

/// What the declaration says, as it is written; empty without it.
std::string declared_encoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return "";
  const std::string_view declaration = text.substr(0, text.find("?>"));
  std::size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return "";
  at = declaration.find_first_of("\"'", at);
  if (at == std::string_view::npos) return "";
  const std::size_t end = declaration.find(declaration[at], at + 1);
  if (end == std::string_view::npos) return "";
  return std::string(declaration.substr(at + 1, end - at - 1));
}

bool is_name_of_utf8(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.empty() || name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii";
}

}  // namespace

XmlFile::XmlFile(const std::string& text, const std::string& source, const std::string& wanted)
    : text_(text), source_(source) {
  if (text.size() > kMostXml)
    throw SizeLimit(
        fmt::format("{}: the file has {} bytes of XML; the limit is {}; larger automata "
                    "are read as .fst, larger graphs as .edges",
                    source, text.size(), kMostXml));
  check_encoding();
  const pugi::xml_parse_result result = document_.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8);
  if (!result) fail(result.offset, "expected " + wanted + ", but found: " + result.description());
}

void XmlFile::check_encoding() const {
  const std::string encoding = declared_encoding(text_);
  const bool plain =
      std::ranges::all_of(text_, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (plain) return;
  if (!is_name_of_utf8(encoding))
    fail(0, fmt::format("the file declares the encoding {}; expected UTF-8, which alone is read; "
                        "'iconv -f {} -t UTF-8 {} | sed 1s/{}/UTF-8/' converts it",
                        in_quotes(encoding), printable(encoding), shell_word(printable(source_)),
                        printable(encoding)));
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t length = utf8_length(std::string_view(text_).substr(at, 4));
    if (length == 0)
      fail(static_cast<std::ptrdiff_t>(at),
           fmt::format("the byte 0x{:02X} is not UTF-8; expected UTF-8, which alone is read; "
                       "'iconv -f ISO-8859-1 -t UTF-8' converts Latin-1",
                       static_cast<unsigned>(static_cast<unsigned char>(text_[at]))));
    at += length;
  }
}

std::size_t XmlFile::line_of(std::ptrdiff_t offset) const {
  const std::size_t end =
      std::min(text_.size(), static_cast<std::size_t>(std::max(offset, std::ptrdiff_t{0})));
  return 1 + static_cast<std::size_t>(
                 std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

void XmlFile::fail(std::ptrdiff_t offset, const std::string& sentence) const {
  std::size_t at = static_cast<std::size_t>(std::max(offset, std::ptrdiff_t{0}));
  if (at > 0 && at <= text_.size() && text_[at - 1] == '<') --at;  // pugixml says where the name is
  throw error_at(text_, source_, at, sentence);
}

pugi::xml_node XmlFile::only_child(const pugi::xml_node& parent, const char* name) const {
  const pugi::xml_node child = parent.child(name);
  if (const pugi::xml_node second = child.next_sibling(name))
    fail(second, fmt::format("expected one <{}> in <{}>, found a second one", name,
                             printable(parent.name())));
  return child;
}

std::string XmlFile::text_of(const pugi::xml_node& node) const {
  std::string text;
  for (const pugi::xml_node part : node.children()) {
    if (part.type() == pugi::node_element)
      fail(part, fmt::format("expected text in <{}>, found <{}>", printable(node.name()),
                             printable(part.name())));
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
  }
  return text;
}

std::string XmlFile::attribute(const pugi::xml_node& node, const char* name) const {
  std::string value;
  bool found = false;
  for (const pugi::xml_attribute known : node.attributes()) {
    if (std::string_view(known.name()) != name) continue;
    if (found)
      fail(node, fmt::format("expected one attribute {} of <{}>, found a second one", name,
                             printable(node.name())));
    found = true;
    value = known.value();
  }
  return value;
}

}  // namespace logdepth::inline objects
