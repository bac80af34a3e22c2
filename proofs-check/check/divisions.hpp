#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace proofs_check_check {

/// One input of the division lemma: the same divisor m at all positions, a dividend a_i <= i each.
struct DivisionInput {
  std::uint64_t divisor = 1;
  std::vector<std::uint64_t> dividends;
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

/// Questions of the division lemma (MS25 Lemma 3.1) to any weights file with its names, against the
/// division of the language: at every token `quotient` = phi(a div m) and `remainder` = phi(a mod m),
/// exactly, where phi(x) = (x, 1)/sqrt(x^2 + 1). A file without `a` or `d` divides i itself.
class DivisionDomain : public TestDomain<DivisionInput> {
 public:
  /// Keeps a reference. Errors: InputError when the names are others.
  explicit DivisionDomain(const Model& model);

  Outcome<Tokens> tokens(const DivisionInput& input) const override;
  bool outside(const DivisionInput& input) const override;
  FileAnswer expected(const DivisionInput&) const override { return EveryToken::divisions; }
  std::optional<Failure> judge(const DivisionInput& input, DecidedRun& run,
                               ComparedCounts& counts) override;
  /// The same of a run in floating point.
  Answered judge(const DivisionInput& input, const FloatRunner& runner,
                 const FloatStream& stream) const;
  DivisionInput shrunk(DivisionInput input,
                       const std::function<bool(const DivisionInput&)>& fails) const override;
  /// "3 by 2 at position 5" of an input whose last dividend alone is not its position.
  std::string text(const DivisionInput& input) const override;

  bool divides_itself() const { return file_.own_argument; }

 private:
  std::uint64_t dividend(const DivisionInput& input, std::size_t i) const {
    return file_.own_argument ? i : input.dividends[i];
  }

  DivisionFile file_;
};

/// All three, within the file's own limit. Errors: InputError for more than 256 positions and divisors.
Examination<DivisionInput> examine_divisions(DivisionDomain& questions, const Bounds& bounds,
                                             const Asking& how);

}}  // namespace logdepth::proofs_check_check
