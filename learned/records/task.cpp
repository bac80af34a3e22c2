#include "learned/records/task.hpp"

#include <algorithm>
#include <numeric>

namespace logdepth {

std::uint32_t TaskFormat::logits() const {
  return std::accumulate(outputs.begin(), outputs.end(), 0U);
}

Samples samples_of_texts(const std::vector<std::vector<std::int32_t>>& texts) {
  Samples samples;
  samples.count = texts.size();
  for (const auto& text : texts) samples.tokens = std::max(samples.tokens, text.size());
  samples.size = samples.tokens;
  samples.targets.assign(samples.count * samples.tokens, Samples::kIgnored);
  for (const auto& text : texts) {
    samples.indices.insert(samples.indices.end(), text.begin(), text.end());
    samples.indices.resize(samples.indices.size() + samples.tokens - text.size());
    samples.lengths.push_back(static_cast<std::int32_t>(text.size()));
  }
  return samples;
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

}  // namespace logdepth
