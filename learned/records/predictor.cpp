#include "learned/records/predictor.hpp"

#include "learned/records/samples.hpp"

namespace logdepth::inline learned_records {
namespace {

std::vector<std::vector<std::int32_t>> prompts_of(const Samples& samples) {
  std::vector<std::vector<std::int32_t>> texts(samples.count);
  for (std::size_t i = 0; i < samples.count; ++i) {
    const auto begin = samples.indices.begin() + static_cast<std::ptrdiff_t>(i * samples.tokens);
    texts[i].assign(begin, begin + static_cast<std::ptrdiff_t>(samples.length(i)));
  }
  return texts;
}

}  // namespace

Predictor::Predictor(Predict predict)
    : answers(std::move(predict)),
      answers_after([this_answers = answers](const Samples& samples,
                                             const std::vector<std::uint32_t>& loops) {
        std::vector<Answers> all;
        for (const std::uint32_t count : loops) all.push_back(this_answers(samples, count));
        return all;
      }),
      continued(
          [this_answers = answers](const Samples& prompts, std::int32_t end, std::size_t most) {
            std::vector<std::vector<std::int32_t>> texts = prompts_of(prompts);
            const auto goes_on = [&](const std::vector<std::int32_t>& text, std::size_t i) {
              const std::size_t given = prompts.length(i);
              return text.size() < most && (text.size() == given || text.back() != end);
            };
            for (bool any = true; any;) {
              any = false;
              const Samples samples = samples_of_texts(texts);
              const Answers next = this_answers(samples, 0);
              for (std::size_t i = 0; i < texts.size(); ++i) {
                if (!goes_on(texts[i], i)) continue;
                texts[i].push_back(next.at(i * samples.tokens + texts[i].size() - 1));
                any |= goes_on(texts[i], i);
              }
            }
            return texts;
          }),
      loops_taken([](const Samples&) { return std::vector<std::uint32_t>(); }),
      loop_readings([](const Samples&, std::uint32_t) { return std::vector<LoopReading>(); }) {}

}  // namespace logdepth::inline learned_records
