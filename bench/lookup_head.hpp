#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace logdepth {

/// A causal head that looks positions up, as the compiled files do: keys are position codes, and
/// the query of a token is the code of an earlier token that was drawn at random. The answer is
/// known from integers alone.
struct LookupHead {
  std::size_t tokens;
  std::uint32_t dimension;  ///< of the codes; 2: circle, 4: two-circle
  std::uint32_t values;     ///< of a token, bytes drawn at random
  /// Coordinate-major; codes are rounded once.
  std::vector<double> query, key, value;
  double gap;  ///< the distance of the largest score from any other is at least this
  /// What token i has to answer with: expected[v * tokens + i] / selected[i].
  std::vector<double> expected, selected;
};

/// Token j has the key j mod `keys`; with at least as many keys as tokens every key is its own, and
/// no scores tie. Precondition: dimension is 2 or 4.
LookupHead make_lookup_head(std::size_t tokens, std::uint32_t dimension, std::size_t keys);

/// How a row was decided, as in attention_rows.hpp.
enum class RowDecision : std::uint8_t { single, tie, alike, ambiguous };

/// One way of answering all rows of such a head.
class HeadContender {
 public:
  virtual ~HeadContender() = default;
  /// What does not count: queries are put back that the last answer overwrote.
  virtual void prepare() {}
  virtual void answer() = 0;
  /// averages[v * tokens + i] of token i.
  virtual std::vector<double> averages() const = 0;
  /// Empty for contenders that know nothing about their errors.
  virtual std::vector<RowDecision> decisions() const { return {}; }
};

using HeadContenderPtr = std::unique_ptr<HeadContender>;

/// The float runtime's own steps through Thrust's host backend. Number is float or double in all of
/// these; references to the head are kept.
template <class Number>
HeadContenderPtr rows_on_host(const LookupHead& head, int threads);
/// The same steps on the first CUDA device; nothing where the program was built without CUDA.
template <class Number>
HeadContenderPtr rows_on_cuda(const LookupHead& head);
/// A loop that a user would write: all scores of a row and their maximum, then the sums of the
/// values whose scores are within the tolerance of it. By products, or by squared distances.
template <class Number>
HeadContenderPtr plain_loop(const LookupHead& head, bool distances, double tolerance);
/// dense_attention.hpp, compiled for the machine at hand.
template <class Number>
HeadContenderPtr tiled_loop(const LookupHead& head, double tolerance);

}  // namespace logdepth
