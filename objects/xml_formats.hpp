#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>

namespace logdepth { inline namespace objects {

/// An XML file of which nothing is passed over: what the parser would drop (white space that is
/// text, a second element of the same name, a second attribute, bytes of another encoding) is kept
/// or refused. `source` names the file in messages. Errors of all functions: InputError with the
/// line; SizeLimit.
class XmlFile {
 public:
  /// `wanted`: "an XML file of JFLAP".
  XmlFile(const std::string& text, const std::string& source, const std::string& wanted);

  pugi::xml_node document() const { return document_.root(); }
  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& sentence) const;
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& sentence) const {
    fail(node.offset_debug(), sentence);
  }

  /// The child of this name, a null node without one; refused are two.
  pugi::xml_node only_child(const pugi::xml_node& parent, const char* name) const;
  /// The text of an element without elements inside, white space included; empty of a null node.
  std::string text_of(const pugi::xml_node& node) const;
  /// Empty without such an attribute; refused are two.
  std::string attribute(const pugi::xml_node& node, const char* name) const;

 private:
  void check_encoding() const;
  void check_well_formed() const;

  const std::string& text_;
  const std::string& source_;
  pugi::xml_document document_;
};

}}  // namespace logdepth::objects
