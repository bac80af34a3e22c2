#include "runtime/columns/column_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "runtime/columns/hand_over.hpp"
#include "runtime/stream/bytes_text.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline runtime_columns {
namespace {

/// Indices are labels, and twice a position fits in 31 bits.
constexpr std::size_t kMostTokens = std::size_t{1} << 30;

/// Logits of one token, for readout.hpp.
struct RationalLogits {
  std::span<const Real> logits;

  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    return strictly_largest(rows, [&](auto i, auto j) { return logits[i] <=> logits[j]; });
  }
  std::string text(std::uint32_t row) const { return logits[row].text(); }
};

/// A logit of a relation.
struct OneLogit {
  const Real& logit;
  int sign(std::uint32_t) const { return logit.sign(); }
};

}  // namespace

ColumnWords::ColumnWords(const Model& model) : values_(given_place(model).values) {
  if (const auto* input = std::get_if<WordInput>(&model.input)) {
    begin_ = input->begin;
    end_ = input->end;
  }
  for (const auto& [kind, vector] : model.embedding) {
    number_.emplace(kind, static_cast<std::uint32_t>(tokens_.embedding.size()));
    tokens_.embedding.push_back(&vector);
  }
}

bool ColumnWords::append(const std::string& kind) {
  const auto number = number_.find(kind);
  if (number == number_.end()) return false;
  tokens_.kinds.push_back(number->second);
  return true;
}

bool ColumnWords::append_given(const Tokens& tokens) {
  if (values_ == 0) return tokens.given.empty();
  if (words_ > 0 || tokens.given.size() != tokens.kinds.size()) return false;
  for (const auto& row : tokens.given) {
    if (row.size() != values_) return false;
    for (const Real& value : row) {
      if (!value.is_rational()) return false;
      tokens_.given.push_back(value.rational_part());
    }
  }
  return true;
}

bool ColumnWords::finish(std::size_t before, bool complete) {
  const std::size_t added = tokens() - before;
  if (complete && added > 0 && (words_ == 0 || added == before / words_)) {
    ++words_;
    return true;
  }
  tokens_.kinds.resize(before);
  tokens_.given.resize(before * values_);
  return false;
}

bool ColumnWords::add(const std::vector<std::string>& kinds) {
  return add(Tokens{kinds, {}, 0});
}

bool ColumnWords::add(const Tokens& tokens) {
  const std::size_t before = tokens_.kinds.size();
  const auto known = [&](const std::string& kind) { return append(kind); };
  return finish(before, append_given(tokens) && std::ranges::all_of(tokens.kinds, known));
}

bool ColumnWords::add_letters(const std::vector<std::string>& letters) {
  const std::size_t before = tokens_.kinds.size();
  const auto known = [&](const std::string& letter) {
    return letter != kBeginToken && letter != kEndToken && append(letter);
  };
  return finish(before, values_ == 0 && (!begin_ || append(kBeginToken)) &&
                            std::ranges::all_of(letters, known) && (!end_ || append(kEndToken)));
}

ColumnLogits::ColumnLogits(const Model& model, std::vector<Part> parts, std::size_t period,
                           std::size_t words)
    : model_(model),
      parts_(std::move(parts)),
      period_(period),
      words_(words),
      prefixes_(parts_.empty() ? 0 : parts_[0].values.size()) {}

Reals ColumnLogits::logits(std::size_t word, std::size_t token) const {
  Reals all;
  for (const Part& part : parts_) {
    const Reals& values = part.values[part.at.at(word * period_ + token)];
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::span<const Real> ColumnLogits::only(std::size_t word, std::size_t token) const {
  return parts_[0].values[parts_[0].at.at(word * period_ + token)];
}

Outcome<bool> ColumnLogits::accepts(std::size_t word, std::size_t token) const {
  RationalLogits read{only(word, token)};
  return read_verdict(model_, read);
}

Outcome<PrefixAnswer> ColumnLogits::prefix(std::size_t word, std::size_t token) const {
  auto& known = prefixes_[parts_[0].at.at(word * period_ + token)];
  if (known) return *known;
  RationalLogits read{only(word, token)};
  auto answer = read_prefix(model_, read, token);
  if (answer.has_value()) known = answer.value();
  return answer;
}

Outcome<bool> ColumnLogits::connected(std::size_t source, std::size_t target) const {
  if (std::holds_alternative<AcceptOutput>(model_.output)) return accepts(0, period_ - 1);
  check_relation(model_, period_, source, target);
  const Part& row = parts_[target];
  const Real& logit = row.values[row.at.at(source)][0];
  OneLogit read{logit};
  return read_relation(read, source, target);
}

ColumnRunner::ColumnRunner(const Model& model, std::size_t memory, std::size_t threads)
    : model_(model), memory_(memory), threads_(threads) {
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
    ColumnState state(*pools_, words.tokens(), words.tokens() / words.words(), limit_, threads_);
    ColumnRows rows{};
    embed_columns(state, words.input());
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

/// Rows of a relation read different columns: one after the other. Else they are read together.
ColumnLogits ColumnRunner::read(ColumnState& state) const {
  std::vector<SparseMatrix> rows = {model_.unembedding};
  if (std::holds_alternative<RelationOutput>(model_.output)) {
    rows.assign(model_.unembedding.rows, SparseMatrix{1, model_.unembedding.columns, {}});
    for (const MatrixEntry& e : model_.unembedding.entries)
      rows[e.row].entries.push_back({0, e.column, e.value});
  }
  const Rationals ones(model_.width, Rational(1));
  std::vector<ColumnLogits::Part> parts;
  for (const SparseMatrix& matrix : rows) {
    ColumnImages images = ColumnMap(matrix, pools_->segments, ones)(state, state.stream, nullptr);
    auto& part = parts.emplace_back(ColumnLogits::Part{std::move(images.at), {}});
    for (ColumnImage& image : images.images) {
      if (image.index) throw HandOver("logits that depend on a code");
      part.values.push_back(std::move(image.v));
    }
  }
  return {model_, std::move(parts), state.period, state.words()};
}

}  // namespace logdepth::inline runtime_columns
