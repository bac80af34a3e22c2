#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "objects/action.hpp"
#include "proofs-check/check/raw_streams.hpp"
#include "proofs-check/claims/defect.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::inline proofs_check_claims {

/// MS25 Lemma 3.1 against / and %: positions i, divisors m <= i + 1, dividends a <= i from i down;
/// earlier positions divide themselves. The size of an input is i.
std::optional<DefectCounterexample> search_division(const Model& model, SearchBounds bounds);

/// MS25 Theorem 5.1 against breadth-first search: all graphs of n vertices, fewest edges first, all
/// sources and targets. The size of an input is n.
std::optional<DefectCounterexample> search_graphs(const Model& model, SearchBounds bounds);

/// MS25 Theorem 4.1 against the product of the letters, one by one: every word of the action's
/// letters, at the last token. The size of an input is its number of letters.
std::optional<DefectCounterexample> search_words(const Model& model, SearchBounds bounds,
                                                 const Action& action);

/// Raw streams made up for one lemma, and the right values of all outputs at the last token.
struct RawCase {
  RawInput input;
  std::vector<Real> expected;
};
/// `blank`: cells that are zero at the end, at every token; those that the file has not do not count.
std::optional<DefectCounterexample> search_raw(
    const Model& model, SearchBounds bounds,
    const std::function<std::vector<RawCase>(std::size_t size)>& cases,
    const std::vector<std::string>& blank = {});

/// Words of one letter, which a file answers with named numbers at the last token. The size of an
/// input is the number of its letters.
std::optional<DefectCounterexample> search_lengths(
    const Model& model, SearchBounds bounds,
    const std::function<std::vector<Real>(std::size_t letters)>& expected);

}  // namespace logdepth::inline proofs_check_claims
