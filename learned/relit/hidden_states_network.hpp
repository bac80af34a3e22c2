#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "learned/core/universal_transformer.hpp"
#include "learned/relit/relit_settings.hpp"
#include "learned/relit/state_files.hpp"

namespace logdepth::inline learned_relit {

/// A language model that is read and never trained.
struct Backbone {
  std::string name;    ///< of its file, for messages
  std::string digest;  ///< hash of what decides its numbers
  ModelConfig shape;
  std::unique_ptr<UniversalTransformer> model;

  /// What it reads of every token, [B, L, width].
  Tensor embeddings(const Batch& batch) const;
  /// The weights that answers are read off with, [vocabulary, width], and their bias or nothing.
  Tensor head_weight() const;
  Tensor head_bias() const;
  /// Hash of the bits of all numbers, hexadecimal.
  std::string fingerprint() const;
};

/// The states of tokens that a network on top of a language model begins with.
class HiddenStates {
 public:
  virtual ~HiddenStates() = default;
  /// [B, L, width] of the type of the language model. What stands at padding is of no meaning, but
  /// finite.
  virtual Tensor operator()(const Batch& batch, TrainingConfig::Precision precision) const = 0;
};

/// Those that the embedding gives.
class EmbeddingStates final : public HiddenStates {
 public:
  explicit EmbeddingStates(const Backbone& backbone) : backbone_(backbone) {}
  Tensor operator()(const Batch& batch, TrainingConfig::Precision) const override {
    return backbone_.embeddings(batch);
  }

 private:
  const Backbone& backbone_;
};

/// Those after the last layer, computed in every pass: the language model has adapters, whose
/// gradient it is to pass.
class AdaptedStates final : public HiddenStates {
 public:
  explicit AdaptedStates(const Backbone& backbone) : backbone_(backbone) {}
  Tensor operator()(const Batch& batch, TrainingConfig::Precision precision) const override;

 private:
  const Backbone& backbone_;
};

/// Those after the last layer of a language model that does not change: every prompt is read once.
/// States are kept in memory up to a limit, and as files.
class KeptStates final : public HiddenStates {
 public:
  /// `at_once`: prompts that the language model reads in one pass.
  KeptStates(const Backbone& backbone, const std::string& folder, std::uint32_t at_once,
             std::uint64_t most_bytes = kMostBytes);
  Tensor operator()(const Batch& batch, TrainingConfig::Precision precision) const override;

  /// Prompts that the language model has read.
  std::uint64_t computed() const { return computed_; }

  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

 private:
  using Prompt = std::vector<std::int32_t>;
  /// [tokens, width] of each prompt.
  std::vector<Tensor> states_of(const std::vector<Prompt>& prompts,
                                TrainingConfig::Precision precision) const;
  std::vector<Tensor> compute(const std::vector<Prompt>& prompts,
                              TrainingConfig::Precision precision) const;
  void remember(const std::string& key, const Tensor& states) const;

  const Backbone& backbone_;
  std::string folder_;
  std::size_t at_once_;
  std::uint64_t most_bytes_;
  mutable std::unordered_map<std::string, Tensor> memory_;  ///< by the bytes of the tokens
  mutable std::uint64_t bytes_ = 0, computed_ = 0;
};

/// The states that settings ask for. `backbone` outlives them.
std::unique_ptr<HiddenStates> hidden_states(const Backbone& backbone,
                                            const RelitSettings& settings);

}  // namespace logdepth::inline learned_relit
