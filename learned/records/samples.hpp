#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace logdepth::inline learned_records {

/// A batch of samples as plain numbers, padded to one length.
struct Samples {
  static constexpr std::int32_t kIgnored = -1;  ///< a target that is not asked for

  std::size_t count = 0;              ///< samples
  std::size_t tokens = 0;             ///< per sample, padding included
  std::size_t size = 0;               ///< n of log n: letters of a word, vertices of a graph
  std::uint32_t loops = 0;            ///< that these samples ask for (LoopRule::Kind::asked)
  std::vector<std::int32_t> lengths;  ///< [count] tokens before the padding; empty: no padding
  std::vector<std::int32_t> indices;  ///< [count, tokens, tables]
  std::vector<float> features;        ///< [count, tokens, features]
  std::vector<std::uint8_t> view;     ///< [count, tokens, tokens] of View::given: row i may read j
  /// [count, tokens]: which of the texts that share a row each token is of; it reads those of its own
  /// text only. Empty: a row is one text. Every batch of such a task has one shape.
  std::vector<std::int32_t> segments;
  /// For every layer that runs, the last for all behind it, [tokens, tokens] of all samples: row i may
  /// read j. Empty: layers are alike. Of causal samples without segments.
  std::vector<std::vector<std::uint8_t>> layer_views;
  std::vector<std::int32_t> read;  ///< tokens read out: [count] of one_token, [count, 2] of pair
  /// [count, tokens, heads], or [count, heads] of one_token and pair; kIgnored where padding is.
  std::vector<std::int32_t> targets;
  /// The loop, from 1 on, after which each target is first asked for (Supervision::when_due), in
  /// the layout of `targets`; empty: the first.
  std::vector<std::int32_t> due;
  /// What a measure sorts answers by, one per target or empty: distances of vertices. Of packed
  /// training samples, and of words of many lengths: 1 where the target decides about promotion.
  std::vector<std::int32_t> labels;
  /// Of training samples, for each level that the format teaches: targets of the readout after so
  /// many layers, in the layout of `targets`.
  std::vector<std::vector<std::int32_t>> taught;
  /// Of training samples: of an earlier stage, so that they decide nothing about promotion.
  bool review = false;

  /// Tokens of a sample before the padding.
  std::size_t length(std::size_t sample) const {
    return lengths.empty() ? tokens : static_cast<std::size_t>(lengths[sample]);
  }
};

/// The samples of several seeds one after another, of one shape. Precondition: nothing but indices,
/// targets, segments and labels.
Samples joined(const std::vector<Samples>& of_seeds);

/// Texts of one table of tokens and one head of answers as samples, the shorter ones padded; nothing
/// is asked of them.
Samples samples_of_texts(const std::vector<std::vector<std::int32_t>>& texts);

}  // namespace logdepth::inline learned_records
