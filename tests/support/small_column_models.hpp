#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"

/// Small random models whose heads, norms and hidden units are near what columns have rules for: codes of
/// two positions, letters, sums of codes, signs, averages. Most rules of columns can be met, and missed
/// by one number.
namespace logdepth::support {

/// A contract of heads for words that has nothing to do with the head: uniform, match, rightmost or
/// flagged, by `kind` from 0 to 3. `flag`: the coordinate that it names.
inline Contract contract_of_kind(std::uint64_t kind, std::uint32_t flag, std::mt19937_64& random) {
  switch (kind) {
    case 0:
      return UniformContract{};
    case 1:
      return MatchContract{random() % 2 == 0};
    case 2:
      return RightmostContract{{{flag, 1}}};
    default:
      return FlaggedContract{{{flag, 1}}, std::nullopt};
  }
}

class SmallColumnModel {
 public:
  explicit SmallColumnModel(std::uint64_t seed) : random_(seed) {}

  Model make() {
    Model m;
    m.name = "small";
    m.width = kWidth;
    m.norm = below(16) == 0 ? Norm::layernorm : Norm::rms;
    m.input = WordInput{below(2) == 0, false};
    m.alphabet = {"a", "b"};
    for (const std::string& kind : {std::string("a"), std::string("b"), std::string(kBeginToken)})
      if (kind != kBeginToken || std::get<WordInput>(m.input).begin)
        m.embedding[kind] = {{kLetter, Rational(kind == "a" ? 1 : -1)}, {kOne, Rational(1)}};
    const PositionCode codes[] = {PositionCode::circle, PositionCode::fine(1),
                                  PositionCode::fine(3)};
    m.position = CodePosition{
        codes[below(3)], {{{0, 1}, 0, 1}, {{2, 3}, static_cast<std::uint32_t>(below(4)), 1}}, {}};
    m.unroll.kind = Unroll::Kind::fixed;
    m.shape = {static_cast<std::uint32_t>(1 + below(4)), 0, 0};
    for (std::uint32_t l = 0; l < m.shape.initial; ++l) m.layers.push_back(layer());
    m.unembedding = {2, kWidth, {}};
    for (std::uint32_t row = 0; row < 2; ++row)
      for (std::uint32_t c = kLetter; c < kWidth; ++c)
        if (c != kOne && below(3) == 0) m.unembedding.entries.push_back({row, c, number()});
    m.output = CellsOutput{{"y0", "y1"}};
    return m;
  }

 private:
  static constexpr std::uint32_t kWidth = 16, kLetter = 4, kOne = 5, kFree = 6;
  using Row = std::map<std::uint32_t, Rational>;

  std::size_t below(std::size_t bound) { return random_() % bound; }
  Rational number() {
    const Rational numbers[] = {1, -1, 1, -1, 2, -2, Rational(1, 2), 3};
    return numbers[below(8)];
  }
  std::uint32_t free_coordinate() {
    return static_cast<std::uint32_t>(kFree + below(kWidth - kFree));
  }
  /// |x|^2 is 4 where no free coordinate is read.
  SparseVector mask() {
    std::vector<std::uint32_t> at;
    switch (below(6)) {
      case 0:
        at = {free_coordinate()};
        break;
      case 1:
        at = {0, 1};
        break;
      case 2:
        at = {8, 9};
        break;
      default:
        at = {0, 1, 2, 3, kLetter, kOne};
    }
    SparseVector vector;
    for (const std::uint32_t c : at) vector.push_back({c, below(12) == 0 ? number() : Rational(1)});
    mask_ = at;
    return vector;
  }
  std::uint32_t masked() {
    return below(20) == 0 ? static_cast<std::uint32_t>(below(kWidth)) : mask_[below(mask_.size())];
  }
  static SparseMatrix matrix(const std::vector<Row>& rows) {
    SparseMatrix result{static_cast<std::uint32_t>(rows.size()), kWidth, {}};
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      for (const auto& [column, value] : rows[r])
        if (!value.is_zero()) result.entries.push_back({r, column, value});
    return result;
  }
  void score(Head& head) {
    head.contract = MatchContract{true};
    const std::uint32_t q = below(2) == 0 ? 0 : 2, k = below(3) == 0 ? 2 : 0;
    std::vector<Row> query, key;
    switch (below(6)) {
      case 0:  // uniform
        query = key = {{}};
        head.contract = UniformContract{};
        break;
      case 1:  // the last flag
        query = {{{kOne, 1}}};
        key = {{{kLetter, number()}, {k + static_cast<std::uint32_t>(below(2)), number()}}};
        break;
      case 2:  // by angle: any image of a code that may lie above the axis
        query = {{{q, number()}, {q + 1, number()}}, {{q, below(2) ? 1 : 0}, {q + 1, number()}}};
        key = {{{k, 1}}, {{k + 1, 1}}};
        break;
      default:
        query = {{{q, 1}}, {{q + 1, 1}}};
        key = {{{k, 1}}, {{k + 1, 1}}};
    }
    if (below(5) == 0) {
      query.push_back({{masked(), number()}});
      key.push_back({{masked(), number()}});
    }
    if (below(12) == 0) query[0][masked()] = number();
    if (below(12) == 0) key[0][masked()] = number();
    head.query = matrix(query);
    head.key = matrix(key);
  }
  Layer layer() {
    Layer result;
    result.block = Block::initial;
    result.attention.mask = mask();
    for (std::size_t h = below(3); h > 0; --h) {
      Head head;
      head.causal = below(10) != 0;
      score(head);
      std::vector<Row> value(1 + below(2));
      for (Row& row : value) row[below(2) == 0 ? kLetter : masked()] = number();
      head.value = matrix(value);
      head.output = {kWidth, static_cast<std::uint32_t>(value.size()), {}};
      std::uint32_t at = kFree + static_cast<std::uint32_t>(below(5));
      for (std::uint32_t r = 0; r < value.size(); ++r) {
        head.output.entries.push_back({at, r, number()});
        at += 1 + static_cast<std::uint32_t>(below(3));
      }
      if (mask_.size() < 6 || below(12) == 0) head.contract = UniformContract{};
      if (below(12) == 0) head.contract = RightmostContract{{{kLetter, 1}}};
      if (below(12) == 0) head.contract = FlaggedContract{{{kLetter, 1}}, std::nullopt};
      if (below(12) == 0) head.contract = MatchContract{false};
      result.attention.heads.push_back(std::move(head));
    }
    feedforward(result.feedforward);
    return result;
  }
  void feedforward(FeedForward& f) {
    f.mask = mask();
    std::vector<Row> in;
    std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, Rational>>> out;  // unit, to
    for (std::size_t u = below(4); u > 0; --u) {
      Row row;
      for (std::size_t n = 1 + below(2); n > 0; --n) row[masked()] = number();
      const std::uint32_t to = free_coordinate();
      const Rational weight = number();
      const std::size_t mirrors = below(4) == 0 ? 0 : below(8) == 0 ? 2 : 1;
      for (std::size_t copy = 0; copy <= mirrors; ++copy) {
        Row own = row;
        if (copy > 0)
          for (auto& [column, value] : own) value = -value;
        out.push_back({static_cast<std::uint32_t>(in.size()), {to, copy > 0 ? -weight : weight}});
        in.push_back(own);
      }
    }
    f.in = matrix(in);
    f.out = {kWidth, static_cast<std::uint32_t>(in.size()), {}};
    for (std::uint32_t c = 0; c < kWidth; ++c)
      for (const auto& [unit, to] : out)
        if (to.first == c) f.out.entries.push_back({c, unit, to.second});
  }

  std::mt19937_64 random_;
  std::vector<std::uint32_t> mask_;  ///< of the latest sublayer
};

}  // namespace logdepth::support
