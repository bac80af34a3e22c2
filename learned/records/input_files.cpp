#include "learned/records/input_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "learned/records/settings_json.hpp"
#include "runtime/file/file_pieces.hpp"
#include "runtime/file/sha256.hpp"

namespace logdepth::inline learned_records {
namespace {

namespace fs = std::filesystem;

/// Collects the settings that name files.
class NamedFiles final : public SettingVisitor {
 public:
  using SettingVisitor::operator();
  void operator()(const char*, bool&) override {}
  void operator()(const char*, std::uint32_t&) override {}
  void operator()(const char*, std::uint64_t&) override {}
  void operator()(const char*, double&) override {}
  void operator()(const char*, std::string&) override {}
  void operator()(const char*, std::vector<std::uint32_t>&) override {}
  void word(const char*, std::size_t&, std::span<const char* const>) override {}
  void file(const char*, std::string& value) override {
    if (!value.empty()) names.push_back(value);
  }
  void group(const char*, const SettingGroup& settings) override { settings(*this); }

  std::vector<std::string> names;

 private:
  bool present(const char*, bool now) override { return now; }
};

bool is_read_of_a_model(const std::string& name) {
  return name == "config.json" || name == "tokenizer.json" ||
         (name.starts_with("model") && name.ends_with(".safetensors"));
}

/// The file, or what is read of a folder, in the order of names.
std::vector<fs::path> files_of(const std::string& name) {
  if (!fs::is_directory(name))
    return fs::exists(name) ? std::vector<fs::path>{name} : std::vector<fs::path>();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(name))
    if (is_read_of_a_model(entry.path().filename().string())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

nlohmann::ordered_json input_hashes(const RunConfig& config) {
  NamedFiles named;
  visit_settings(config, named);
  nlohmann::ordered_json hashes = nlohmann::ordered_json::object();
  for (const std::string& name : named.names)
    for (const fs::path& file : files_of(name))
      hashes[file.string()] = sha256(FilePieces(file.string()));
  return hashes;
}

}  // namespace logdepth::inline learned_records
