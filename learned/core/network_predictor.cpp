#include "learned/core/network_predictor.hpp"

#include <algorithm>

#include "learned/core/batch.hpp"

namespace logdepth::inline learned_core {
namespace {

using Texts = std::vector<std::vector<std::int32_t>>;

/// Texts of different lengths go on side by side: at a position where one still has a token that
/// was given, that one is read, else the one that was decoded before it.
class GreedyDecoder {
 public:
  GreedyDecoder(const Network& network, TrainingConfig::Precision precision) : network_(network) {
    options_.precision = precision;
    options_.caches = &caches_;
  }

  Texts operator()(const Samples& prompts, std::int32_t end, std::size_t most) {
    begin(prompts);
    const std::size_t shortest = *std::min_element(given_.begin(), given_.end());
    std::vector<std::int32_t> next = read(0, shortest);
    for (std::size_t position = shortest; position < most; ++position) {
      bool writing = false;
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        if (position < given_[i]) {
          writing = true;
        } else if (texts_[i].size() == given_[i] || texts_[i].back() != end) {
          texts_[i].push_back(next[i]);
          writing |= next[i] != end;
        }
      }
      if (!writing || position + 1 == most) break;
      next = read(position, position + 1);
    }
    return std::move(texts_);
  }

 private:
  void begin(const Samples& prompts) {
    for (std::size_t i = 0; i < prompts.count; ++i) {
      const auto first = prompts.indices.begin() + static_cast<std::ptrdiff_t>(i * prompts.tokens);
      given_.push_back(prompts.length(i));
      texts_.emplace_back(first, first + static_cast<std::ptrdiff_t>(given_.back()));
    }
  }

  /// Reads the tokens from `first` up to, not including, `last`; the likeliest token after each
  /// text. Of a text that has ended its last token is read again, to no effect on the others.
  std::vector<std::int32_t> read(std::size_t first, std::size_t last) {
    Samples samples;
    samples.count = texts_.size();
    samples.tokens = last - first;
    samples.size = last;
    for (const std::vector<std::int32_t>& text : texts_)
      for (std::size_t position = first; position < last; ++position)
        samples.indices.push_back(position < text.size() ? text[position] : text.back());
    samples.targets.assign(samples.count * samples.tokens, Samples::kIgnored);
    const Batch batch = to_batch(samples, network_.format(), network_.device(), network_.type());
    options_.loops = network_.loops_of(batch);
    options_.first_position = static_cast<std::int64_t>(first);
    const Tensor logits = network_(batch, options_);
    return answers(logits.select(1, logits.size(1) - 1), network_.format());
  }

  const Network& network_;
  PassOptions options_;
  std::vector<KeyValueCache> caches_;
  std::vector<std::size_t> given_;
  Texts texts_;
};

}  // namespace

Predictor predictor_of(const Network& network, TrainingConfig::Precision precision) {
  const auto batch_of = [&network](const Samples& samples) {
    return to_batch(samples, network.format(), network.device(), network.type());
  };
  Predictor predictor([&network, precision, batch_of](const Samples& samples, std::uint32_t loops) {
    const torch::NoGradGuard no_grad;
    const Batch batch = batch_of(samples);
    PassOptions options;
    options.loops = loops > 0 ? loops : network.loops_of(batch);
    options.precision = precision;
    return answers(network(batch, options), network.format());
  });
  predictor.answers_after = [&network, precision, batch_of](
                                const Samples& samples, const std::vector<std::uint32_t>& loops) {
    const torch::NoGradGuard no_grad;
    PassOptions options;
    options.loops = loops.back();
    options.precision = precision;
    PassTrace trace;
    trace.read_after = loops;
    const Tensor last = network(batch_of(samples), options, &trace);
    // A network without a loop answers alike after any number of them.
    if (trace.logits.empty()) trace.logits.assign(loops.size(), last);
    std::vector<Answers> all;
    for (const Tensor& logits : trace.logits) all.push_back(answers(logits, network.format()));
    return all;
  };
  predictor.loops_taken = [&network, precision, batch_of](const Samples& samples) {
    const torch::NoGradGuard no_grad;
    const Batch batch = batch_of(samples);
    PassOptions options;
    options.loops = network.loops_of(batch);
    options.precision = precision;
    PassTrace trace;
    network(batch, options, &trace);
    if (!trace.loops_taken.defined()) return std::vector<std::uint32_t>();
    const Tensor taken = trace.loops_taken.to(torch::kCPU).to(torch::kInt64).contiguous();
    const std::int64_t* const first = taken.data_ptr<std::int64_t>();
    return std::vector<std::uint32_t>(first, first + taken.numel());
  };
  // Tokens that halt early leave no keys for later loops, so that a cache cannot serve.
  if (!network.halts())
    predictor.continued = [&network, precision](const Samples& prompts, std::int32_t end,
                                                std::size_t most) {
      const torch::NoGradGuard no_grad;
      return GreedyDecoder(network, precision)(prompts, end, most);
    };
  if (network.loops())
    predictor.own_loops = [&network](std::size_t size) {
      Batch of_that_size;
      of_that_size.size = size;
      return network.loops_of(of_that_size);
    };
  predictor.loop_readings = [&network, precision, batch_of](const Samples& samples,
                                                            std::uint32_t loops) {
    const torch::NoGradGuard no_grad;
    PassOptions options;
    options.loops = loops;
    options.precision = precision;
    PassTrace trace;
    trace.take_readings = true;
    network(batch_of(samples), options, &trace);
    return trace.readings;
  };
  return predictor;
}

}  // namespace logdepth::inline learned_core
