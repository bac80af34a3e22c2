#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "learned/records/task.hpp"

namespace logdepth::laws {

/// A predictor that decodes by reading every text anew for each of its tokens.
inline Predictor decoding(const Predict& predict) {
  Predictor predictor(predict);
  predictor.continued = [predict](const Samples& prompts, std::int32_t end, std::size_t most) {
    std::vector<std::vector<std::int32_t>> texts(prompts.count);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::int32_t* const begin = prompts.indices.data() + i * prompts.tokens;
      texts[i].assign(begin, begin + prompts.length(i));
    }
    const auto goes_on = [&](const std::vector<std::int32_t>& text, std::size_t i) {
      const std::size_t given = prompts.length(i);
      return text.size() < most && (text.size() == given || text.back() != end);
    };
    for (bool any = true; any;) {
      any = false;
      const Samples samples = samples_of_texts(texts);
      const Answers next = predict(samples, 0);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!goes_on(texts[i], i)) continue;
        texts[i].push_back(next.at(i * samples.tokens + texts[i].size() - 1));
        any |= goes_on(texts[i], i);
      }
    }
    return texts;
  };
  return predictor;
}

}  // namespace logdepth::laws
