#include "runtime/file/derived.hpp"

#include <nlohmann/json.hpp>

#include "objects/json_tape.hpp"

namespace logdepth {

JsonText derived_json(const std::string& program, const PrecisionFacts& facts) {
  JsonTape tape;
  tape.open_object();
  tape.add_key("precision");
  tape.add_json(facts_json(facts).text, "precision");
  tape.add_key("program");
  tape.add_string(program);
  tape.close();
  JsonText json{""};
  tape.append_canonical(0, json.text);
  return json;
}

std::optional<std::string> program_text_in(const Model& model) {
  const auto derived = nlohmann::json::parse(model.derived.text, nullptr, false);
  if (!derived.is_object()) return std::nullopt;
  const auto text = derived.find("program");
  if (text == derived.end() || !text->is_string()) return std::nullopt;
  return text->get<std::string>();
}

}  // namespace logdepth
