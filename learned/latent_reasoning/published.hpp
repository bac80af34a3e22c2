#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/data.hpp"

namespace logdepth::latent {

/// What the paper says of its own results, to stand beside ours. It prints curves and no table, so
/// that almost all of this is words, and ranges that were read off. Every use is to be labelled
/// "published".

///   "methods": "method" (a word of `--method`, or "no-oracle"), what it "says" of how far that works;
///     "near_perfect_to", "usable_to": the largest N that is read off as nearly always, and as more
///     often than not fully solved, 0 where there is nothing to read off, trained on N <= 32, measured
///     at 8 to 128; "source";
///   "contradictions": where the paper contradicts itself or leaves something open that a result depends
///     on, a sentence or two each.
report::Data published();

/// Where errors of the best discrete model of two layers come from, at N = 128.
struct PublishedErrors {
  std::uint32_t sentences = 23000, first_attention = 9, second_copy = 1, calculation = 30,
                total = 40;
  double solved = 0.9998;  ///< of out-of-distribution graphs, the best of several seeds
  const char* trained_on = "addition modulo 23";
};
inline constexpr PublishedErrors kPublishedErrors;

/// What the heads of that model attend to, one seed.
struct PublishedHeadGroup {
  std::string attends_to;
  std::vector<std::uint32_t> heads;
};
const std::vector<PublishedHeadGroup>& published_head_groups(std::uint32_t layer);

}  // namespace logdepth::latent
