#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"

namespace logdepth::inline proofs_check_claims {

/// An input on which a network does not do what its claim says.
struct DefectCounterexample {
  std::string input, expected, got;
  std::size_t tried = 0;           ///< the number of inputs tried, this one included
  std::optional<Refusal> refusal;  ///< there was no answer, as `got` says in words
};

/// Where a search stops when it has found nothing.
struct SearchBounds {
  std::size_t size = 0;  ///< largest input, as the search counts: position, vertices, letters
  std::size_t inputs = std::numeric_limits<std::size_t>::max();  ///< so many inputs
};
/// Inputs by increasing size, each compared with an oracle; the first that fails.
using DefectSearch =
    std::function<std::optional<DefectCounterexample>(const Model& model, SearchBounds bounds)>;

/// One place where the text of a paper is wrong, as one change of the repaired construction back to
/// the text.
struct Defect {
  std::uint32_t number = 0;  ///< our numbering 1..26; one number may have several entries
  std::string id;            ///< "lem-3.1/minus-in-the-score"
  std::string claim;         ///< the claim whose repaired construction is changed, "lem-3.1"
  std::string place, quote;  ///< where in the paper, and its words
  std::string paper;         ///< the folder of constructions/ that it stands in: "MS25"
  std::string file;          ///< where the change is made, from the root of the repository
  std::string change;        ///< the one change back to the text
  std::string repair;        ///< what repairs it
  enum class Kind {
    runs,     ///< compiles, and an exact run gives a wrong answer
    refused,  ///< the compiler refuses it: no mask, matrix or norm says what the text says
    recorded  ///< there is nothing to run
  };
  Kind kind = Kind::recorded;
  std::function<Program()> repaired;  ///< runs, refused: the construction without the change
  std::function<Program()> program;   ///< runs, refused: the changed program
  std::function<Model(Model)> edit;   ///< runs: where the program language cannot say the change
  std::string reason;                 ///< recorded: why it cannot be executed
  Norm norm = Norm::rms;              ///< runs: what to compile for
  DefectSearch search;                ///< runs
  std::size_t up_to = 0;              ///< runs: the size at which the search gives up
  std::vector<std::string> refusal;   ///< refused: words of the message, held by a test
};

/// All of them, by number (claim_list.hpp: where they stand).
const std::vector<Defect>& all_defects();

struct [[nodiscard]] DefectOutcome {
  /// runs: a counterexample exists, and the repaired construction is right up to and on it;
  /// refused: the compiler refuses the change, and takes the repaired program;
  /// recorded: there is a reason.
  bool shown = false;
  std::optional<DefectCounterexample> counterexample;  ///< runs: the smallest
  /// refused: the compiler's message; recorded: the reason; else what went wrong, if anything
  std::string note;
};

/// Compiles, runs and compares as the kind says.
DefectOutcome examine(const Defect& defect);

}  // namespace logdepth::inline proofs_check_claims
