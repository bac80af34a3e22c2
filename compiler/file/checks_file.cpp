#include "compiler/file/checks_file.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace compiler_file {
namespace {

constexpr const char* kSchema = "logdepth/checks/1";
using Limits = std::map<std::string, std::uint64_t>;
bool reach_as_far(const Limits& limits, const Limits& others) {
  return std::ranges::all_of(others, [&](const auto& other) {
    const auto mine = limits.find(other.first);
    return mine != limits.end() && mine->second >= other.second;
  });
}

/// Whether `entry` says all that the other does; `wins`: of two that disagree.
bool replaces(const CheckEntry& entry, const CheckEntry& other, bool wins) {
  if (entry.kind != other.kind || entry.against != other.against) return false;
  if (entry.failed() != other.failed()) return wins;
  return reach_as_far(entry.limits, other.limits);
}

}  // namespace

std::string checks_path(const std::string& model_path) {
  return model_path + ".checks.json";
}

std::vector<CheckEntry> read_checks(const std::string& model_path, const std::string& hash) {
  const std::string path = checks_path(model_path);
  if (!std::filesystem::exists(path)) return {};
  const std::string text = read_json_file(path, std::size_t{1} << 24);
  std::vector<CheckEntry> entries;
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("schema") != kSchema) throw InputError(path + ": expected schema " + kSchema);
    if (json.at("sha256") != hash) return {};
    // Of a proof the theorem is one of Coq's. Older files have names of theorems of the checker in C++, which
    // accepted false ones.
    for (const auto& entry : json.at("checks"))
      if (entry.at("kind") != "proved" || std::string(entry.at("against")).ends_with("_correct"))
        entries.push_back({entry.at("kind"), entry.at("against"), entry.at("bound"),
                           entry.at("result"), entry.value("compared", std::string()),
                           entry.value("limits", Limits())});
  } catch (const nlohmann::json::exception&) {
    throw InputError(path + ": is not a checks file; remove it");
  }
  return entries;
}

void add_check(const std::string& model_path, const std::string& hash, const CheckEntry& entry,
               bool oracle_may_change) {
  auto entries = read_checks(model_path, hash);
  const bool wins = entry.failed() || oracle_may_change;
  std::erase_if(entries, [&](const CheckEntry& old) { return replaces(entry, old, wins); });
  if (std::ranges::none_of(entries,
                           [&](const CheckEntry& old) { return replaces(old, entry, !wins); }))
    entries.push_back(entry);
  nlohmann::json json;
  json["schema"] = kSchema;
  json["sha256"] = hash;
  json["checks"] = nlohmann::json::array();
  for (const CheckEntry& e : entries)
    json["checks"].push_back({{"kind", e.kind},
                              {"against", e.against},
                              {"bound", e.bound},
                              {"result", e.result},
                              {"compared", e.compared},
                              {"limits", e.limits}});
  write_whole_file(checks_path(model_path), json.dump(1) + "\n");
}

}}  // namespace logdepth::compiler_file
