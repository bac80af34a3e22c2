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
  void operator()(const char* name, bool& value) override { json_[name] = value; }
  void operator()(const char* name, std::uint32_t& value) override { json_[name] = value; }
  void operator()(const char* name, std::uint64_t& value) override { json_[name] = value; }
  void operator()(const char* name, double& value) override { json_[name] = value; }
  void operator()(const char* name, std::string& value) override { json_[name] = value; }
  void operator()(const char* name, std::vector<std::uint32_t>& value) override {
    json_[name] = value;
  }
  void word(const char* name, std::size_t& index, std::span<const char* const> words) override {
    if (index >= words.size()) throw std::logic_error("an enumeration without a word");
    json_[name] = words[index];
  }
  void group(const char* name, const SettingGroup& settings) override {
    json_[name] = settings_to_json(settings);
  }

  nlohmann::ordered_json written() && { return std::move(json_); }

 private:
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

  void operator()(const char* name, bool& value) override {
    if (const nlohmann::json* found = find(name)) {
      if (!found->is_boolean()) fail(path_of(name), "true or false", *found);
      value = found->get<bool>();
    }
  }
  void operator()(const char* name, std::uint32_t& value) override {
    if (const nlohmann::json* found = find(name)) read_count(*found, path_of(name), value);
  }
  void operator()(const char* name, std::uint64_t& value) override {
    if (const nlohmann::json* found = find(name)) read_count(*found, path_of(name), value);
  }
  void operator()(const char* name, double& value) override {
    if (const nlohmann::json* found = find(name)) {
      if (!found->is_number() || !std::isfinite(found->get<double>()))
        fail(path_of(name), "a number", *found);
      value = found->get<double>();
    }
  }
  void operator()(const char* name, std::string& value) override {
    if (const nlohmann::json* found = find(name)) {
      if (!found->is_string()) fail(path_of(name), "a string", *found);
      value = found->get<std::string>();
    }
  }
  void operator()(const char* name, std::vector<std::uint32_t>& value) override {
    const nlohmann::json* const found = find(name);
    if (!found) return;
    if (!found->is_array()) fail(path_of(name), "a list", *found);
    value.clear();
    for (const nlohmann::json& item : *found) read_count(item, path_of(name), value.emplace_back());
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

  template <class T>
  void read_count(const nlohmann::json& json, const std::string& path, T& value) const {
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
