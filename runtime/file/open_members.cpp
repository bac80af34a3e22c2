#include "runtime/file/open_members.hpp"

#include <nlohmann/json.hpp>

#include "base/overload.hpp"

namespace logdepth::inline runtime_file {

const std::string* text_in(const OpenMembers& members, const std::string& name) {
  const auto found = members.find(name);
  return found == members.end() ? nullptr : std::get_if<std::string>(&found->second);
}

std::string member_text(const OpenMember& member) {
  return std::visit(
      Overload{[](const std::string& text) { return text; },
               [](const JsonText& json) { return nlohmann::json::parse(json.text).dump(); }},
      member);
}

}  // namespace logdepth::inline runtime_file
