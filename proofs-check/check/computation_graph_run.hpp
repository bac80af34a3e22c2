#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/exact_runs.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline proofs_check_check {

/// What a weights file of computation graphs is made for.
struct ComputationGraphFile {
  std::uint32_t prime = 0, names = 0;
  std::uint32_t iterations = 0;  ///< loops of the file itself
  std::uint32_t operands = 3;    ///< of an expression at most
};
/// Errors: InputError for a file whose input, outputs or loops are not those of computation graphs.
ComputationGraphFile computation_graph_file(const Model& model);

/// The value at a token, 0 ... prime - 1, `prime` for none yet, `prime` + 1 at what is no variable;
/// absent where it answers with no single one. Precondition: a run of such a file.
std::optional<std::uint32_t> node_value(DecidedRun& run, std::size_t token, std::uint32_t prime);

/// Runs a weights file of computation graphs exactly, as many iterations as asked: with one it is a
/// step from any state, whose letters hold values (`x3:2`) or none (`x3`).
class ComputationGraphRun {
 public:
  /// Errors: as above.
  explicit ComputationGraphRun(const Model& model);

  /// Layers for each iteration, and before the first.
  std::uint32_t layers_per_iteration() const { return runs_.model().shape.repeated; }
  std::uint32_t layers_beside() const {
    return runs_.model().shape.initial + runs_.model().shape.final;
  }

  /// The value at every letter. Absent, with `found` set, when a contract breaks, when the run is
  /// refused, or when a token does not answer with one value. Errors: InputError for a letter outside
  /// the alphabet.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> values(
      const std::vector<std::string>& letters, std::uint32_t iterations,
      std::optional<Failure>& found);

 private:
  ComputationGraphFile file_;
  ExactRuns runs_;
};

}  // namespace logdepth::inline proofs_check_check
