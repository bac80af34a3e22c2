#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/claims/claim.hpp"
#include "runtime/file/head_place.hpp"

namespace logdepth::inline proofs_check_ledger {

/// What is known about a claim. Nobody writes it down: it is computed from runs.
enum class Status {
  checked,         ///< every input up to the bound, every contract kept and every head asked
  tested,          ///< some inputs
  certified,       ///< proved for all inputs from the file's numbers (`certify`)
  contradicted,    ///< a counterexample
  undecided,       ///< no wrong answer, but some input got none
  unchecked,       ///< not run
  not_executable,  ///< cannot be run, for a reason that is given
};
std::string status_name(Status status);  ///< "checked", ..., "not-executable"
/// Of two parts of a claim, the one that says more against it.
Status worse(Status a, Status b);

/// An input in words, and what was found there.
struct FailedInput {
  std::string input;
  Failure finding;
};
/// "on <input>: expected ..., found ...".
std::string describe(const FailedInput& failed);

struct [[nodiscard]] FileVerdict {
  Status status = Status::unchecked;
  Bounds bounds;  ///< as asked, or the file's own limit where that is less
  std::uint64_t exhaustive = 0, chosen = 0, random = 0;  ///< inputs
  std::uint64_t answers = 0;                             ///< compared with the oracle
  std::uint64_t promises = 0;
  std::vector<HeadPlace> unevaluated;         ///< heads whose contract was never asked
  std::optional<FailedInput> counterexample;  ///< shrunk: a wrong answer, a broken contract, ...
  std::optional<FailedInput> without_answer;  ///< the first input that got none
  std::string bound;                          ///< what was covered, in words
};

/// Runs the weights file at `path` exactly and compares it with what the instance is to be checked
/// against: every input up to the bound in the order of size, hand-picked hard ones, then random
/// ones. Whatever ExactRuns finds is a counterexample, even when the answer is right. Reads the file
/// and the oracle and nothing that made the file.
/// Errors: InputError when the file cannot be read or takes another kind of input.
FileVerdict check_weights(const Against& against, const std::string& path, const Bounds& bounds);

/// Whether the stated number of loops is necessary.
struct [[nodiscard]] Tightness {
  bool tight = false;
  std::string witness;  ///< what fails with one loop fewer, or the size at which nothing did
};
/// Runs the file with one loop fewer (or, without loops, without its last layer) on words, or on
/// the path, of each of these sizes. Errors: as above.
Tightness check_tightness(const Against& against, const std::string& path,
                          const std::vector<std::uint64_t>& sizes);

}  // namespace logdepth::inline proofs_check_ledger
