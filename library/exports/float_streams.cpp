#include "library/exports/float_streams.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

namespace logdepth::exports {
namespace {

struct Flow {
  std::vector<std::uint32_t> read, written;
};

std::vector<std::uint32_t> read_by(const SparseMatrix& matrix, std::optional<std::uint32_t> row,
                                   const SparseVector& mask) {
  std::vector<std::uint32_t> read;
  for (const MatrixEntry& e : matrix.entries)
    if ((!row || e.row == *row) &&
        std::any_of(mask.begin(), mask.end(),
                    [&](const SparseEntry& entry) { return entry.index == e.column; }))
      read.push_back(e.column);
  return read;
}
std::vector<std::uint32_t> written_by(const SparseMatrix& matrix,
                                      std::optional<std::uint32_t> column) {
  std::vector<std::uint32_t> written;
  for (const MatrixEntry& e : matrix.entries)
    if (!column || e.column == *column) written.push_back(e.row);
  return written;
}

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<Flow> flows_of(const Model& model) {
  std::vector<Flow> flows;
  for (const Layer& layer : model.layers) {
    const SparseVector& mask = layer.attention.mask;
    for (const Head& head : layer.attention.heads) {
      Flow selection{read_by(head.query, {}, mask), written_by(head.output, {})};
      append(selection.read, read_by(head.key, {}, mask));
      flows.push_back(std::move(selection));
      for (std::uint32_t d = 0; d < head.value.rows; ++d)
        flows.push_back({read_by(head.value, d, mask), written_by(head.output, d)});
    }
    const FeedForward& units = layer.feedforward;
    std::vector<Flow> of_units(units.in.rows);
    std::set<std::uint32_t> masked;
    for (const SparseEntry& e : units.mask) masked.insert(e.index);
    for (const MatrixEntry& e : units.in.entries)
      if (masked.count(e.column) > 0) of_units[e.row].read.push_back(e.column);
    for (const MatrixEntry& e : units.out.entries) of_units[e.column].written.push_back(e.row);
    flows.insert(flows.end(), of_units.begin(), of_units.end());
  }
  return flows;
}

Dense dense(const SparseVector& row, std::uint32_t width) {
  Dense values(width);
  for (const SparseEntry& e : row) values[e.index] = e.value;
  return values;
}

}  // namespace

std::uint32_t Numbers::id(const Rational& value) {
  const auto [found, added] = ids_.emplace(value, static_cast<std::uint32_t>(values_.size()));
  if (added) values_.push_back(value);
  return found->second;
}

Tuples tuples_of(std::vector<Tuple> listed) {
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  return std::make_shared<const std::vector<Tuple>>(std::move(listed));
}

Rational dot(const SparseRow& row, const Dense& h) {
  Rational sum;
  for (const auto& [c, w] : row)
    if (!h[c].is_zero()) sum += w * h[c];
  return sum;
}

std::vector<SparseRow> rows_of(const SparseMatrix& matrix) {
  std::vector<SparseRow> rows(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) rows[e.row].emplace_back(e.column, e.value);
  return rows;
}

double total(const std::vector<SparseRow>& rows) {
  double sum = 0;
  for (const SparseRow& row : rows)
    for (const auto& entry : row) sum += std::abs(entry.second.approximate());
  return sum;
}

std::vector<TokenPlace> token_places(const Model& model, std::uint64_t length) {
  const auto& word = std::get<WordInput>(model.input);
  std::vector<TokenPlace> places;
  for (std::size_t p = 0; p < length + word.begin; ++p)
    places.push_back(
        {p, word.begin && p == 0 ? std::vector<std::string>{kBeginToken} : model.alphabet, false});
  for (std::size_t p = word.begin; word.end && p <= length + word.begin; ++p)
    places.push_back({p, {kEndToken}, true});
  return places;
}

Reach letters_reach(const Model& model) {
  Reach reach{{}, {}, std::vector<bool>(model.width)};
  if (!model.alphabet.empty()) {
    const Dense first = dense(model.embedding.at(model.alphabet.front()), model.width);
    for (const std::string& letter : model.alphabet) {
      const Dense own = dense(model.embedding.at(letter), model.width);
      for (std::uint32_t c = 0; c < model.width; ++c)
        if (!(own[c] == first[c])) reach.is_tied[c] = true;
    }
  }
  const std::vector<Flow> flows = flows_of(model);
  for (bool more = true; more;) {
    more = false;
    for (const Flow& flow : flows) {
      if (std::none_of(flow.read.begin(), flow.read.end(),
                       [&](std::uint32_t c) { return reach.is_tied[c]; }))
        continue;
      for (const std::uint32_t c : flow.written)
        if (!reach.is_tied[c]) more = reach.is_tied[c] = true;
    }
  }
  for (std::uint32_t c = 0; c < model.width; ++c)
    (reach.is_tied[c] ? reach.tied : reach.free).push_back(c);
  return reach;
}

Dense stream_with(const Dense& base, const Reach& reach, const Tuple& tuple,
                  const Numbers& numbers) {
  Dense h = base;
  for (std::size_t n = 0; n < tuple.size(); ++n) h[reach.tied[n]] = numbers[tuple[n]];
  return h;
}

}  // namespace logdepth::exports
