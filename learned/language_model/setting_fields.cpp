#include "learned/language_model/setting_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {

SettingFields::SettingFields(nlohmann::json values, std::string file)
    : values_(std::move(values)), file_(std::move(file)) {}

bool SettingFields::has(const std::string& key) const {
  const auto found = values_.find(key);
  return found != values_.end() && !found->is_null();
}

void SettingFields::refuse(const std::string& key, const std::string& expected) const {
  const auto replace = nlohmann::json::error_handler_t::replace;  // text of GGUF may be anything
  throw InputError(
      fmt::format("{}: {}: expected {}, found {}", file_, key, expected,
                  has(key) ? printable(values_.at(key).dump(-1, ' ', false, replace)) : "nothing"));
}

std::uint32_t SettingFields::whole(const std::string& key, std::uint32_t most) const {
  const auto found = values_.find(key);
  if (found == values_.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() < 1 ||
      found->get<std::uint64_t>() > most)
    refuse(key, fmt::format("a whole number from 1 to {}", most));
  return found->get<std::uint32_t>();
}

std::optional<std::uint32_t> SettingFields::whole_if_any(const std::string& key,
                                                         std::uint32_t most) const {
  if (!has(key)) return std::nullopt;
  return whole(key, most);
}

double SettingFields::number(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end() || !found->is_number() || !(found->get<double>() > 0) ||
      !std::isfinite(found->get<double>()))
    refuse(key, "a number of more than 0");
  return found->get<double>();
}

std::optional<double> SettingFields::number_if_any(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  return number(key);
}

std::optional<bool> SettingFields::flag_if_any(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!values_.at(key).is_boolean()) refuse(key, "true or false");
  return values_.at(key).get<bool>();
}

std::string SettingFields::word(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end() || !found->is_string()) refuse(key, "a word");
  return found->get<std::string>();
}

void SettingFields::expect_only(const std::string& key, const std::vector<nlohmann::json>& allowed,
                                const std::string& why) const {
  if (has(key) && std::find(allowed.begin(), allowed.end(), values_.at(key)) == allowed.end())
    refuse(key, why);
}

}  // namespace logdepth::inline learned_language_model
