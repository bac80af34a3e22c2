#include <fmt/core.h>

#include <array>
#include <numeric>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/line_source.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_encode_think_decode {
namespace {

/// In the order of kLineKinds.
using Mixture = std::vector<std::uint32_t>;

Mixture mixture_of(LinesConfig::Phase phase) {
  if (phase == LinesConfig::Phase::base) return {25, 10, 15, 25, 25};
  return {15, 5, 10, 35, 35};
}

class CorpusLines final : public LineSource {
 public:
  CorpusLines(const LinesConfig& config, std::uint64_t seed)
      : text_(config.world),
        mixture_(config.mixture.empty() ? mixture_of(config.phase) : config.mixture),
        first_step_(first_step(config.phase)),
        seed_(seed) {
    if (!config.tokens.empty())
      throw InputError("task.tokens: expected task.text, the own corpus has words of its own");
    if (config.length < longest_etd_line())
      throw InputError(
          fmt::format("task.length: expected at least {}, the longest line of the own "
                      "corpus, found {}",
                      longest_etd_line(), config.length));
    if (mixture_.size() != std::size(kLineKinds) || parts() == 0)
      throw InputError(
          "task.mixture: expected five parts, of recall, common, reading, multi-hop and "
          "arithmetic, not all of them 0");
  }

  std::uint32_t vocabulary() const override {
    return static_cast<std::uint32_t>(etd_words().size());
  }

  TokenLine training_line(std::uint64_t step, std::uint64_t index) const override {
    CounterRandom random(seed_, RandomStream::training, first_step_ + step, index);
    std::uint64_t part = random.below(parts());
    std::size_t kind = 0;
    for (; part >= mixture_[kind]; ++kind) part -= mixture_[kind];
    const LineDifficulties range = line_difficulties(kLineKinds[kind]);
    const auto difficulty =
        range.least + static_cast<std::uint32_t>(random.below(range.most - range.least + 1));
    return ended(text_.line(kLineKinds[kind], difficulty, LineUse::training, random));
  }

  std::vector<MeasuredLines> measured_lines(std::uint32_t most) const override {
    std::vector<MeasuredLines> all;
    for (const LineKind kind : kLineKinds) {
      const LineDifficulties range = line_difficulties(kind);
      for (std::uint32_t difficulty = range.least; difficulty <= range.most; ++difficulty) {
        MeasuredLines& cell = all.emplace_back();
        cell.kind = line_kind_name(kind);
        cell.difficulty = static_cast<int>(difficulty);
        for (std::uint32_t i = 0; i < most; ++i) {
          CounterRandom random(seed_, RandomStream::validation, all.size(), i);
          cell.lines.push_back(ended(text_.line(kind, difficulty, LineUse::test, random)));
        }
      }
    }
    return all;
  }

 private:
  std::uint64_t parts() const {
    return std::accumulate(mixture_.begin(), mixture_.end(), std::uint64_t{0});
  }
  static TokenLine ended(EtdLine line) {
    line.answer.push_back(kEndOfLine);
    return {std::move(line.question), std::move(line.answer), std::move(line.told)};
  }

  EtdText text_;
  Mixture mixture_;
  std::uint64_t first_step_, seed_;
};

}  // namespace

std::unique_ptr<LineSource> corpus_lines(const LinesConfig& config, std::uint64_t seed) {
  return std::make_unique<CorpusLines>(config, seed);
}

}  // namespace logdepth::inline learned_encode_think_decode
