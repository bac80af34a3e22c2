#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/task_settings.hpp"

namespace logdepth::inline learned_encode_think_decode {

/// Next-token prediction on lines, a question and its answer each. Samples are lines, padded at the
/// end to the longest of the batch; the model is causal, and the target of every token is the one
/// behind it. Training lines depend on the seed, the phase and the step only, never on the model.
///
/// The lines are those of the own corpus (etd_text.hpp), or those of a file of JSON lines `text`,
/// in the tokens of a language model. Questions of a file are split by their text alone: one in
/// eight is measured and never trained on (held_out in etd_text.hpp); training lines are drawn with
/// replacement. A line of more than `length` tokens is refused, naming the longest one.
///
/// Measured is the share of lines whose answer greedy decoding gives, its end included: every token
/// of the answer is the likeliest behind those before it, which one pass over the whole line tells.
/// Result: {"kind": "lines", "right_tokens": share of right next tokens of all lines, "kinds":
/// [{"kind", "asked", "right", "mean_loops", "difficulties": [{"difficulty", "asked", "right",
/// "mean_loops"}]}], "largest_loops"}; loops where the model decides about them, the means over the
/// tokens that answer, the largest over all tokens.
struct LinesConfig final : TaskSettings {
  enum class Phase {
    base,   ///< a third recall and common, the rest has to be worked out
    middle  ///< seven of ten lines are multi-hop or arithmetic; other lines than those of `base`
  };
  std::string text;    ///< a file of JSON lines; empty: the own corpus
  std::string tokens;  ///< a language model's file or folder, whose tokens `text` is read in
  Phase phase = Phase::base;
  /// Parts of the mixture, of recall, common, reading, multi-hop and arithmetic; empty: those of
  /// the phase. Of the own corpus only.
  std::vector<std::uint32_t> mixture;
  std::uint64_t world = 1;         ///< which facts the own corpus has
  std::uint32_t length = 48;       ///< tokens of a line at most, with the one that ends it
  std::uint32_t batch = 32;        ///< lines
  bool answers_only = false;       ///< targets are the answers, told ones too; else every token
  std::uint32_t validation = 200;  ///< measured lines of a kind and difficulty

  const char* kind() const override { return "lines"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::optional<TextTokens> text_tokens() const override;
};

/// The step that draws of a phase begin to count from: lines of different phases never meet.
std::uint64_t first_step(LinesConfig::Phase phase);

}  // namespace logdepth::inline learned_encode_think_decode
