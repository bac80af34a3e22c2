#include "learned/records/settings.hpp"

#include <stdexcept>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_records {

SettingVisitor::SettingVisitor(const nlohmann::json& json, const std::string& path,
                               const std::string& source)
    : read_(&json), path_(path), source_(source) {
  if (!json.is_object()) fail(path.empty() ? "the configuration" : path, "an object", json);
}

void SettingVisitor::file(const char* name, std::string& value) {
  (*this)(name, value);
  if (!value.empty()) files_.push_back(value);
}

void SettingVisitor::word(const char* name, std::size_t& index,
                          std::span<const char* const> words) {
  if (!read_) {
    if (index >= words.size()) throw std::logic_error("an enumeration without a word");
    written_[name] = words[index];
    return;
  }
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

void SettingVisitor::group(const char* name, const SettingGroup& settings) {
  if (!read_) {
    SettingVisitor inner;
    settings(inner);
    written_[name] = inner.written_;
    files_.insert(files_.end(), inner.files_.begin(), inner.files_.end());
  } else if (const nlohmann::json* const found = find(name)) {
    SettingVisitor inner(*found, path_of(name), source_);
    settings(inner);
    inner.refuse_unknown();
  }
}

void SettingVisitor::fail(const std::string& path, const std::string& expected,
                          const nlohmann::json& found) const {
  throw InputError(source_ + ": " + path + ": expected " + expected + ", found " +
                   printable(found.dump()));
}

void SettingVisitor::refuse_unknown() const {
  for (const auto& item : read_->items()) {
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

nlohmann::ordered_json settings_to_json(const SettingGroup& settings) {
  SettingVisitor writer;
  settings(writer);
  return writer.written();
}

void read_settings(const nlohmann::json& json, const std::string& source,
                   const SettingGroup& settings) {
  SettingVisitor reader(json, "", source);
  settings(reader);
  reader.refuse_unknown();
}

}}  // namespace logdepth::learned_records
