#include "learned/records/depth_reading.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_records {
namespace {

/// Whole numbers up to this one are exact.
constexpr double kLargestNumber = 0x1p53, kLargestCount = 1e9;

const nlohmann::ordered_json* field(const nlohmann::ordered_json& json, const char* name) {
  const auto at = json.find(name);
  return at == json.end() ? nullptr : &*at;
}

}  // namespace

RecordFields::RecordFields(const nlohmann::ordered_json& json, std::string place)
    : json_(json), place_(std::move(place)) {}

void RecordFields::refuse(const std::string& name, const std::string& expected) const {
  throw InputError(place_ + "." + name + ": expected " + expected);
}

double RecordFields::number(const char* name) const {
  const nlohmann::ordered_json* const value = field(json_, name);
  if (!value || !value->is_number() || !(std::fabs(value->get<double>()) <= kLargestNumber))
    refuse(name, "a number");
  return value->get<double>();
}

double RecordFields::share(const char* name) const {
  const double value = number(name);
  if (value < 0 || value > 1) refuse(name, "a share from 0 to 1");
  return value;
}

std::uint32_t RecordFields::count(const char* name, std::uint32_t least) const {
  const double value = number(name);
  if (value < least || value > kLargestCount || value != std::floor(value))
    refuse(name, "a whole number of at least " + std::to_string(least));
  return static_cast<std::uint32_t>(value);
}

std::string RecordFields::text(const char* name) const {
  const nlohmann::ordered_json* const value = field(json_, name);
  if (!value || !value->is_string()) refuse(name, "a word");
  return value->get<std::string>();
}

bool RecordFields::truth(const char* name) const {
  const nlohmann::ordered_json* const value = field(json_, name);
  if (!value || !value->is_boolean()) refuse(name, "true or false");
  return value->get<bool>();
}

const nlohmann::ordered_json& RecordFields::list(const char* name) const {
  const nlohmann::ordered_json* const value = field(json_, name);
  if (!value || !value->is_array()) refuse(name, "a list");
  return *value;
}

std::vector<double> RecordFields::shares(const char* name) const {
  std::vector<double> values;
  for (const nlohmann::ordered_json& item : list(name)) {
    const double value = item.is_number() ? item.get<double>() : -1;
    if (value < 0 || value > 1) refuse(name, "shares from 0 to 1");
    values.push_back(value);
  }
  return values;
}

bool RecordFields::has(const char* name) const {
  return field(json_, name) != nullptr;
}

RecordFields RecordFields::object(const char* name) const {
  const nlohmann::ordered_json* const value = field(json_, name);
  if (!value || !value->is_object()) refuse(name, "an object");
  return {*value, place_ + "." + name};
}

RecordFields RecordFields::entry(const char* name, const nlohmann::ordered_json& item) const {
  if (!item.is_object()) refuse(name, "objects");
  return {item, place_ + "." + name};
}

}  // namespace logdepth::inline learned_records
