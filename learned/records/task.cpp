#include "learned/records/task.hpp"

#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/reachability/relation_task.hpp"
#include "learned/word_problems/word_task.hpp"
#include "objects/overload.hpp"

namespace logdepth {

double Task::promoting_accuracy(const Samples& samples,
                                const std::vector<std::int32_t>& answers) const {
  std::size_t asked = 0, right = 0;
  for (std::size_t i = 0; i < samples.targets.size(); ++i) {
    if (samples.targets[i] == Samples::kIgnored) continue;
    ++asked;
    right += samples.targets[i] == answers[i];
  }
  return asked == 0 ? 0 : static_cast<double>(right) / static_cast<double>(asked);
}

std::unique_ptr<Task> make_task(const TaskConfig& config, std::uint64_t seed) {
  return std::visit(
      Overload{
          [&](const WordTaskConfig& words) { return make_word_task(words, seed); },
          [&](const HopTaskConfig& hops) { return make_hop_task(hops, seed); },
          [&](const RelationTaskConfig& relation) { return make_relation_task(relation, seed); }},
      config);
}

}  // namespace logdepth
