#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_file {

// How long a cell holds something, as the index of cells of a weights file says it.
inline constexpr const char* kPermanentLifetime = "permanent";  ///< from where it is written on
inline constexpr const char* kStateLifetime = "state";          ///< from loop to loop
inline constexpr const char* kScratchLifetime =
    "scratch";  ///< 0 again after every loop, and at the end
inline constexpr const char* kErasedLifetime = "erased";  ///< 0 again at the end of the run

/// phi(x) = (x, 1) / sqrt(x^2 + 1), the unit vector that stands for a number in MS25; phi(p / L) is
/// the direction of (p, L).
std::array<Real, 2> phi_code(const Rational& x);

/// Rational points on the unit circle that stand for a number:
///   circle(t) = ((1 - t^2) / (1 + t^2), 2t / (1 + t^2)).
/// For t, u >= 0:  circle(t) . circle(u) = 1 - 2 (t - u)^2 / ((1 + t^2)(1 + u^2)),
/// because (1-t^2)(1-u^2) + 4tu = (1+t^2)(1+u^2) - 2(t-u)^2. Hence the product is 1 iff t = u and
/// less otherwise: t -> circle(t) is injective on t >= 0, with no two codes closer than exact.
std::array<Rational, 2> circle(const Rational& t);

/// The circle code of position p: circle(p + 1). Gap to the next code about 2 / p^4.
std::vector<Rational> circle_code(std::uint64_t position);

/// The two-circle code of position p, with t = p + 1 and L = floor(log2 t): circle(t / 2^L) then
/// circle(L + 1), squared norm 2. t -> (t / 2^L, L) is injective, so the sum of the two products is
/// 2 iff the positions are equal. 1 <= t / 2^L < 2 keeps the gap near 0.3 / p^2 (performance only;
/// correctness needs injectivity alone).
std::vector<Rational> two_circle_code(std::uint64_t position);

/// The fine code of position p: with a = 2p + b, ((a^2 - 1) / (a^2 + 1), 2a / (a^2 + 1)), which is
/// circle(a) with its first component negated. Its slope, first by second component, is
/// p + b/2 - 1/(2a), so what lies between two codes is decided by rational numbers
/// (head_schema.cpp).
std::vector<Rational> fine_code(std::uint32_t b, std::uint64_t position);

/// Component by component. Precondition: a rational code, not phi.
std::vector<Rational> rational_code(PositionCode code, std::uint64_t position);

/// ceil(log2 n) for n >= 1; 0 for n <= 1.
std::uint64_t ceil_log2(std::uint64_t n);
/// The same to a base >= 2: how often 1 has to be multiplied by it to reach n.
std::uint64_t ceil_log(std::uint64_t base, std::uint64_t n);

/// How often the repeated block runs for an input of size n (letters or vertices).
std::uint64_t loops_at(const Unroll& unroll, std::uint64_t n);

/// The n that the loops of a file count for an input of size n: a file that is made for graphs of
/// one size runs every graph as one of that size.
std::uint64_t counted_size(const Model& model, std::uint64_t n);

/// The largest input that a file is made for; absent: any.
std::optional<std::uint64_t> largest_size(const Model& model);

/// The number of loops as a formula in n, "ceil(log2 n)" or "ceil(log_9 n)".
std::string loops_formula(const Unroll& unroll);

/// s + r * loops + t, counted on the file.
std::uint64_t depth_at(const Model& model, std::uint64_t n);

/// The depth as a formula in n, "ceil(log2 n) + 1", with n = letters or vertices.
std::string depth_formula(const Model& model);

/// What a file answers of a prefix: its product, the images of the points, or the number of the
/// state that it leads to.
using PrefixAnswer = std::variant<std::vector<std::uint32_t>, std::uint32_t>;

/// "[1,0,2]" or "2".
std::string prefix_text(const PrefixAnswer& answer);

bool reads_prefixes(const Model& model);
/// Of what reads prefixes: their states, not products.
bool reads_states(const Model& model);

/// What of a model follows from the rest of it.

/// The depth counted on the layers and loops, with the largest input: "ceil(log2 n) + 1",
/// "3, n <= 8".
[[nodiscard]] std::string stated_depth(const Model& model);

/// Nothing is known of the numbers: right for any weights file.
PrecisionFacts no_facts(const Model& model);

}}  // namespace logdepth::runtime_file
