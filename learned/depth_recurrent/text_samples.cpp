#include "learned/depth_recurrent/text_samples.hpp"

#include <algorithm>

namespace logdepth::inline learned_depth_recurrent {

Samples text_samples(const std::vector<TokenText>& texts) {
  Samples samples;
  samples.count = texts.size();
  for (const TokenText& text : texts) samples.tokens = std::max(samples.tokens, text.tokens.size());
  samples.size = samples.tokens;
  for (const TokenText& text : texts) {
    samples.lengths.push_back(static_cast<std::int32_t>(text.tokens.size()));
    samples.indices.insert(samples.indices.end(), text.tokens.begin(), text.tokens.end());
    samples.indices.resize(samples.lengths.size() * samples.tokens, kPaddingToken);
    samples.read.insert(samples.read.end(), text.read.begin(), text.read.end());
  }
  return samples;
}

}  // namespace logdepth::inline learned_depth_recurrent
