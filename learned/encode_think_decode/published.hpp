#pragma once

#include <array>
#include <cstddef>

#include "report/data.hpp"

namespace logdepth::etd {

/// What "Encode, Think, Decode" prints about OLMo 2, to stand beside ours. Every use is to be labelled
/// "published". Accuracies are in per cent, a list of them has a number for each group.
///   "groups": of benchmarks;
///   "cuts": "model", "cut", those that the paper's curves gave;
///   "loops": table 2, 7-4*k-5 of the 1B model: "loops" of the block, "passes" through layers,
///     "accuracy", "relative" as printed, in per cent of k = 1, null there;
///   "tasks": tables 3 and 8: "name" of a benchmark, "group", "accuracy" at k = 1 ... 5;
///   "shapes", "large_shapes": tables 4, 5, 7 and 9, and 6 and 10 of the 7B model: "shape", "passes",
///     "accuracy", "compares", what the table is about;
///   "contradictions": where the paper contradicts itself or leaves something open that a result
///     depends on, a sentence or two each.
report::Data published();

/// What is printed behind the accuracy of a task at k = 2 ... 5, in per cent of k = 1.
struct PublishedGain {
  const char* task;
  std::array<double, 4> relative;
};
inline constexpr std::array kPublishedGains = {
    PublishedGain{"GSM8K", {16.01, 23.41, 25.99, 28.4}},
    PublishedGain{"MATH", {19.22, 36.04, -18.28, -5.17}}};
/// Of the 7B model, k = 1 and 2.
struct PublishedLargeTask {
  const char* name;
  double once, twice, relative;
};
inline constexpr std::array kPublishedLargeTasks = {PublishedLargeTask{"GSM8K", 66.18, 67.02, 1.29},
                                                    PublishedLargeTask{"MATH", 17.07, 18.26, 6.38}};

}  // namespace logdepth::etd
