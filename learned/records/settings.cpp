#include "learned/records/settings.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_records {
namespace {

class SettingsWriter final : public SettingVisitor {
 public:
  void word(const char* name, std::size_t& index, std::span<const char* const> words) override {
    if (index >= words.size()) throw std::logic_error("an enumeration without a word");
    json_[name] = words[index];
  }
  void group(const char* name, const SettingGroup& settings) override {
    json_[name] = settings_to_json(settings);
  }

  nlohmann::ordered_json written() && { return std::move(json_); }

 private:
  void setting(const char* name, SettingPlace place) override {
    std::visit([&](const auto* value) { json_[name] = *value; }, place);
  }
  bool present(const char* name, bool now) override {
    if (!now) json_[name] = nullptr;
    return now;
  }

  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

class SettingsReader final : public SettingVisitor {
 public:
  SettingsReader(const nlohmann::json& json, std::string path, const std::string& source)
      : json_(json), path_(std::move(path)), source_(source) {
    if (!json.is_object()) fail(path_.empty() ? "the configuration" : path_, "an object", json);
  }

  void word(const char* name, std::size_t& index, std::span<const char* const> words) override {
    const nlohmann::json* const found = find(name);
    if (!found) return;
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (*found == words[i]) {
        index = i;
        return;
      }
      list += (list.empty() ? "" : ", ") + std::string(words[i]);
    }
    fail(path_of(name), "one of " + list, *found);
  }
  void group(const char* name, const SettingGroup& settings) override {
    if (const nlohmann::json* found = find(name))
      SettingsReader(*found, path_of(name), source_).read(settings);
  }

  void read(const SettingGroup& settings) {
    settings(*this);
    refuse_unknown();
  }

 private:
  /// Precondition for all settings: they are looked for with this, which makes the name known.
  const nlohmann::json* find(const char* name) {
    if (known_.empty() || known_.back() != name) known_.emplace_back(name);
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  bool present(const char* name, bool now) override {
    const nlohmann::json* const found = find(name);
    return found ? !found->is_null() : now;
  }

  std::string path_of(const char* name) const { return path_.empty() ? name : path_ + "." + name; }

  [[noreturn]] void fail(const std::string& path, const std::string& expected,
                         const nlohmann::json& found) const {
    throw InputError(source_ + ": " + path + ": expected " + expected + ", found " +
                     printable(found.dump()));
  }

  void setting(const char* name, SettingPlace place) override {
    if (const nlohmann::json* found = find(name))
      std::visit([&](auto* value) { read(*found, path_of(name), *value); }, place);
  }

  void read(const nlohmann::json& json, const std::string& path, bool& value) const {
    if (!json.is_boolean()) fail(path, "true or false", json);
    value = json.get<bool>();
  }
  void read(const nlohmann::json& json, const std::string& path, double& value) const {
    if (!json.is_number() || !std::isfinite(json.get<double>())) fail(path, "a number", json);
    value = json.get<double>();
  }
  void read(const nlohmann::json& json, const std::string& path, std::string& value) const {
    if (!json.is_string()) fail(path, "a string", json);
    value = json.get<std::string>();
  }
  void read(const nlohmann::json& json, const std::string& path,
            std::vector<std::uint32_t>& value) const {
    if (!json.is_array()) fail(path, "a list", json);
    value.clear();
    for (const nlohmann::json& item : json) read(item, path, value.emplace_back());
  }
  template <class T>
  void read(const nlohmann::json& json, const std::string& path, T& value) const {
    // Half of the 32 bits, so that sums of two settings stay in range.
    constexpr std::uint64_t most = sizeof(T) == 4 ? 1u << 31 : std::uint64_t{1} << 53;
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most)
      fail(path, fmt::format("a whole number from 0 to {}", most), json);
    value = json.get<T>();
  }

  void refuse_unknown() const {
    for (const auto& item : json_.items()) {
      bool known = false;
      std::string list;
      for (const std::string& name : known_) {
        known |= name == item.key();
        list += (list.empty() ? "" : ", ") + name;
      }
      if (!known)
        throw InputError(source_ + ": unknown setting " + in_quotes(path_of(item.key().c_str())) +
                         ", expected one of " + list);
    }
  }

  const nlohmann::json& json_;
  std::string path_;
  const std::string& source_;
  std::vector<std::string> known_;
};

}  // namespace

nlohmann::ordered_json settings_to_json(const SettingGroup& settings) {
  SettingsWriter writer;
  settings(writer);
  return std::move(writer).written();
}

void read_settings(const nlohmann::json& json, const std::string& source,
                   const SettingGroup& settings) {
  SettingsReader(json, "", source).read(settings);
}

}}  // namespace logdepth::learned_records
