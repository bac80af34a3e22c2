#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace logdepth { inline namespace learned_records {

class SettingVisitor;
/// Visits all settings of a group, in the order in which they are written.
using SettingGroup = std::function<void(SettingVisitor&)>;

/// Is told every setting of a group, with its name and its variable, and writes them as JSON, or sets what JSON
/// names. A group lists its settings once.
class SettingVisitor {
 public:
  /// Writes.
  SettingVisitor() = default;
  /// Reads; `path`: of the group. Errors: InputError where `json` is no object.
  SettingVisitor(const nlohmann::json& json, const std::string& path, const std::string& source);

  template <class T>
  void operator()(const char* name, T& value) {
    if (!read_) {
      written_[name] = value;
    } else if (const nlohmann::json* const found = find(name)) {
      read(*found, path_of(name), value);
    }
  }
  /// The name of a file or folder that a run reads; empty: none.
  void file(const char* name, std::string& value);
  /// One of `words`, by its index.
  void word(const char* name, std::size_t& index, std::span<const char* const> words);
  void group(const char* name, const SettingGroup& settings);

  /// An enumeration; `words`: those of its values, from 0 on.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const char* name, E& value, std::initializer_list<const char*> words) {
    auto index = static_cast<std::size_t>(value);
    word(name, index, {words.begin(), words.size()});
    value = static_cast<E>(index);
  }
  void operator()(const char* name, std::optional<double>& value) {
    if (is_there(name, value)) (*this)(name, *value);
  }
  /// A group that may be absent; `settings` visits those of a T.
  template <class T>
  void optional_group(const char* name, std::optional<T>& value,
                      void (*settings)(T&, SettingVisitor&)) {
    if (is_there(name, value)) group(name, [&](SettingVisitor& visit) { settings(*value, visit); });
  }

  /// What was written, and the names of files in it.
  const nlohmann::ordered_json& written() const { return written_; }
  const std::vector<std::string>& files() const { return files_; }
  /// Once all settings were read. Errors: InputError for a name that is none of theirs.
  void refuse_unknown() const;

 private:
  /// Whether a setting that may be absent is there, once it was written or read.
  template <class T>
  bool is_there(const char* name, std::optional<T>& value) {
    const nlohmann::json* const found = read_ ? find(name) : nullptr;
    if (found && found->is_null()) {
      value.reset();
    } else if (found && !value) {
      value.emplace();
    }
    if (!read_ && !value) written_[name] = nullptr;
    return value.has_value();
  }
  /// Precondition for all settings: they are looked for with this, which makes the name known.
  const nlohmann::json* find(const char* name) {
    if (known_.empty() || known_.back() != name) known_.emplace_back(name);
    const auto found = read_->find(name);
    return found == read_->end() ? nullptr : &*found;
  }
  std::string path_of(const char* name) const { return path_.empty() ? name : path_ + "." + name; }
  [[noreturn]] void fail(const std::string& path, const std::string& expected,
                         const nlohmann::json& found) const;

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
      fail(path, "a whole number from 0 to " + std::to_string(most), json);
    value = json.get<T>();
  }

  nlohmann::ordered_json written_ = nlohmann::ordered_json::object();
  std::vector<std::string> files_;
  const nlohmann::json* read_ = nullptr;  ///< null: writes
  std::string path_, source_;
  std::vector<std::string> known_;
};

/// The group as a JSON object, every setting spelled out; what is absent is null.
nlohmann::ordered_json settings_to_json(const SettingGroup& settings);

/// Sets what the object names; other settings stay as they are. Errors: InputError "SOURCE: PATH:
/// expected ..., found ..." for a wrong type or an unknown word, and for an unknown name.
void read_settings(const nlohmann::json& json, const std::string& source,
                   const SettingGroup& settings);

}}  // namespace logdepth::learned_records
