#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/setting_visitor.hpp"

namespace logdepth::inline learned_records {

/// Settings of one of several kinds, as a value. `Base` has clone(), kind() and visit(); the kinds
/// that there are, each with its defaults, are known_kinds<Base>().
template <class Base>
class SettingsValue;
template <class Base>
const std::vector<SettingsValue<Base>>& known_kinds();

template <class Base>
class SettingsValue {
 public:
  /// The defaults of the first kind.
  SettingsValue() : SettingsValue(known_kinds<Base>().at(0)) {}
  template <std::derived_from<Base> T>
  SettingsValue(T settings) : settings_(std::make_unique<T>(std::move(settings))) {}
  SettingsValue(const SettingsValue& other) : settings_(other.settings_->clone()) {}
  SettingsValue(SettingsValue&&) noexcept = default;
  SettingsValue& operator=(SettingsValue other) noexcept {
    settings_ = std::move(other.settings_);
    return *this;
  }
  ~SettingsValue() = default;

  Base* operator->() { return settings_.get(); }
  const Base* operator->() const { return settings_.get(); }

  /// The settings as those of one kind, null if they are of another.
  template <std::derived_from<Base> T>
  const T* try_as() const {
    return dynamic_cast<const T*>(settings_.get());
  }
  /// The same, and std::bad_cast if they are of another.
  template <std::derived_from<Base> T>
  const T& as() const {
    return dynamic_cast<const T&>(*settings_);
  }
  template <std::derived_from<Base> T>
  T& as() {
    return dynamic_cast<T&>(*settings_);
  }

  /// Visits `kind`, then the settings of that kind: another one begins with its defaults.
  void visit(SettingVisitor& visit) {
    std::vector<const char*> kinds;
    std::size_t now = 0;
    for (const SettingsValue& known : known_kinds<Base>()) {
      if (std::string(known->kind()) == settings_->kind()) now = kinds.size();
      kinds.push_back(known->kind());
    }
    std::size_t wanted = now;
    visit.word("kind", wanted, kinds);
    if (wanted != now) *this = known_kinds<Base>()[wanted];
    settings_->visit(visit);
  }

 private:
  std::unique_ptr<Base> settings_;
};

}  // namespace logdepth::inline learned_records
