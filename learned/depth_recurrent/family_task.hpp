#pragma once

#include <cstdint>
#include <memory>

#include "learned/depth_recurrent/difficulty_task.hpp"
#include "learned/depth_recurrent/families.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// Is one person the relation of another that the question names, by facts in random order
/// (specification of depth-recurrent transformers, section 4.3)? The difficulty is the number of
/// facts on the path between the two; tokens are [CLS] and words, padded at the end to the longest
/// text of the batch. The answer is read off the two names in the question, which is last.
struct FamilyTaskConfig final : DifficultySettings {
  FamilySettings families;

  FamilyTaskConfig();
  const char* kind() const override { return "families"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
};

}  // namespace logdepth::inline learned_depth_recurrent
