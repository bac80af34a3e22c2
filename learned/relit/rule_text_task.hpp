#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "learned/records/task_settings.hpp"
#include "learned/relit/rules_task.hpp"

namespace logdepth::inline learned_relit {

/// Text to pre-train a language model on: statements only, never a question or an answer. A text of
/// rules is a theory in random order (rule_questions.hpp) and then statements that hold in it, told
/// or not; of pairs of sentences it is a sentence and one that it entails. Samples are `length`
/// tokens of texts one after the other, each with the word that ends it; the target of every token
/// is the next one. Tokens are the words of relit_tokens.hpp.
///
/// Result: {"kind": "rule-text", "asked": tokens, "right": those whose next one is the likeliest}.
struct RuleTextConfig final : TaskSettings {
  enum class Set { rules, nli };

  Set set = Set::rules;
  RuleSettings rules;
  std::vector<std::uint32_t> depths = {0, 1, 2, 3};  ///< of proofs in the theories, drawn
  std::uint32_t entailed = 2;                        ///< statements behind a theory
  std::uint32_t length = 96;
  std::uint32_t batch = 32;
  std::uint32_t validation = 100;  ///< samples

  const char* kind() const override { return "rule-text"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  void validate() const override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::optional<TextTokens> text_tokens() const override;
};

/// One text, as read by RuleTextConfig. Precondition: the settings are valid.
std::string statement_text(const RuleTextConfig& config, CounterRandom& random);

}  // namespace logdepth::inline learned_relit
