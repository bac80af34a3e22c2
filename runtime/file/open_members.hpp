#pragma once

#include <map>
#include <string>
#include <variant>

namespace logdepth::inline runtime_file {

/// A JSON value that is no text, as canonical text: of files of others.
struct JsonText {
  std::string text = "null";
  bool operator==(const JsonText&) const = default;
};

/// The members of an open-ended object of a file: texts, as this program writes them, or any value.
using OpenMember = std::variant<std::string, JsonText>;
using OpenMembers = std::map<std::string, OpenMember>;

/// The member of this name, where it is a text; else null.
const std::string* text_in(const OpenMembers& members, const std::string& name);
/// For people: a text as it is, other values as JSON on one line.
std::string member_text(const OpenMember& member);

}  // namespace logdepth::inline runtime_file
