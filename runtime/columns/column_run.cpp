#include "runtime/columns/column_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "base/phrases.hpp"
#include "runtime/columns/labels.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

/// Classes of positions whose encodings differ beside their codes.
enum class Where : EntryId { first, odd, even };

Column kinds_column(ColumnState& state, const std::vector<std::uint32_t>& kinds,
                    std::size_t number) {
  const auto local = state.passes.labels();
  std::copy(kinds.begin(), kinds.end(), local->data());
  return numbered(local, number);
}

Column where_column(ColumnState& state) {
  const Position& position = state.pools.model.position;
  const auto* code = std::get_if<CodePosition>(&position);
  if (std::holds_alternative<TablePosition>(position) || (code && code->parity.empty()))
    return {nullptr, {static_cast<EntryId>(Where::even)}, nullptr};
  const auto local = state.passes.labels();
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    const std::size_t p = i % state.period;
    local->data()[i] = static_cast<Label>(p == 0       ? Where::first
                                          : p % 2 == 1 ? Where::odd
                                                       : Where::even);
  }
  return numbered(local, 3);
}

/// The position encoding that is a number, of a class of positions.
void add_position(const Position& position, Where where, Rationals& row) {
  if (const auto* flag = std::get_if<FirstFlagPosition>(&position)) {
    for (const SparseEntry& e : where == Where::first ? flag->first : flag->rest)
      row[e.index] += e.value;
  } else if (const auto* code = std::get_if<CodePosition>(&position)) {
    for (const SparseEntry& e : code->parity)
      row[e.index] += where == Where::odd ? -e.value : e.value;
  }
}

/// The matrices of the codes in every segment, and the index whose codes they are.
struct Codes {
  std::vector<Rationals> matrix;   // per segment
  std::vector<SharedIndex> index;  // per segment
};
Codes codes_of(ColumnState& state) {
  const ColumnPools& pools = state.pools;
  Codes codes{std::vector<Rationals>(pools.segments.size()),
              std::vector<SharedIndex>(pools.segments.size())};
  const auto* position = std::get_if<CodePosition>(&pools.model.position);
  if (!position) return codes;
  std::map<std::uint32_t, SharedIndex> index_of;  // by `back`
  for (const CodeFill& fill : position->fills) {
    SharedIndex& index = index_of[fill.back];
    if (!index && fill.back == 0 && state.words() == 1) {
      index = std::make_shared<ColumnIndex>(ColumnIndex{state.codes, nullptr});
    } else if (!index) {
      const auto ids = state.passes.labels();
      for (std::size_t i = 0; i < state.tokens(); ++i) {
        const std::size_t p = i % state.period;
        ids->data()[i] = static_cast<Label>(p > fill.back ? p - fill.back : 0);
      }
      index = std::make_shared<ColumnIndex>(ColumnIndex{state.codes, ids});
    }
    for (std::size_t d = 0; d < fill.at.size(); ++d) {
      const auto [segment, offset] = pools.segments.place[fill.at[d]];
      if (codes.index[segment] && codes.index[segment] != index)
        throw HandOver("codes of two positions in one segment");
      codes.index[segment] = index;
      codes.matrix[segment].resize(pools.length(segment) * state.codes->dims);
      codes.matrix[segment][offset * state.codes->dims + d] += fill.scale;
    }
  }
  return codes;
}

/// Numbers that differ from token to token: given values, and a table of positions. Per segment a column,
/// and what its entries add.
struct Beside {
  std::vector<Column> columns;
  std::vector<std::vector<Rationals>> numbers;
};
Beside beside_kinds(ColumnState& state, const std::vector<Rational>& given) {
  const ColumnPools& pools = state.pools;
  Beside result{std::vector<Column>(pools.segments.size(), Column{nullptr, {0}, nullptr}),
                std::vector<std::vector<Rationals>>(pools.segments.size())};
  for (std::size_t s = 0; s < pools.segments.size(); ++s)
    result.numbers[s] = {Rationals(pools.length(static_cast<std::uint32_t>(s)))};
  const auto* table = std::get_if<TablePosition>(&pools.model.position);
  const GivenPlace place = given_place(pools.model);
  if (!table && place.values == 0) return result;
  if (table && table->rows.size() < state.period)
    throw HandOver("positions beyond the table of positions");
  std::vector<std::map<Rationals, Label>> known(pools.segments.size());
  std::vector<std::shared_ptr<Labels>> local(pools.segments.size());
  std::map<std::uint32_t, Rationals> here;  // by segment: what stands at one token
  const auto add = [&](std::size_t coordinate, const Rational& value) {
    const auto [segment, offset] = pools.segments.place[coordinate];
    here.try_emplace(segment, pools.length(segment)).first->second[offset] += value;
  };
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    here.clear();
    for (std::size_t v = 0; v < place.values; ++v) {
      const Rational& value = given[i * place.values + v];
      add(v, value);
      if (place.mirror > 0) add(v + place.mirror, -value);
    }
    if (table)
      for (const SparseEntry& e : table->rows[i % state.period]) add(e.index, e.value);
    for (auto& [segment, numbers] : here) {
      if (!local[segment]) {
        local[segment] = state.passes.labels();
        std::fill_n(local[segment]->data(), state.tokens(), Label{0});
        known[segment].emplace(result.numbers[segment][0], 0);
      }
      const auto fresh = static_cast<Label>(known[segment].size());
      const auto [entry, is_new] = known[segment].try_emplace(numbers, fresh);
      if (is_new) result.numbers[segment].push_back(std::move(numbers));
      local[segment]->data()[i] = entry->second;
    }
  }
  for (std::size_t s = 0; s < pools.segments.size(); ++s)
    if (local[s]) result.columns[s] = numbered(local[s], result.numbers[s].size());
  return result;
}

/// Fills the stream of an input: per token the vector of its kind, its given values, and the encoding of
/// its position in its word, whose codes stay codes. Errors: HandOver.
void embed_columns(ColumnState& state, const ColumnTokens& tokens) {
  ColumnPools& pools = state.pools;
  const Column kind = kinds_column(state, tokens.kinds, tokens.embedding.size());
  const Column where = where_column(state);
  const Codes codes = codes_of(state);
  const Combinations both = state.passes.combine({&kind, &where});
  std::vector<Rationals> rows;
  for (const auto& combination : both.entries) {
    Rationals& row = rows.emplace_back(pools.model.width);
    for (const SparseEntry& e : *tokens.embedding[combination[0]]) row[e.index] += e.value;
    add_position(pools.model.position, static_cast<Where>(combination[1]), row);
  }
  const Column classes = numbered(both.local, rows.size());
  const Beside beside = beside_kinds(state, tokens.given);
  for (std::size_t s = 0; s < pools.segments.size(); ++s) {
    const Combinations all = state.passes.combine({&classes, &beside.columns[s]});
    std::vector<EntryId> entries;
    for (const auto& combination : all.entries) {
      const Rationals& own = beside.numbers[s][combination[1]];
      ColumnEntry entry{Reals(own.begin(), own.end()),
                        Reals(codes.matrix[s].begin(), codes.matrix[s].end())};
      for (std::size_t r = 0; r < entry.v.size(); ++r)
        add(entry.v[r], rows[combination[0]][pools.segments.coordinates[s][r]]);
      entries.push_back(pools.entries[s].intern(std::move(entry)));
    }
    state.stream.push_back(state.passes.relabel(
        all, entries, std::vector<SharedIndex>(entries.size(), codes.index[s])));
  }
}

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
        if (progress) progress(location, state);
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

}}  // namespace logdepth::runtime_columns
