#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/language_model/layer_cut.hpp"

namespace logdepth {

/// What "Encode, Think, Decode" prints about OLMo 2, to stand beside ours: accuracies in per cent.
/// Every use is to be labelled "published".

inline constexpr std::array kEtdGroups = {"factual",     "reading", "commonsense",
                                          "multi-disc.", "BBH",     "mathematics"};
using GroupAccuracies = std::array<double, kEtdGroups.size()>;

/// A row of table 2: 7-4*k-5 of the 1B model.
struct PublishedLoops {
  std::uint32_t loops = 0, passes = 0;  ///< of the block; through layers
  GroupAccuracies accuracy{};
  /// As printed, in per cent of k = 1; absent there.
  std::optional<GroupAccuracies> relative;
};
const std::vector<PublishedLoops>& published_loops();

/// A row of tables 3 and 8: a benchmark at k = 1 ... 5.
struct PublishedTask {
  std::string name;
  std::size_t group = 0;  ///< of kEtdGroups
  std::array<double, 5> accuracy{};
  /// What is printed behind it at k = 2 ... 5, in per cent of k = 1, where anything is.
  std::optional<std::array<double, 4>> relative;
};
const std::vector<PublishedTask>& published_tasks();

/// A row of tables 4, 5, 7 and 9, and of the 7B model's tables 6 and 10.
struct PublishedShape {
  std::string shape;
  std::uint32_t passes = 0;
  GroupAccuracies accuracy{};
  std::string compares;  ///< what the table is about
};
const std::vector<PublishedShape>& published_shapes();
const std::vector<PublishedShape>& published_large_shapes();
/// Of the 7B model, k = 1 and 2.
struct PublishedLargeTask {
  const char* name;
  double once, twice, relative;
};
inline constexpr std::array kPublishedLargeTasks = {PublishedLargeTask{"GSM8K", 66.18, 67.02, 1.29},
                                                    PublishedLargeTask{"MATH", 17.07, 18.26, 6.38}};

/// The cuts that the paper's curves gave.
struct PublishedCut {
  const char* model;
  LayerCut cut;
};
inline constexpr std::array kPublishedCuts = {PublishedCut{"OLMo 2 1B", {7, 4, 5, true, true}},
                                              PublishedCut{"OLMo 2 7B", {16, 10, 6, true, true}}};

/// Where the paper contradicts itself or leaves something open that a result depends on, a sentence
/// or two each.
const std::vector<std::string>& etd_contradictions();

}  // namespace logdepth
