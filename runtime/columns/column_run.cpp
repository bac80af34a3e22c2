#include "runtime/columns/column_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "runtime/columns/column_embedding.hpp"
#include "runtime/columns/hand_over.hpp"
#include "runtime/stream/bytes_text.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline runtime_columns {
namespace {

/// Indices are labels, and twice a position fits in 31 bits.
constexpr std::size_t kMostTokens = std::size_t{1} << 30;

/// Logits of one token, for readout.hpp.
struct RationalLogits {
  std::span<const Rational> logits;

  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    return strictly_largest(rows, [&](auto i, auto j) { return logits[i] <=> logits[j]; });
  }
  std::string text(std::uint32_t row) const { return logits[row].text(); }
};

}  // namespace

ColumnWords::ColumnWords(const Model& model) {
  if (const auto* input = std::get_if<WordInput>(&model.input)) {
    begin_ = input->begin;
    end_ = input->end;
  }
  for (const auto& [kind, vector] : model.embedding) {
    number_.emplace(kind, static_cast<std::uint32_t>(embedding_.size()));
    embedding_.push_back(&vector);
  }
}

bool ColumnWords::append(const std::string& kind) {
  const auto number = number_.find(kind);
  if (number == number_.end()) return false;
  kinds_.push_back(number->second);
  return true;
}

bool ColumnWords::finish(std::size_t before, bool complete) {
  const std::size_t added = kinds_.size() - before;
  if (complete && added > 0 && (words_ == 0 || added == before / words_)) {
    ++words_;
    return true;
  }
  kinds_.resize(before);
  return false;
}

bool ColumnWords::add(const std::vector<std::string>& kinds) {
  const std::size_t before = kinds_.size();
  return finish(before, std::ranges::all_of(kinds, [&](const auto& kind) { return append(kind); }));
}

bool ColumnWords::add_letters(const std::vector<std::string>& letters) {
  const std::size_t before = kinds_.size();
  const auto known = [&](const std::string& letter) {
    return letter != kBeginToken && letter != kEndToken && append(letter);
  };
  return finish(before, (!begin_ || append(kBeginToken)) && std::ranges::all_of(letters, known) &&
                            (!end_ || append(kEndToken)));
}

ColumnLogits::ColumnLogits(const Model& model, Combinations at, std::vector<Rationals> values,
                           std::size_t period, std::size_t words)
    : model_(model),
      at_(std::move(at)),
      values_(std::move(values)),
      period_(period),
      words_(words),
      prefixes_(values_.size()) {}

std::span<const Rational> ColumnLogits::logits(std::size_t word, std::size_t token) const {
  return values_[at_.at(word * period_ + token)];
}

Outcome<bool> ColumnLogits::accepts(std::size_t word, std::size_t token) const {
  RationalLogits read{logits(word, token)};
  return read_verdict(model_, read);
}

Outcome<PrefixAnswer> ColumnLogits::prefix(std::size_t word, std::size_t token) const {
  auto& known = prefixes_[at_.at(word * period_ + token)];
  if (known) return *known;
  RationalLogits read{logits(word, token)};
  auto answer = read_prefix(model_, read, token);
  if (answer.has_value()) known = answer.value();
  return answer;
}

ColumnRunner::ColumnRunner(const Model& model, std::size_t memory)
    : model_(model), memory_(memory) {
  forget();
}
ColumnRunner::~ColumnRunner() = default;

std::size_t ColumnRunner::bytes() const {
  std::size_t total = pools_->bytes();
  for (const auto& layer : layers_) total += layer->bytes();
  return total;
}

void ColumnRunner::forget_input() {
  attention_.forget();
  averages_.forget();
}

void ColumnRunner::forget() {
  forget_input();
  layers_.clear();
  pools_.emplace(model_);
  heads_ = 0;
  for (const Layer& layer : model_.layers) {
    layers_.push_back(std::make_unique<ColumnLayer>(model_, layer, pools_->segments));
    heads_ += layer.attention.heads.size();
  }
}

std::optional<ColumnLogits> ColumnRunner::run(const ColumnWords& words, std::uint64_t loops,
                                              std::size_t beside, const Progress& progress) {
  limit_ = memory_ - std::min(memory_, beside);
  if (bytes() > limit_ / 2) forget();
  try {
    if (words.tokens() >= kMostTokens) throw HandOver("too many tokens for labels");
    ColumnState state(*pools_, words.tokens(), words.tokens() / words.words(), limit_);
    ColumnRows rows{};
    embed_columns(state, words.kinds(), words.embedding());
    ColumnLogits logits = run_layers(state, loops, progress, rows);
    forget_input();
    statistics_.inputs += words.words();
    statistics_.tokens += words.tokens();
    statistics_.passes += state.passes.passes();
    statistics_.evaluations += state.evaluations;
    for (std::size_t rule = 0; rule < rows.size(); ++rule) {
      statistics_.rows[rule] += rows[rule];
      statistics_.contracts += rows[rule];
    }
    return logits;
  } catch (const HandOver& reason) {
    statistics_.handed_over += words.words();
    statistics_.reason = reason.what();
    forget();  // the general path may need the memory
    return std::nullopt;
  } catch (...) {
    forget();
    throw;
  }
}

void ColumnRunner::look_at_memory(const ColumnState& state) {
  const std::size_t held = bytes() + state.passes.memory()->bytes();
  statistics_.bytes = std::max(statistics_.bytes, held);
  if (held > limit_)
    throw HandOver("columns of " + bytes_text(held) + " exceed the memory limit of " +
                   bytes_text(limit_));
}

void ColumnRunner::run_sublayer(ColumnState& state, const Location& location, ColumnRows& rows) {
  const bool attention = location.sublayer == Sublayer::attention;
  try {
    ColumnLayer& layer = *layers_[location.layer];
    if (attention) {
      layer.attend(state, attention_, averages_, rows);
    } else {
      layer.feed_forward(state);
    }
    look_at_memory(state);
  } catch (const HandOver& reason) {
    throw HandOver(fmt::format("layer {}, {}: {}", location.step,
                               attention ? "attention" : "feed-forward", reason.what()));
  }
  attention_.forget_older_than(2 * heads_);
  averages_.forget_dead();
  state.passes.forget_dead();
}

ColumnLogits ColumnRunner::run_layers(ColumnState& state, std::uint64_t loops,
                                      const Progress& progress, ColumnRows& rows) {
  std::size_t step = 0;
  const auto run = [&](std::size_t first, std::size_t count) {
    for (std::size_t layer = first; layer < first + count; ++layer) {
      ++step;
      for (const Sublayer sublayer : {Sublayer::attention, Sublayer::feedforward}) {
        const Location location{step, layer, sublayer};
        run_sublayer(state, location, rows);
        if (progress) progress(location);
      }
    }
  };
  const Shape& shape = model_.shape;
  run(0, shape.initial);
  for (std::uint64_t loop = 0; loop < loops; ++loop) run(shape.initial, shape.repeated);
  run(shape.initial + shape.repeated, shape.final);
  return read(state);
}

ColumnLogits ColumnRunner::read(ColumnState& state) const {
  const ColumnMap map(model_.unembedding, pools_->segments, Rationals(model_.width, Rational(1)));
  ColumnImages images = map(state, state.stream, nullptr);
  std::vector<Rationals> values;
  for (ColumnImage& image : images.images) {
    if (image.index) throw HandOver("logits that depend on a code");
    values.push_back(std::move(image.v));
  }
  return {model_, std::move(images.at), std::move(values), state.period, state.words()};
}

}  // namespace logdepth::inline runtime_columns
