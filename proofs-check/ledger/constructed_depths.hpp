#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "constructions/catalogue/catalogue.hpp"
#include "objects/action.hpp"
#include "objects/crasp.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth::inline proofs_check_ledger {

/// The name under which graph connectivity stands beside the word problems.
inline constexpr const char* kReachability = "reachability";

/// One form of a theorem for one problem: how deep it is at every size, and what was seen of it.
struct ConstructedDepths {
  std::string problem;         ///< "S3", or kReachability
  Form form = Form::repaired;  ///< as_written: a formula of the paper, which is not built
  std::string
      construction;  ///< "tree", "scan", "cascade", "radix 4 (a network per n)", "Thm 4.1, uniform"
  std::string encoding;  ///< of positions: "first-flag", "two-circle", "table"
  std::string formula;   ///< "2 ceil(log2 n) + 4"
  /// Size and layers. Sizes are letters of a word, or the distance h between two vertices of a
  /// graph with h + 1 of them, the longest there is.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> depths;
  /// Layers per doubling of the size: the least-squares line through `depths` over log2 of the
  /// size. Absent for fewer than two sizes.
  std::optional<double> slope;
  /// Width of the residual stream, and numbers in the file that are not 0; where there is a network
  /// per size, those of the one for `file_of`. 0 where nothing is built.
  std::uint64_t width = 0, numbers = 0, file_of = 0;
  /// What was compared with an oracle and how it ended, as a phrase; for formulas that nothing was.
  std::string verification;
  bool built = false;
  bool failed = false;      ///< an answer was wrong, or a selection contract violated
  bool unverified = false;  ///< a run of the file reached a limit
};

struct ConstructedOptions {
  std::vector<std::string> groups;               ///< names as `compile regular --group` takes them
  std::map<std::string, Action> automata;        ///< more languages, by the names of their problems
  std::map<std::string, CraspProgram> counting;  ///< and more, of counting programs
  bool reachability = true;
  std::uint64_t up_to = 512;  ///< sizes 2, 4, 8, ... up to this
  std::uint64_t seed = 1;     ///< of the random inputs
  /// Called with forms done and forms in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// Every form of every problem, in the order of the groups, claimed before repaired before
/// optimised; the cascade of KR65 where it has constant depth. Depths are counted on the weights
/// file that the compiler writes, read back; the file is tested against an oracle, every small input
/// and random ones. A group that is too large or unknown gives forms that are not built, with the
/// reason for their verification.
std::vector<ConstructedDepths> constructed_depths(const ConstructedOptions& options,
                                                  const Catalogue& constructions = catalogue());

}  // namespace logdepth::inline proofs_check_ledger
