#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace logdepth::inline proofs_check_precision {

/// A number format of floating-point hardware. Products and sums of scores are rounded to
/// `accumulator`; what goes into a product is rounded to `significand` bits first, as tensor cores
/// do with tf32 and bf16.
enum class FloatFormat { fp64, fp32, tf32, bf16 };
inline constexpr std::array kFloatFormats = {FloatFormat::fp64, FloatFormat::fp32,
                                             FloatFormat::tf32, FloatFormat::bf16};
const char* float_format_name(FloatFormat format);
/// Bits of the significand, the leading one included, of what goes into a product.
int significand_bits(FloatFormat format);

/// The codes of a position by which heads find it, and how they are computed.
enum class PositionKey {
  phi,           ///< (p, 1)/sqrt(p^2 + 1): one root, two divisions
  phi_averaged,  ///< the same from the averages (p/(p+1), 1/(p+1)), as a network has them, times
                 ///< one over their root, as norms are computed
  circle,        ///< position_code.hpp
  two_circle     ///< the same
};
inline constexpr std::array kPositionKeys = {PositionKey::phi, PositionKey::phi_averaged,
                                             PositionKey::circle, PositionKey::two_circle};
const char* position_key_name(PositionKey key);

enum class ScoreForm {
  product,        ///< q.k
  distance,       ///< -|q - k|^2 / 2, the same arg max where all keys have one norm
  distance_mixed  ///< the same with keys phi and queries phi_averaged: two ways to the same numbers
};
inline constexpr std::array kScoreForms = {ScoreForm::product, ScoreForm::distance,
                                           ScoreForm::distance_mixed};
const char* score_form_name(ScoreForm form);

/// One causal head that asks at every position p for p itself, among the keys 0 .. p.
struct FirstWrong {
  PositionKey key = PositionKey::phi;
  FloatFormat format = FloatFormat::fp64;
  ScoreForm form = ScoreForm::product;
  /// The smallest position at which p alone does not have the largest score; a tie with another
  /// position counts as wrong. Absent: none below `limit`.
  std::optional<std::uint64_t> position;
  std::uint64_t limit = 0;
};

/// Looks at all positions below `limit`, at each of them at every key that can win: see the head of
/// the .cpp. Errors: InputError for a limit above 2^27 and for distance_mixed with other keys than
/// phi.
FirstWrong first_wrong_position(PositionKey key, FloatFormat format, ScoreForm form,
                                std::uint64_t limit);

/// Every key with every format and every form that there is of it: the questions.
std::vector<FirstWrong> positions_to_search(std::uint64_t limit);

/// The number rounded to `bits` significant bits, ties to even; exponents are not limited.
/// Precondition: 1 <= bits <= 53.
double round_to_bits(double x, int bits);

}  // namespace logdepth::inline proofs_check_precision
