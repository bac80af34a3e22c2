#include "runtime/file/derived.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/json_tape.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

/// The member of this name, where it is a text.
std::optional<std::string> text_in(const Model& model, const char* name) {
  const auto derived = nlohmann::json::parse(model.derived.text, nullptr, false);
  if (!derived.is_object()) return std::nullopt;
  const auto text = derived.find(name);
  if (text == derived.end() || !text->is_string()) return std::nullopt;
  return text->get<std::string>();
}

}  // namespace

JsonText derived_json(const std::string& program, const PrecisionFacts& facts,
                      const std::string& depth) {
  JsonTape tape;
  tape.open_object();
  tape.add_key("depth");
  tape.add_string(depth);
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
  return text_in(model, "program");
}

std::optional<std::string> depth_stated_in(const Model& model) {
  return text_in(model, "depth");
}

std::string stated_depth(const Model& model) {
  const auto limit = largest_size(model);
  return depth_formula(model) + (limit ? fmt::format(", n <= {}", *limit) : "");
}

}  // namespace logdepth
