#include "proofs-check/file/carried_program.hpp"

#include <nlohmann/json.hpp>

#include "compiler/program/program_text.hpp"
#include "objects/input_error.hpp"

namespace logdepth {

Program program_of(const Model& model) {
  const auto derived = nlohmann::json::parse(model.derived.text);
  if (!derived.contains("program") || !derived["program"].is_string())
    throw InputError("the weights file '" + model.name +
                     "' carries no program in 'derived'; give the .cells file instead");
  return parse_program(derived["program"].get<std::string>(), "derived.program");
}

}  // namespace logdepth
