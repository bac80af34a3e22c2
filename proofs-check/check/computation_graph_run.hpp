#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/checked_run.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// Runs a weights file of computation graphs exactly, as many iterations as asked: with one it is a
/// step from any state, whose letters hold values (`x3:2`) or none (`x3`).
class ComputationGraphRun {
 public:
  /// Errors: InputError for a file whose input, outputs or loops are not those of computation
  /// graphs.
  explicit ComputationGraphRun(const Model& model);
  ComputationGraphRun(const ComputationGraphRun&) = delete;
  ComputationGraphRun& operator=(const ComputationGraphRun&) = delete;

  std::uint32_t prime() const { return prime_; }
  std::uint32_t names() const { return names_; }
  /// Loops of the file itself.
  std::uint32_t own_iterations() const { return own_iterations_; }
  /// Layers for each of them, and before the first.
  std::uint32_t layers_per_iteration() const { return model_.shape.repeated; }
  std::uint32_t layers_beside() const { return model_.shape.initial + model_.shape.final; }

  /// The value at every letter: 0..prime-1, `prime` for empty, `prime` + 1 for n/a. Absent, with
  /// `mismatch` set, when a promise breaks, when the depth is another than the file claims, when
  /// the run is refused, or when a token does not answer with one value. Errors: InputError for a
  /// letter outside the alphabet.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> values(
      const std::vector<std::string>& letters, std::uint32_t iterations,
      std::optional<Mismatch>& mismatch);

  const CheckedRun& run() const { return run_; }

 private:
  Model model_;  ///< the file's, with the loops of the run
  CheckedRun run_;
  std::uint32_t prime_ = 0, names_ = 0, own_iterations_ = 0;
};

/// The number of operands that the file was compiled for, or else 3.
std::uint32_t operands_of(const Model& model);

}  // namespace logdepth
