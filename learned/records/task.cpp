#include "learned/records/task.hpp"

#include <numeric>

namespace logdepth::inline learned_records {

std::uint32_t TaskFormat::logits() const {
  return std::accumulate(outputs.begin(), outputs.end(), 0U);
}

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

}  // namespace logdepth::inline learned_records
