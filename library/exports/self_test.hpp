#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library/exports/evaluate.hpp"

namespace logdepth::exports {

/// An input, and what the arrays give at its tokens: for whoever reads them to try.
struct ExportExample {
  Tokens tokens;
  std::vector<std::vector<double>> logits;
};

struct SelfTest {
  std::uint64_t inputs = 0, answers = 0;
  std::uint64_t exhaustive = 0;    ///< all words of at most that many letters are among the inputs
  std::uint64_t every_length = 0;  ///< and words of every length up to that one
  double largest_difference = 0;   ///< of named numbers from the exact ones
  std::vector<ExportExample> examples;
};

/// Evaluates the arrays on all short words, on powers of letters, on random words and on all their
/// prefixes (graphs with all pairs of vertices, divisions), and compares every answer with that of the exact run. Loops
/// are those of the input; `unrolled`: those of the longest one. Errors: ExportWrong naming the
/// input; ExportRefused for raw streams that nobody says anything of, and where the exact run answers
/// nothing.
template <class Real>
SelfTest self_test(const Model& model, const Network& network, const FloatArrays<Real>& arrays,
                   std::uint64_t seed, bool unrolled);

}  // namespace logdepth::exports
