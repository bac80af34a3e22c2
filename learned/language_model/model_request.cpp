#include "learned/language_model/model_request.hpp"

#include "learned/records/settings_json.hpp"

namespace logdepth::inline learned_language_model {
namespace {

void settings(ModelRequest& request, SettingVisitor& visit) {
  visit("ask", request.ask, {"text", "angular", "loops"});
  visit("model", request.model);
  visit("text", request.text);
  visit("sequences", request.sequences);
  visit("length", request.length);
  visit("prompt", request.prompt);
  visit("tokens", request.tokens);
  visit("blocks", request.blocks);
  visit("loops", request.loops);
}

}  // namespace

nlohmann::ordered_json to_json(const ModelRequest& request) {
  ModelRequest copy = request;  // the list of settings serves readers too
  return settings_to_json([&](SettingVisitor& visit) { settings(copy, visit); });
}

ModelRequest model_request_from_json(const nlohmann::json& json, const std::string& source) {
  ModelRequest request;
  read_settings(json, source, [&](SettingVisitor& visit) { settings(request, visit); });
  return request;
}

}  // namespace logdepth::inline learned_language_model
