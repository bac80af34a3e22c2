#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// Bounds for floating-point runs of a network on every word of a length at most, in any order of
/// sums. Reference streams of all words are enclosed exactly (float_streams.hpp); beside them goes,
/// per coordinate, a bound on how far a float number is from the reference. Bounds are sums and
/// products of numbers >= 0 in double, so they are right up to a relative 2^-40, which
/// float_certificate.cpp adds many times over. recheck/float_recheck.py derives them anew.

/// A step that is not shown; the sentence names layer and head.
class NotShown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ProvedHead {
  std::optional<Rational> separation;  ///< of the largest score from the next; absent: one token
  double rounding = 0;                 ///< what a score may lose
  double left = 0;                     ///< least of separation - 2 rounding; 0: one token
  double largest = 0;                  ///< no |score| is larger
};
struct ProvedAnswer {
  Rational margin;   ///< of the largest logit from the next
  double error = 0;  ///< of their difference
};
struct FloatBounds {
  std::map<std::pair<std::size_t, std::size_t>, ProvedHead> heads;  ///< layer and head, from 0
  std::map<std::string, ProvedAnswer> answers;                      ///< "verdict", "prefix"
};

}  // namespace logdepth::exports
