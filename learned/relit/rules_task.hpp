#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/task_settings.hpp"
#include "learned/relit/rule_questions.hpp"

namespace logdepth::inline learned_relit {

/// Prompts whose answer is one token, read off the last one: questions about facts and rules
/// (rule_questions.hpp), pairs of sentences (nli_pairs.hpp), or a file of JSON lines with question
/// and answer, whose prompt is "question : QUESTION answer :". One head, whose classes are the
/// vocabulary; labels are depths of proofs, of a file its difficulties, of pairs 0.
///
/// There is a fixed number of training samples, by the seed alone, in a new order every epoch;
/// answers and depths are balanced. The test samples are others: of pairs, other combinations of
/// words; of a file, the lines at its end.
///
/// Measured are the answers after each of `macro_steps` loops, the answer of record being that at
/// the loop where the model halted, or the last:
/// {"kind": "rules", "set", "asked", "right", "mean_halting",
///  "by_proof_depth": [{"depth", "asked", "right", "mean_halting"}],
///  "by_macro_step": [{"step", "right", "change"}], change of the state, null where not told,
///  "halting": samples by loop, "halting_by_proof_depth": the same for each entry above,
///  "mean_flips": changes of the answer from loop to loop,
///  "trajectories": [{"depth", "target", "answers", "halted"}] of the first 12 samples}
struct RulesTaskConfig final : TaskSettings {
  enum class Set { rules, nli, file };

  Set set = Set::rules;
  RuleSettings rules;
  std::vector<std::uint32_t> depths = {0, 1, 2, 3};  ///< of proofs, each as often
  std::string questions;                             ///< the file of Set::file
  std::uint32_t training_samples = 2000, test_samples = 600;
  std::uint32_t batch = 32;
  std::uint32_t macro_steps = 3;
  std::string tokens;  ///< a language model's file or folder; empty: words of its own

  const char* kind() const override { return "rules"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  void validate() const override;
  std::uint32_t most_loops() const override { return macro_steps; }
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::optional<TextTokens> text_tokens() const override;
};

/// The settings of rules, as those of two kinds of tasks.
void visit_rule_settings(RuleSettings& rules, SettingVisitor& visit);
/// Errors: InputError naming task.depths unless they grow and are at most kDeepestProof.
void check_proof_depths(const std::vector<std::uint32_t>& depths);

}  // namespace logdepth::inline learned_relit
