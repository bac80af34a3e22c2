#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace logdepth {

/// What "Think Deep, Speak Once" (ReLIT) prints of its own models and of others, to stand beside
/// ours. Every use is to be labelled "published".

/// A data set of the paper: parts of the benchmark GLoRE.
struct PublishedDataSet {
  std::string name;
  // Appendix A, table 2.
  std::uint32_t macro_steps = 0, heads = 0, layers = 0, batch = 0;
  double learning_rate = 0;
  std::uint32_t training_samples = 0, test_samples = 0;
  /// Mean halting depth in macro steps, where the text says one.
  std::optional<double> halting;
};
inline constexpr std::size_t kPublishedDataSets = 5;
/// In the order of the columns of table 1.
const std::array<PublishedDataSet, kPublishedDataSets>& published_relit_data_sets();

/// A row of table 1: accuracies in per cent.
struct PublishedRelitRow {
  std::string model;
  std::array<double, kPublishedDataSets> accuracy{};
  double mean = 0;
};
/// ReLIT is the last one.
const std::vector<PublishedRelitRow>& published_relit_rows();

/// Answers of one sample, macro step by macro step, as figure 3 shows them.
struct PublishedTrajectory {
  std::string data_set;
  std::vector<std::string> answers;
  std::uint32_t halted = 0;  ///< macro step, counted from 1
};
const std::vector<PublishedTrajectory>& published_relit_trajectories();

/// Where the paper contradicts itself, or leaves something open that a result depends on, a sentence
/// or two each.
const std::vector<std::string>& relit_contradictions();

}  // namespace logdepth
