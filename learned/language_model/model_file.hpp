#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "learned/language_model/available_memory.hpp"
#include "learned/language_model/model_settings.hpp"
#include "learned/language_model/parameter_names.hpp"
#include "learned/language_model/stored_tensor.hpp"
#include "learned/language_model/tokeniser.hpp"

namespace logdepth::inline learned_language_model {

/// A language model as it lies on disk: a GGUF file, a folder with config.json and safetensors, or
/// the folder of a training run of a text task. Numbers are read one parameter at a time.
class LanguageModelFile {
 public:
  /// Reads settings and headers. Errors: InputError naming file and tensor: every array of the
  /// files is used exactly once, all others are refused.
  explicit LanguageModelFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// "llama", "olmo2", of runs "logdepth".
  const std::string& architecture() const { return settings_.architecture; }
  const ModelConfig& model() const { return settings_.model; }
  std::uint32_t vocabulary() const { return *settings_.vocabulary; }
  std::uint32_t context() const { return settings_.context; }
  const LanguageModelSettings& settings() const { return settings_; }

  /// Arrays of the files by encoding, as in Q4_1: 210, F32: 61.
  const std::map<std::string, std::uint64_t>& encodings() const { return encodings_; }

  struct Parameter {
    std::string name;                 ///< "layers.3.in.weight", "embedding.0": core/ without loops
    std::vector<std::int64_t> shape;  ///< row-major
    std::vector<StoredTensor> parts;  ///< whose rows stand one after the other
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::uint64_t parameter_count() const { return parameter_count_; }
  /// What all parameters take as floats.
  std::uint64_t bytes_in_float() const { return parameter_count_ * sizeof(float); }
  /// Errors: InputError with both sizes when so many copies of the model as floats are larger than
  /// `available` bytes.
  void expect_memory(std::uint64_t copies = 1, std::uint64_t available = available_memory()) const;

  /// The numbers of a parameter of this file, row-major, in the file's own order of channels
  /// (model().rotary_pairs). Errors: InputError where one is not finite.
  std::vector<float> values(const Parameter& parameter) const;

  /// Whether the file brings tokens.
  bool has_tokens() const;
  /// Errors: InputError where there are none, or more of them than the embedding has rows.
  std::shared_ptr<const Tokeniser> tokens() const;

  /// SHA-256 of the contents, hexadecimal: of a GGUF file as it is, of a folder that of a line
  /// "HASH  NAME" for each of its files that decide what the model computes.
  std::string digest() const;

 private:
  void open_gguf();
  void open_folder();
  void open_run();
  /// Gives every parameter its arrays. `list`: the file that misses what is missing.
  void match(std::map<std::string, StoredTensor> tensors, TensorNames names,
             const std::string& list);
  /// `links`: from run to run that took its tokens from another.
  std::shared_ptr<const Tokeniser> tokens_after(std::uint32_t links) const;

  enum class Kind { gguf, folder, run };
  std::string path_;
  Kind kind_ = Kind::gguf;
  LanguageModelSettings settings_;
  std::map<std::string, std::uint64_t> encodings_;
  std::vector<Parameter> parameters_;
  std::uint64_t parameter_count_ = 0;
  std::vector<std::shared_ptr<const FilePieces>> weights_;  ///< in the order of their names
  std::optional<TextTokens> run_tokens_;
  std::shared_ptr<const GgufFile> gguf_;
};

}  // namespace logdepth::inline learned_language_model
