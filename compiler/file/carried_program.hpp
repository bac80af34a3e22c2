#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace compiler_file {

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

/// How far the program that a weights file carries in `derived` can be trusted to be the one of its
/// weights; no hash protects it.
enum class Trust {
  /// Not at all: whatever the file carries, if anything.
  none,
  /// Its layers, heads, promises and sizes fit the weights: good for names, and for what the file
  /// says of its input.
  plausible,
  /// Compiling it again gives the hash of the file: what the compiler proves of it holds for the
  /// weights.
  recompiled
};

/// The program of a weights file, and what of it may be used.
class [[nodiscard]] CarriedProgram {
 public:
  /// Looks for the evidence that `needed` asks for, and for no more.
  CarriedProgram(const Model& model, Trust needed);

  /// What was asked for, or `none`.
  Trust trust() const { return trust_; }
  /// Why there is not what was asked for (with `none`: no program at all), as a sentence.
  const std::string& reason() const { return reason_; }

  /// Null where the file carries none, or one that is not well formed. With trust `none` it may
  /// have nothing to do with the weights.
  const Program* program() const { return program_.get(); }
  /// Its layers beside those of the file; null unless it is `plausible`.
  const FittedProgram* fitted() const { return fitted_.get(); }
  /// What is proved about the numbers of the weights; nothing, unless it is `recompiled`.
  const PrecisionFacts& facts() const { return facts_; }

 private:
  void read(const Model& model, Trust needed);
  void fit(const Model& model);
  void compile_again(const Model& model);

  Trust trust_ = Trust::none;
  std::string reason_;
  std::unique_ptr<const Program> program_;
  std::unique_ptr<const FittedProgram> fitted_;  // points into program_
  PrecisionFacts facts_;
};

/// Something that a run in floating point would like to know of the exact numbers of a file, and
/// whether it is proved. N is what runtime/file/model.hpp calls the size of a run.
struct PrecisionSentence {
  bool proved = false;
  std::string text;  ///< the law, or what there is none for
};

/// For every head that selects: by how much what it selects outscores the rest. For every test: how
/// near its number comes to zero. In the order of the layers, with the names of the program that the
/// file carries; of a file that cannot be proved to be of such a program one sentence that says why.
std::vector<PrecisionSentence> precision_sentences(const Model& model);

/// What the weights say against a hypothesis that the file states: "layer 1 of the file, head 0 looks
/// at all tokens". Absent where they say nothing against it, which proves nothing. Decided are
/// the clauses of runtime/file/hypotheses.hpp.
std::optional<std::string> contradiction(const Model& model, const std::string& hypothesis);

}}  // namespace logdepth::compiler_file
