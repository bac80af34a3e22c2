#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/compile.hpp"

namespace logdepth {

/// A named value that every token holds, and where it lies in the residual stream.
struct CellSheet {
  std::string name, type, lifetime;
  std::vector<std::uint32_t> coordinates;
};

/// A head of a layer of the file, both counted from 0.
struct HeadSheet {
  std::size_t layer = 0, head = 0;
  std::string name;     ///< as the program calls it, else "head 1"
  std::string selects;  ///< what it promises: "exactly one position", ...
  std::string reads;    ///< what its scores compare
  /// Proved of it: at N tokens the largest score is at least this far above any other, a text in N.
  /// Without it, floating point is certified only where the scores that it meets are far enough
  /// apart; exact runs need none.
  std::optional<std::string> gap;
};

/// What a transformer says of itself, and what is counted on its weights.
struct ClaimSheet {
  std::string name, construction, source;
  std::vector<std::string> hypotheses, deviations;
  std::vector<std::string> alphabet;
  std::uint64_t initial = 0, repeated = 0, final = 0;  ///< layers before, in and after the loop
  std::string depth;                                   ///< a formula in n: "ceil(log2 n) + 1"
  std::optional<std::uint64_t> largest;                ///< input that it is made for; absent: any
  std::uint64_t width = 0;     ///< numbers of a token's residual stream, padding included
  std::uint64_t used = 0;      ///< of them in use, mirrors left out
  std::uint64_t heads = 0;     ///< in the largest attention sublayer
  std::uint64_t units = 0;     ///< ReLUs of all feed-forward sublayers
  std::uint64_t nonzeros = 0;  ///< numbers of the file that are not 0
  std::vector<CellSheet> cell_index;
  std::vector<HeadSheet> head_index;
  /// What is not proved for every length and would help floating point, a sentence each, by name:
  /// heads without a gap, tests of a number for zero. Exact runs, and what `run` answers, need none of
  /// it.
  std::vector<std::string> unproved;
};

/// Errors: none. Weights of another origin than the compiler are counted like others; what they
/// promise is checked whenever they run, and `unproved` says that nothing is proved of them.
ClaimSheet inspect(const Transformer& transformer);

}  // namespace logdepth
