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

Samples joined(const std::vector<Samples>& of_seeds) {
  Samples all = of_seeds.front();
  const auto append = [](auto& to, const auto& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (std::size_t seed = 1; seed < of_seeds.size(); ++seed) {
    const Samples& more = of_seeds[seed];
    all.count += more.count;
    append(all.indices, more.indices);
    append(all.targets, more.targets);
    append(all.segments, more.segments);
    append(all.labels, more.labels);
  }
  return all;
}

}  // namespace logdepth::inline learned_records
