#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace proofs_check_check {

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

/// `name = operand o operand ...` or, without operands, `name = value`. Names are numbers.
struct Equation {
  std::uint32_t name = 0, value = 0;
  std::vector<std::uint32_t> operands;
  std::string operations;  ///< one less
};

/// A computation graph, what its variables hold before the first iteration, and how many there are.
struct ComputationGraphQuestion {
  std::vector<Equation> equations;
  /// Of the variables in their order in the text, `prime` for none; empty: none holds anything.
  std::vector<std::uint32_t> held;
  std::uint32_t iterations = 0;  ///< more or fewer than the file's own, too
};

/// The value at every token of computation graphs against the definition, after any number of
/// iterations from any state.
class ComputationGraphDomain : public TestDomain<ComputationGraphQuestion> {
 public:
  /// Keeps a reference. Errors: as above.
  explicit ComputationGraphDomain(const Model& model);

  Outcome<Tokens> tokens(const ComputationGraphQuestion& question) const override;
  std::optional<std::uint32_t> loops(const ComputationGraphQuestion& question) const override;
  bool outside(const ComputationGraphQuestion&) const override { return false; }
  FileAnswer expected(const ComputationGraphQuestion&) const override {
    return EveryToken::node_values;
  }
  std::optional<Failure> judge(const ComputationGraphQuestion& question, DecidedRun& run,
                               ComparedCounts& counts) override;
  ComputationGraphQuestion shrunk(
      ComputationGraphQuestion question,
      const std::function<bool(const ComputationGraphQuestion&)>& fails) const override;
  std::string text(const ComputationGraphQuestion& question) const override;

  std::vector<std::string> letters(const ComputationGraphQuestion& question) const;
  const ComputationGraphFile& file() const { return file_; }

 private:
  ComputationGraphFile file_;
};

/// Every graph of at most `up_to` equations, then random ones, under random names: after the file's
/// own iterations from no values, and after one to one more than the depth from random values. Errors:
/// SizeLimit for an `up_to` of too many graphs.
Examination<ComputationGraphQuestion> examine_computation_graphs(ComputationGraphDomain& questions,
                                                                 const Bounds& bounds,
                                                                 const Asking& how);

}}  // namespace logdepth::proofs_check_check
