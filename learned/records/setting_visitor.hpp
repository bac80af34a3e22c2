#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace logdepth::inline learned_records {

class SettingVisitor;
/// Visits all settings of a group, in the order in which they are written.
using SettingGroup = std::function<void(SettingVisitor&)>;

/// Is told every setting of a group, with its name and its variable. A group lists its settings
/// once; writing, reading and changing them are visitors (settings_json.hpp).
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;

  virtual void operator()(const char* name, bool& value) = 0;
  virtual void operator()(const char* name, std::uint32_t& value) = 0;
  virtual void operator()(const char* name, std::uint64_t& value) = 0;
  virtual void operator()(const char* name, double& value) = 0;
  virtual void operator()(const char* name, std::string& value) = 0;
  virtual void operator()(const char* name, std::vector<std::uint32_t>& value) = 0;
  /// The name of a file or folder that a run reads; empty: none.
  virtual void file(const char* name, std::string& value) { (*this)(name, value); }
  /// One of `words`, by its index.
  virtual void word(const char* name, std::size_t& index, std::span<const char* const> words) = 0;
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
  /// Whether a setting that may be absent is to be there; `now`: whether it is.
  virtual bool present(const char* name, bool now) = 0;

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

}  // namespace logdepth::inline learned_records
