#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::support {

/// Raw streams of a direction (x, y) and a vote. One head: a token takes the votes of those whose
/// directions, after the norm, are nearest to its own, or with `all` of all tokens. Accepted where
/// the average vote is positive.
inline Model votes_of_directions(bool all = false) {
  Model m;
  m.name = "votes";
  m.width = 4;
  m.input = CellsInput{{"x", "y", "vote"}, false};
  m.shape = {1, 0, 0};
  m.unroll.kind = Unroll::Kind::fixed;
  m.unroll.loops = 0;
  m.output = AcceptOutput{0, 1, {}};
  m.unembedding = {2, 4, {{0, 3, 1}}};
  Head head;
  head.causal = false;
  const std::uint32_t scored = all ? 0 : 2;
  head.query = head.key = {scored, 4, {}};
  for (std::uint32_t row = 0; row < scored; ++row) {
    head.query.entries.push_back({row, row, 1});
    head.key.entries.push_back({row, row, 1});
  }
  head.value = {1, 4, {{0, 2, 1}}};
  head.output = {4, 1, {{3, 0, 1}}};
  head.contract = UniformContract{};
  Layer layer;
  layer.block = Block::initial;
  layer.attention = {{{0, 1}, {1, 1}, {2, 1}}, {head}};
  layer.feedforward = {{}, {0, 4, {}}, {4, 0, {}}};
  m.layers = {layer};
  return m;
}

/// (1, y, 1 + `more`) and (1 + sqrt 2) (1, y, -1), y = k + sqrt 2 + ... over the first `primes` primes:
/// where `more` is 0, the same direction after the norm, and opposite votes, which no combination of
/// terms shows.
inline std::vector<std::vector<Real>> opposite_votes(std::int64_t k, const Rational& more = 0,
                                                     std::size_t primes = 1) {
  Real y(k);
  for (const std::int64_t prime : std::vector<std::int64_t>{2, 3, 5, 7, 11}) {
    if (primes-- == 0) break;
    y = y + Real::root(Rational(prime));
  }
  const Real factor = Real(1) + Real::root(Rational(2));
  return {{Real(1), y, Real(Rational(1) + more)}, {factor, factor * y, -factor}};
}

}  // namespace logdepth::support
