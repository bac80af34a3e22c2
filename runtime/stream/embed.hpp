#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <variant>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/stream.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace runtime_stream {

/// Where given values go: value i to coordinate i and, with mirrors, its negative to i + mirror.
struct GivenPlace {
  std::size_t values = 0;  ///< per token
  std::size_t mirror = 0;  ///< 0: none
};
GivenPlace given_place(const Model& model);

/// pi(p) (runtime/README.md). Precondition: a table has the row.
SparseVector position_row(const Position& position, std::size_t p);

/// Adds the position encoding of `token` to its row of values. Absent position: longer than the
/// table.
template <Arithmetic A>
std::optional<OutsideHypotheses> add_position(const Position& position, std::size_t token,
                                              std::vector<typename A::Value>& row, A& arithmetic) {
  const auto* table = std::get_if<TablePosition>(&position);
  if (table && token >= table->rows.size())
    return OutsideHypotheses{
        fmt::format("the position table has {} rows and the input needs more", table->rows.size())};
  for (const SparseEntry& e : position_row(position, token)) {
    auto& h = row[e.index];
    h = arithmetic.add_product(h, e.value, arithmetic.number(Rational(1)));
  }
  return std::nullopt;
}

/// Fills a stream of zeros, one token each: h0 = the token's given values (with their mirrors) +
/// E(kind) + pi(position), token by token. Errors: InputError for a token kind without embedding,
/// or for a number of given values that is not the file's.
template <Arithmetic A>
std::optional<OutsideHypotheses> embed(const Model& model, const Tokens& tokens, A& arithmetic,
                                       Stream<typename A::Value>& stream) {
  const GivenPlace place = given_place(model);
  if (place.values > 0 && tokens.given.size() != tokens.kinds.size())
    throw InputError("the weights file " + in_quotes(model.name) +
                     " expects values for every token");
  std::vector<typename A::Value> row;
  for (std::size_t token = 0; token < tokens.kinds.size(); ++token) {
    row.assign(model.width, arithmetic.zero());
    const auto add = [&](std::size_t coordinate, const auto& value) {
      auto& h = row[coordinate];
      h = arithmetic.add_product(h, Rational(1), arithmetic.number(value));
    };
    const std::size_t values = token < tokens.given.size() ? tokens.given[token].size() : 0;
    if (values != place.values)
      throw InputError(fmt::format("token {} is given {} values; the weights file {} expects {}",
                                   token, values, in_quotes(model.name), place.values));
    for (std::size_t i = 0; i < values; ++i) {
      const Real& value = tokens.given[token][i];
      add(i, value);
      if (place.mirror > 0) add(i + place.mirror, -value);
    }
    if (!std::holds_alternative<CellsInput>(model.input)) {
      const auto kind = model.embedding.find(tokens.kinds[token]);
      if (kind == model.embedding.end())
        throw InputError("the weights file " + in_quotes(model.name) + " has no token " +
                         in_quotes(tokens.kinds[token]));
      for (const SparseEntry& e : kind->second) add(e.index, e.value);
    }
    if (auto refusal = add_position(model.position, token, row, arithmetic)) return refusal;
    stream.set_row(token, row);
  }
  return std::nullopt;
}

}}  // namespace logdepth::runtime_stream
