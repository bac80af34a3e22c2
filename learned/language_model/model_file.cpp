#include "learned/language_model/model_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "learned/language_model/gguf_metadata_tokens.hpp"
#include "learned/language_model/parameter_names.hpp"
#include "learned/language_model/safetensors_folder.hpp"
#include "learned/language_model/tokenizer_json.hpp"
#include "learned/language_model/words.hpp"
#include "learned/records/run_record.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"
#include "runtime/file/sha256.hpp"

namespace logdepth::inline learned_language_model {
namespace {

namespace fs = std::filesystem;
using Tensors = std::map<std::string, StoredTensor>;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kTokenFile = "tokenizer.json";
constexpr std::uint32_t kMostTokenLinks = 4;

/// Takes a tensor out of the list. Errors: InputError when it has another shape.
std::optional<StoredTensor> take(Tensors& tensors, const std::string& name,
                                 const std::vector<std::uint64_t>& shape) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) return std::nullopt;
  StoredTensor tensor = std::move(found->second);
  tensors.erase(found);
  if (tensor.shape != shape)
    throw InputError(fmt::format("{}: {}: expected shape {}, found {}", tensor.file->path(),
                                 in_quotes(name), shape_text(shape), shape_text(tensor.shape)));
  return tensor;
}

/// The rows of the embedding, where the settings do not say the size of the vocabulary.
std::uint32_t embedding_rows(const Tensors& tensors, const std::string& name,
                             const std::string& file) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw InputError(file + ": expected a tensor " + in_quotes(name));
  const std::vector<std::uint64_t>& shape = found->second.shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[0] > kMostVocabulary)
    throw InputError(
        fmt::format("{}: {}: expected a row for each of 1 to {} tokens, found shape {}", file,
                    in_quotes(name), kMostVocabulary, shape_text(shape)));
  return static_cast<std::uint32_t>(shape[0]);
}

/// Some files keep the speeds of rotary angles, or factors that divide them. They are computed
/// here, so a file may only say what would be computed. `expected(i)`: number i.
/// Errors: InputError when a number is another.
void expect_rotary(Tensors& tensors, const std::string& name, std::uint32_t head_width,
                   const std::function<double(double)>& expected) {
  const auto tensor = take(tensors, name, {head_width / 2});
  if (!tensor) return;
  std::vector<float> values;
  append_values(*tensor, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const double right = expected(static_cast<double>(i));
        std::abs(values[i] - right) > 1e-5 * right)
      throw InputError(fmt::format(
          "{}: {}: expected rotary angles without scaling, {} at channel pair {}, found {}",
          tensor->file->path(), in_quotes(name), right, i, values[i]));
}

/// Whether two tensors have the same encoding, shape and bytes.
bool same_bytes(const StoredTensor& a, const StoredTensor& b) {
  if (a.encoding != b.encoding || a.shape != b.shape) return false;
  const std::uint64_t length = stored_bytes(
      a.encoding,
      std::accumulate(a.shape.begin(), a.shape.end(), std::uint64_t{1}, std::multiplies<>()));
  bool same = true;
  std::uint64_t done = 0;
  std::vector<char> other;
  a.file->for_each_piece(a.offset, length, 1, [&](std::string_view bytes) {
    other.resize(bytes.size());
    b.file->read(b.offset + done, other);
    same = same && std::equal(bytes.begin(), bytes.end(), other.begin());
    done += bytes.size();
  });
  return same;
}

}  // namespace

LanguageModelFile::LanguageModelFile(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    open_gguf();
  } else if (fs::exists(fs::path(path) / kRecordFile, ignored)) {
    open_run();
  } else {
    open_folder();
  }
}

void LanguageModelFile::open_gguf() {
  auto gguf = std::make_shared<GgufFile>(read_gguf(path_));
  settings_ = settings_of(*gguf);
  Tensors tensors = std::move(gguf->tensors);
  settings_.tied = !tensors.contains("output.weight");
  if (!settings_.vocabulary)
    settings_.vocabulary = embedding_rows(tensors, "token_embd.weight", path_);
  weights_ = {gguf->file};
  for (const auto& [name, tensor] : tensors) ++encodings_[block_of(tensor.encoding).name];
  expect_rotary(tensors, "rope_freqs.weight", model().width / model().heads,
                [](double) { return 1.0; });
  gguf_ = std::move(gguf);
  match(std::move(tensors), TensorNames::gguf, path_);
}

void LanguageModelFile::open_folder() {
  kind_ = Kind::folder;
  settings_ = read_config_json(path_ + "/" + kConfigFile);
  SafetensorsFolder folder = read_safetensors_folder(path_);
  Tensors& tensors = folder.tensors;
  weights_ = folder.files;
  for (const auto& [name, tensor] : tensors) ++encodings_[block_of(tensor.encoding).name];
  const auto readout = tensors.find("lm_head.weight");
  if (!settings_.tied) settings_.tied = readout == tensors.end();
  if (*settings_.tied && readout != tensors.end()) {
    // Some programs store a tied readout although it is the embedding.
    const auto embedding = tensors.find("model.embed_tokens.weight");
    if (embedding == tensors.end() || !same_bytes(embedding->second, readout->second))
      throw InputError(readout->second.file->path() +
                       ": 'lm_head.weight': expected the numbers of 'model.embed_tokens.weight', "
                       "because config.json sets tie_word_embeddings, found others");
    tensors.erase(readout);
  }
  const double half = model().width / model().heads / 2;
  for (std::uint32_t i = 0; i < model().initial; ++i)
    expect_rotary(tensors, fmt::format("model.layers.{}.self_attn.rotary_emb.inv_freq", i),
                  model().width / model().heads,
                  [&](double pair) { return std::pow(model().rotary_base, -pair / half); });
  match(std::move(tensors), TensorNames::hugging_face, folder.list);
}

void LanguageModelFile::open_run() {
  kind_ = Kind::run;
  const std::string config = path_ + "/" + kConfigFile;
  const auto json = nlohmann::json::parse(read_json_file(config), nullptr, false);
  if (!json.is_object())
    throw InputError(config + ": expected the configuration of a run, a JSON object");
  const RunConfig run = run_config_from_json(json, config);
  try {
    validate(run);
  } catch (const InputError& error) {
    throw InputError(config + ": " + error.what());
  }
  settings_ = settings_of(run, config);
  run_tokens_ = run.task->text_tokens();
  SafetensorsFolder folder = read_safetensors_folder(path_);
  weights_ = folder.files;
  for (const auto& [name, tensor] : folder.tensors) ++encodings_[block_of(tensor.encoding).name];
  settings_.vocabulary = embedding_rows(folder.tensors, "embedding.0", folder.list);
  match(std::move(folder.tensors), TensorNames::run, folder.list);
}

void LanguageModelFile::match(Tensors tensors, TensorNames names, const std::string& list) {
  settings_.model.tied_readout = *settings_.tied;
  for (const NamedParameter& named : named_parameters(settings_, names)) {
    Parameter parameter{named.name, {0}, {}};
    for (const NamedParameter::Part& part : named.parts) {
      auto tensor = take(tensors, part.tensor, part.shape);
      if (!tensor)
        throw InputError(fmt::format("{}: expected a tensor {} of shape {}", list,
                                     in_quotes(part.tensor), shape_text(part.shape)));
      const std::int64_t rows = parameter.shape[0] + static_cast<std::int64_t>(part.shape[0]);
      parameter.shape.assign(part.shape.begin(), part.shape.end());
      parameter.shape[0] = rows;
      parameter.parts.push_back(std::move(*tensor));
    }
    parameter_count_ += static_cast<std::uint64_t>(std::accumulate(
        parameter.shape.begin(), parameter.shape.end(), std::int64_t{1}, std::multiplies<>()));
    parameters_.push_back(std::move(parameter));
  }
  if (!tensors.empty())
    throw InputError(fmt::format(
        "{}: {}: expected no such tensor in a {} model of {}{}",
        tensors.begin()->second.file->path(), in_quotes(tensors.begin()->first), architecture(),
        counted(model().layers(), "layer"),
        tensors.size() > 1 ? fmt::format(", found {} of that kind", tensors.size()) : ""));
}

void LanguageModelFile::expect_memory(std::uint64_t copies, std::uint64_t available) const {
  if (available / copies < bytes_in_float())
    throw InputError(fmt::format(
        "{}: expected a model that takes at most the {} bytes of memory that are available, found "
        "one of {} bytes as floats{}",
        path_, available, bytes_in_float(),
        copies > 1 ? fmt::format(", {} times as many while it is trained", copies) : ""));
}

std::vector<float> LanguageModelFile::values(const Parameter& parameter) const {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(std::accumulate(
      parameter.shape.begin(), parameter.shape.end(), std::int64_t{1}, std::multiplies<>())));
  for (const StoredTensor& part : parameter.parts) append_values(part, values);
  return values;
}

bool LanguageModelFile::has_tokens() const {
  std::error_code ignored;
  if (kind_ == Kind::gguf) return has_gguf_tokens(*gguf_);
  return kind_ == Kind::run || fs::exists(path_ + "/" + kTokenFile, ignored);
}

std::shared_ptr<const Tokeniser> LanguageModelFile::tokens() const {
  return tokens_after(0);
}

std::shared_ptr<const Tokeniser> LanguageModelFile::tokens_after(std::uint32_t links) const {
  std::shared_ptr<const Tokeniser> tokens;
  if (kind_ == Kind::gguf) {
    tokens = byte_pair_tokeniser(byte_pairs_from(gguf_tokens(*gguf_)));
  } else if (kind_ == Kind::folder) {
    tokens = read_tokenizer_json(path_ + "/" + kTokenFile);
  } else if (run_tokens_->model.empty()) {
    tokens = word_tokeniser(run_tokens_->words);
  } else if (links == kMostTokenLinks) {
    throw InputError(path_ +
                     ": expected tokens of a language model, found runs that take theirs "
                     "from each other");
  } else {
    tokens = LanguageModelFile(run_tokens_->model).tokens_after(links + 1);
  }
  if (tokens->size() > vocabulary())
    throw InputError(
        fmt::format("{}: expected at most the {} tokens that the embedding has, found "
                    "{}",
                    path_, vocabulary(), tokens->size()));
  return tokens;
}

std::string LanguageModelFile::digest() const {
  if (kind_ == Kind::gguf) return sha256(*weights_.front());
  std::string lines;
  std::error_code ignored;
  for (const char* name : {kConfigFile, kTokenFile, "tokenizer_config.json"})
    if (const std::string file = path_ + "/" + name;
        fs::exists(file, ignored) && (kind_ == Kind::folder || name == kConfigFile))
      lines += sha256(FilePieces(file)) + "  " + name + "\n";
  for (const auto& file : weights_)
    lines += sha256(*file) + "  " + fs::path(file->path()).filename().string() + "\n";
  return sha256(lines);
}

}  // namespace logdepth::inline learned_language_model
