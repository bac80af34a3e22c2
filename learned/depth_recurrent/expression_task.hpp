#pragma once

#include <cstdint>
#include <memory>

#include "learned/depth_recurrent/difficulty_task.hpp"
#include "learned/depth_recurrent/expressions.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// The value of a nested boolean expression (specification of depth-recurrent transformers, section
/// 4.2). The difficulty is its depth; tokens are [CLS], off which the answer is read, and the
/// letters ( ) T F & | !, padded at the end to the longest expression of the batch. Results also
/// have the share of the measured expressions that two rounds of evaluation decide, by depth: what a
/// shortcut answers right without guessing.
struct ExpressionTaskConfig final : DifficultySettings {
  ExpressionSettings expressions;

  ExpressionTaskConfig();
  const char* kind() const override { return "expressions"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
};

}  // namespace logdepth::inline learned_depth_recurrent
