#include "learned/language_model/safetensors_folder.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"
#include "runtime/file/safetensors.hpp"

namespace logdepth::inline learned_language_model {
namespace {

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

TensorEncoding encoding_of(const SafeTensorPlace& place, const std::string& name,
                           const std::string& file) {
  for (const TensorEncoding known :
       {TensorEncoding::f32, TensorEncoding::f16, TensorEncoding::bf16})
    if (place.type == block_of(known).name) return known;
  throw InputError(file + ": " + in_quotes(name) +
                   ": expected an encoding of F32, F16 or BF16, found " + in_quotes(place.type));
}

void add_file(SafetensorsFolder& folder, const std::string& path) {
  const auto file = std::make_shared<const FilePieces>(path);
  folder.files.push_back(file);
  const SafeTensorsHeader header = read_safetensors_header(*file);
  for (const auto& [name, place] : header.arrays) {
    StoredTensor tensor{file, name, encoding_of(place, name, path), place.shape, place.offset};
    if (const auto [found, added] = folder.tensors.emplace(name, std::move(tensor)); !added)
      throw InputError(path + ": " + in_quotes(name) + ": expected this array once, found it in " +
                       found->second.file->path() + " too");
  }
}

/// The file of each array, by an index. Errors: InputError naming the index.
std::map<std::string, std::string> read_index(const std::string& path) {
  const auto json = nlohmann::json::parse(read_json_file(path), nullptr, false);
  const auto refuse = [&](const std::string& expected) {
    return InputError(path + ": expected " + expected);
  };
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
    throw refuse("a JSON object with an object weight_map");
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : json["weight_map"].items()) {
    const std::string text = file.is_string() ? file.get<std::string>() : "";
    // A name with a folder could lead out of this one.
    if (text.empty() || text == "." || text == ".." || text.find('/') != std::string::npos ||
        text.find('\0') != std::string::npos)
      throw refuse("the name of a file of the same folder for " + in_quotes(name));
    files.emplace(name, text);
  }
  return files;
}

}  // namespace

SafetensorsFolder read_safetensors_folder(const std::string& path) {
  SafetensorsFolder folder;
  folder.list = path + "/" + kSingle;
  const std::string index = path + "/" + kIndex;
  std::error_code ignored;
  if (std::filesystem::exists(folder.list, ignored) || !std::filesystem::exists(index, ignored)) {
    add_file(folder, folder.list);
    return folder;
  }
  folder.list = index;
  const std::map<std::string, std::string> files = read_index(index);
  std::set<std::string> names;
  for (const auto& [array, file] : files) names.insert(file);
  for (const std::string& name : names) add_file(folder, path + "/" + name);
  for (const auto& [array, file] : files) {
    const auto found = folder.tensors.find(array);
    if (found == folder.tensors.end() || found->second.file->path() != path + "/" + file)
      throw InputError(index + ": expected " + in_quotes(array) + " in " + in_quotes(file) +
                       ", found it " +
                       (found == folder.tensors.end() ? std::string("nowhere")
                                                      : "in " + found->second.file->path()));
  }
  for (const auto& [array, tensor] : folder.tensors)
    if (!files.contains(array))
      throw InputError(tensor.file->path() + ": " + in_quotes(array) +
                       ": expected the index to name this array");
  return folder;
}

}  // namespace logdepth::inline learned_language_model
