#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "compiler/passes/norm_types.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// The program that a weights file carries in `derived`, which no hash protects: it serves for
/// names only, and only after its layers, heads, promises and sizes were compared with the weights.
class FittedProgram {
 public:
  /// Null when there is no program, it is not well formed, or it does not fit.
  static std::unique_ptr<const FittedProgram> find(const Model& model);

  const Program& program() const { return program_; }
  /// Of layer `layer` of the file.
  const ScheduledLayer& statements(std::size_t layer) const { return *layers_[layer].statements; }
  /// Null when no norm type was proved, or the mask is not the one of the file.
  const MaskPlan* attention_plan(std::size_t layer) const { return layers_[layer].attention; }
  const MaskPlan* feedforward_plan(std::size_t layer) const { return layers_[layer].feedforward; }

 private:
  struct FittedLayer {
    const ScheduledLayer* statements = nullptr;
    const MaskPlan* attention = nullptr;
    const MaskPlan* feedforward = nullptr;
  };
  FittedProgram() = default;
  bool fits(const Model& model);

  Program program_;
  Schedule schedule_;  // points into program_
  MaskTypes masks_;
  std::vector<FittedLayer> layers_;
};

}  // namespace logdepth
