#include "learned/records/samples.hpp"

#include <algorithm>

namespace logdepth::inline learned_records {

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

}  // namespace logdepth::inline learned_records
