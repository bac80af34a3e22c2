#include "learned/records/measure_request.hpp"

#include "learned/records/settings_json.hpp"

namespace logdepth::inline learned_records {
namespace {

void settings(MeasureRequest& request, SettingVisitor& visit) {
  visit("length", request.length);
  visit("samples", request.samples);
  visit("loops", request.loops);
  visit("keep_edges", request.keep_edges);
  visit("cut_edges", request.cut_edges);
}

}  // namespace

nlohmann::ordered_json to_json(const MeasureRequest& request) {
  MeasureRequest copy = request;  // the list of settings serves readers too
  return settings_to_json([&](SettingVisitor& visit) { settings(copy, visit); });
}

MeasureRequest measure_request_from_json(const nlohmann::json& json, const std::string& source) {
  MeasureRequest request;
  read_settings(json, source, [&](SettingVisitor& visit) { settings(request, visit); });
  return request;
}

}  // namespace logdepth::inline learned_records
