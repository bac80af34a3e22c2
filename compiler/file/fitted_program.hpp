#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "compiler/passes/norm_types.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

/// A program beside weights that it fits: its layers, heads, promises and sizes are those of the
/// weights. Which program fits by chance, or was made to, it cannot tell (CarriedProgram).
class FittedProgram {
 public:
  /// Null when the program breaks a rule of the compiler, or does not fit. Keeps a reference to it.
  [[nodiscard]] static std::unique_ptr<const FittedProgram> find(const Program& program,
                                                                 const Model& model);

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
  explicit FittedProgram(const Program& program) : program_(program) {}
  bool fits(const Model& model);

  const Program& program_;
  Schedule schedule_;  // points into program_
  MaskTypes masks_;
  std::vector<FittedLayer> layers_;
};

}  // namespace logdepth::inline compiler_file
