#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace logdepth { inline namespace learned_records {

class SettingVisitor;
/// Where a setting is.
using SettingPlace = std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, std::string*,
                                  std::vector<std::uint32_t>*>;
/// Visits all settings of a group, in the order in which they are written.
using SettingGroup = std::function<void(SettingVisitor&)>;

/// Is told every setting of a group, with its name and its variable. A group lists its settings
/// once; writing, reading and changing them are visitors. Without more a visitor changes nothing.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;

  template <class T>
  void operator()(const char* name, T& value) {
    setting(name, &value);
  }
  /// The name of a file or folder that a run reads; empty: none.
  virtual void file(const char* name, std::string& value) { (*this)(name, value); }
  /// One of `words`, by its index.
  virtual void word(const char*, std::size_t&, std::span<const char* const>) {}
  virtual void group(const char* name, const SettingGroup& settings) = 0;

  /// An enumeration; `words`: those of its values, from 0 on.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const char* name, E& value, std::initializer_list<const char*> words) {
    auto index = static_cast<std::size_t>(value);
    word(name, index, {words.begin(), words.size()});
    value = static_cast<E>(index);
  }
  void operator()(const char* name, std::optional<double>& value) {
    if (make_present(name, value)) (*this)(name, *value);
  }
  /// A group that may be absent; `settings` visits those of a T.
  template <class T>
  void optional_group(const char* name, std::optional<T>& value,
                      void (*settings)(T&, SettingVisitor&)) {
    if (make_present(name, value))
      group(name, [&](SettingVisitor& visit) { settings(*value, visit); });
  }

 protected:
  virtual void setting(const char*, SettingPlace) {}
  /// Whether a setting that may be absent is to be there; `now`: whether it is.
  virtual bool present(const char*, bool now) { return now; }

 private:
  template <class T>
  bool make_present(const char* name, std::optional<T>& value) {
    const bool there = present(name, value.has_value());
    if (!there) {
      value.reset();
    } else if (!value) {
      value.emplace();
    }
    return there;
  }
};

/// The group as a JSON object, every setting spelled out; what is absent is null.
nlohmann::ordered_json settings_to_json(const SettingGroup& settings);

/// Sets what the object names; other settings stay as they are. Errors: InputError "SOURCE: PATH:
/// expected ..., found ..." for a wrong type or an unknown word, and for an unknown name.
void read_settings(const nlohmann::json& json, const std::string& source,
                   const SettingGroup& settings);

}}  // namespace logdepth::learned_records
