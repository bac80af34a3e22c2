#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/shard.hpp"
#include "runtime/file/head_place.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth {

/// One input of the division lemma: the same divisor m at all positions, a dividend a_i <= i each.
struct DivisionInput {
  std::uint64_t divisor = 1;
  std::vector<std::uint64_t> dividends;
};

struct DivisionTestOptions {
  std::size_t up_to = 8;    ///< every i below this, every a <= i, every m up to this
  std::size_t random = 10;  ///< more inputs, of at most `max_length` positions
  std::size_t max_length = 40;
  std::uint64_t seed = 1;
  Shard shard;
  /// Called now and then with inputs done and inputs in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

struct DivisionCounterexample {
  DivisionInput input;  ///< shrunk: fewest positions, then zero dividends where possible
  std::string expected, got;
  std::size_t original_length = 0;
  std::uint64_t number = 0;  ///< of the input first found, in the whole test
};

struct [[nodiscard]] DivisionReport {
  std::size_t exhaustive_inputs = 0, random_inputs = 0;
  std::size_t up_to = 0, max_length = 0;  ///< as asked, or the file's own limit if that is less
  std::uint64_t seed = 0;
  std::size_t divisions = 0;  ///< tokens whose quotient and remainder were compared
  std::uint64_t promises = 0;
  std::vector<HeadPlace> unevaluated;  ///< heads whose promise was never checked
  std::optional<DivisionCounterexample> counterexample;
};

/// The outputs that the division lemma names: quotient and remainder as phi, two components each.
inline constexpr std::array<const char*, 4> kDivisionOutputs = {"quotient.0", "quotient.1",
                                                                "remainder.0", "remainder.1"};
/// Their right values, from the division of the language.
std::array<Real, 4> right_division(std::uint64_t dividend, std::uint64_t divisor);

/// x where the two are phi(x) of a rational x.
std::optional<Rational> phi_argument(const Real& first, const Real& second);

/// Where a weights file has what the lemma names.
struct DivisionFile {
  std::array<std::size_t, 4> rows;  ///< of the logits, per name of kDivisionOutputs
  bool own_argument = false;        ///< no `a`, no `d`: every position divides itself
};
/// Errors: InputError when the model has other outputs, or takes no raw streams.
DivisionFile division_file(const Model& model);

/// The raw streams of an input, in the order of the model's names: `i` = (i, 1), `m` = (m, 1) and
/// `a` = phi(a_i) or `d` = (a_i, 1), or `I` = phi(i) and `R` = dir(i, m); every name with .0 or .1, every one
/// optional. Errors: InputError when the model has other names.
std::vector<std::vector<Real>> division_rows(const Model& model, const DivisionInput& input);

/// Property test of any weights file with the names of the division lemma (MS25 Lemma 3.1) against
/// the division of the language: at every token `quotient` = phi(a div m) and `remainder` =
/// phi(a mod m), exactly, where phi(x) = (x, 1)/sqrt(x^2 + 1); promises at every row, as many
/// layers as claimed. A file without `a` or `d` divides i itself. Errors: InputError when the names are
/// others.
DivisionReport test_division(const Model& model, const DivisionTestOptions& options);

}  // namespace logdepth
