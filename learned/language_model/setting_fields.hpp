#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace logdepth::inline learned_language_model {

/// The settings of a model in a file, by key; a null counts as absent. All errors are InputErrors
/// that name file and key, and say what was found.
class SettingFields {
 public:
  /// Precondition: `values` is an object.
  SettingFields(nlohmann::json values, std::string file);

  bool has(const std::string& key) const;
  std::uint32_t whole(const std::string& key, std::uint32_t most) const;  ///< 1 ... most
  std::optional<std::uint32_t> whole_if_any(const std::string& key, std::uint32_t most) const;
  double number(const std::string& key) const;  ///< more than 0
  std::optional<double> number_if_any(const std::string& key) const;
  std::optional<bool> flag_if_any(const std::string& key) const;
  std::string word(const std::string& key) const;
  /// Refuses any value but those given; absent is fine.
  void expect_only(const std::string& key, const std::vector<nlohmann::json>& allowed,
                   const std::string& why) const;

  const nlohmann::json& at(const std::string& key) const { return values_.at(key); }
  const std::string& file() const { return file_; }
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

 private:
  nlohmann::json values_;
  std::string file_;
};

}  // namespace logdepth::inline learned_language_model
