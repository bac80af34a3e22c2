#include "library/exports/float_steps.hpp"

#include <numeric>
#include <variant>

#include "base/overload.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::exports {

void FloatSteps::start() {
  error_.assign(width_, 0);
  for (const TokenPlace& token : tokens_) {
    const SparseVector position = position_at(model_.position, token.position);
    std::vector<Tuple> listed;
    Dense h;
    for (const std::string& kind : token.kinds) {
      h.assign(width_, Rational());
      std::vector<double> size(width_);
      for (const SparseVector* row : {&model_.embedding.at(kind), &position})
        for (const SparseEntry& e : *row) {
          h[e.index] += e.value;
          size[e.index] += size_of(e.value);
        }
      Tuple tuple;
      for (const std::uint32_t c : reach_.tied) tuple.push_back(numbers_.id(h[c]));
      listed.push_back(std::move(tuple));
      for (std::uint32_t c = 0; c < width_; ++c)
        if (size[c] > 0) error_[c] = std::max(error_[c], g(2) * size[c] + 2 * tiny_);
    }
    for (const std::uint32_t c : reach_.tied) h[c] = Rational();
    streams_.push_back({std::move(h), tuples_of(std::move(listed))});
  }
}

Dense FloatSteps::stream(const WordStream& of, const Tuple& tuple) const {
  return stream_with(of.base, reach_, tuple, numbers_);
}

Product FloatSteps::product(const SparseRow& row) const {
  Product found;
  double carried = 0;
  for (const auto& [c, w] : row) {
    found.size += size_of(w) * sizes_[c];
    carried += size_of(w) * error_[c];
  }
  const auto n = static_cast<double>(row.size());
  found.rounding = g(n) * (found.size + carried) + n * tiny_;
  found.error = carried + found.rounding;
  if (!(found.size + carried < most_)) not_shown("numbers are too large for the format");
  return found;
}

void FloatSteps::measure() {
  sizes_.assign(streams_.front().base.size(), 0);
  std::set<const void*> seen;
  for (const WordStream& stream : streams_) {
    for (std::size_t c = 0; c < stream.base.size(); ++c)
      sizes_[c] = std::max(sizes_[c], size_of(stream.base[c]));
    if (!seen.insert(stream.tuples.get()).second) continue;
    for (const Tuple& tuple : *stream.tuples)
      for (std::size_t n = 0; n < tuple.size(); ++n)
        sizes_[reach_.tied[n]] = std::max(sizes_[reach_.tied[n]], size_of(numbers_[tuple[n]]));
  }
}

void FloatSteps::run_block(Block block, const std::vector<TokenPlace>& tokens) {
  for (std::size_t l = 0; l < model_.layers.size(); ++l) {
    const Layer& layer = model_.layers[l];
    if (layer.block != block) continue;
    if (!layer.attention.heads.empty()) attention(l, tokens);
    if (layer.feedforward.in.rows > 0) feedforward(l);
  }
}

void FloatSteps::read_at(std::uint64_t loops) {
  const auto& word = std::get<WordInput>(model_.input);
  std::set<std::uint64_t> lengths;
  for (std::uint64_t n = 0; n <= network_.length; ++n)
    if (loops == network_.loops || loops_at(model_.unroll, n) == loops) lengths.insert(n);
  if (lengths.empty()) return;
  const auto streams = streams_;
  const auto error = error_;
  const double apart = apart_;
  std::vector<TokenPlace> tokens;
  std::vector<WordStream> kept;
  std::vector<std::size_t> last, prefixes;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const TokenPlace& token = tokens_[i];
    if (token.position >= *lengths.rbegin() + word.begin + token.last) continue;
    const std::uint64_t letters = token.position + !token.last - word.begin;
    if (token.last == word.end && lengths.count(letters) > 0) last.push_back(kept.size());
    if (!token.last && token.position >= word.begin) prefixes.push_back(kept.size());
    tokens.push_back(token);
    kept.push_back(streams_[i]);
  }
  streams_ = std::move(kept);
  run_block(Block::final, tokens);
  ask(last, prefixes);
  streams_ = streams;
  error_ = error;
  apart_ = apart;
}

void FloatSteps::ask(const std::vector<std::size_t>& last,
                     const std::vector<std::size_t>& prefixes) {
  const auto& output = std::get<AcceptOutput>(model_.output);
  measure();
  const std::vector<SparseRow> rows = rows_of(model_.unembedding);
  std::vector<double> wrong;
  for (const SparseRow& row : rows) wrong.push_back(product(row).error);
  ask("verdict", {output.accept, output.reject}, rows, wrong, last);
  std::vector<std::size_t> groups;
  std::uint32_t first = 0;
  std::visit(Overload{[](const std::monostate&) {},
                      [&](const TransformationReadout& read) {
                        for (const auto& images : read.images) groups.push_back(images.size());
                        first = read.first_row;
                      },
                      [&](const ElementReadout& read) {
                        groups = {read.elements.size()};
                        first = read.first_row;
                      },
                      [&](const StateReadout& read) {
                        groups = {read.states};
                        first = read.first_row;
                      }},
             output.prefix);
  for (const std::size_t size : groups) {
    std::vector<std::uint32_t> asked(size);
    std::iota(asked.begin(), asked.end(), first);
    first += static_cast<std::uint32_t>(size);
    if (size > 1) ask("prefix", asked, rows, wrong, prefixes);
  }
}

void FloatSteps::ask(const char* name, const std::vector<std::uint32_t>& asked,
                     const std::vector<SparseRow>& rows, const std::vector<double>& wrong,
                     const std::vector<std::size_t>& where) {
  double largest = 0;
  for (const std::uint32_t row : asked) largest = std::max(largest, wrong[row]);
  const double error = 2 * largest + 2 * total(rows) * apart_;
  for (const std::size_t i : where)
    for (const Tuple& tuple : *streams_[i].tuples) {
      const Dense h = stream(streams_[i], tuple);
      std::vector<Rational> logits;
      for (const std::uint32_t row : asked) logits.push_back(dot(rows[row], h));
      std::sort(logits.begin(), logits.end());
      const Rational margin = logits.back() - logits[logits.size() - 2];
      if (!(margin.approximate() > error * (1 + 0x1p-18)))
        not_shown("{}: two logits are {:.3g} apart, and rounding may take {:.3g}", name,
                  margin.approximate(), error);
      const auto [found, added] = bounds_.answers.emplace(name, ProvedAnswer{margin, error});
      if (added) continue;
      found->second.margin = std::min(found->second.margin, margin);
      found->second.error = std::max(found->second.error, error);
    }
}

SparseVector FloatSteps::position_at(const Position& position, std::size_t p) {
  if (const auto* flag = std::get_if<FirstFlagPosition>(&position))
    return p == 0 ? flag->first : flag->rest;
  const auto* code = std::get_if<CodePosition>(&position);
  if (!code || !code->parity.empty())
    not_shown(
        "position: a code that is not covered; expected first-flag, circle, two-circle or "
        "fine without parity");
  SparseVector row;
  for (const CodeFill& fill : code->fills) {
    const auto shown = rational_code(code->code, p >= fill.back ? p - fill.back : 0);
    for (std::size_t n = 0; n < shown.size(); ++n)
      row.push_back({fill.at[n], shown[n] * fill.scale});
  }
  return row;
}

}  // namespace logdepth::exports
