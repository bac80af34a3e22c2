#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "learned/records/task.hpp"
#include "learned/records/task_settings.hpp"

namespace logdepth {

/// Running products of words over a finite monoid, the first letter first: a causal model reads a
/// letter and a position per token and answers with an element at every token. The curriculum goes
/// through lengths 2, 4, 8, ..., max_length; promotion asks for the last product. `measure` is n*
/// (n_star.hpp) on words that depend on the seed alone, those of a shorter stage being beginnings
/// of those of a longer one.
///
/// With `data` the words come from that file, in either convention, and are labelled first letter
/// first; words of the measure are drawn all the same.
struct WordTaskConfig final : TaskSettings {
  enum class Letters { all, generators };
  std::string monoid = "S3";  ///< as `compile regular --group` names them
  Letters letters = Letters::all;
  std::uint32_t max_length = 16;      ///< last stage of the curriculum; stages 2, 4, 8, ...
  std::uint32_t batch_tokens = 1024;  ///< a batch is max(batch_least, batch_tokens / length) words
  std::uint32_t batch_least = 32;
  std::uint32_t validation = 4000;  ///< words per measurement
  double threshold = 0.95;          ///< of n*
  std::string data;                 ///< CSV file of words to train on; empty: words are drawn
  bool shuffled_labels = false;     ///< control: targets are drawn, not computed

  const char* kind() const override { return "words"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  bool asks_products() const override { return true; }
  ProductQuestion products() const override;
  std::optional<DepthReading> depth_reading(const RecordFields& result) const override;
};

}  // namespace logdepth
