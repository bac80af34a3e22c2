#pragma once

#include <memory>
#include <string>

#include "compiler/file/fitted_program.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth::inline compiler_file {

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

}  // namespace logdepth::inline compiler_file
