#include "compiler/file/names_of_states.hpp"

#include <nlohmann/json.hpp>

namespace logdepth {

std::vector<std::string> names_of_states(const Model& model) {
  const auto parameters = nlohmann::json::parse(model.parameters.text, nullptr, false);
  if (!parameters.is_object() || !parameters.contains("states") ||
      !parameters["states"].is_string())
    return {};
  const auto list = nlohmann::json::parse(parameters["states"].get<std::string>(), nullptr, false);
  std::vector<std::string> names;
  if (!list.is_array()) return names;
  for (const auto& name : list) {
    if (!name.is_string()) return {};
    names.push_back(name);
  }
  return names;
}

}  // namespace logdepth
