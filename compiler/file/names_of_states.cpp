#include "compiler/file/names_of_states.hpp"

#include <nlohmann/json.hpp>

namespace logdepth::inline compiler_file {

std::vector<std::string> names_of_states(const Model& model) {
  const std::string* states = text_in(model.parameters, "states");
  if (!states) return {};
  const auto list = nlohmann::json::parse(*states, nullptr, false);
  std::vector<std::string> names;
  if (!list.is_array()) return names;
  for (const auto& name : list) {
    if (!name.is_string()) return {};
    names.push_back(name);
  }
  return names;
}

}  // namespace logdepth::inline compiler_file
