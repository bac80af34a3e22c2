#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "runtime/forward.hpp"
#include "runtime/model.hpp"
#include "runtime/outcome.hpp"
#include "runtime/position_code.hpp"

namespace logdepth {

/// Adds the position encoding of `token` to its row. Absent position: longer than the table.
template <Arithmetic A>
std::optional<OutsideHypotheses> add_position(const Position& position, std::size_t token,
                                              Stream<typename A::Value>& stream, A& arithmetic) {
  const auto add = [&](std::size_t coordinate, const Rational& value) {
    auto& h = stream.at(token, coordinate);
    h = arithmetic.add_product(h, value, arithmetic.number(Rational(1)));
  };
  if (const auto* flag = std::get_if<FirstFlagPosition>(&position)) {
    for (const SparseEntry& e : token == 0 ? flag->first : flag->rest) add(e.index, e.value);
  } else if (const auto* code = std::get_if<CodePosition>(&position)) {
    for (const CodeFill& fill : code->fills) {
      const std::size_t shown = token >= fill.back ? token - fill.back : 0;
      const auto values = code->two_circle ? two_circle_code(shown) : circle_code(shown);
      for (std::size_t i = 0; i < fill.at.size(); ++i) add(fill.at[i], values[i] * fill.scale);
    }
  } else {
    const auto& rows = std::get<TablePosition>(position).rows;
    if (token >= rows.size())
      return OutsideHypotheses{"the position table has " + std::to_string(rows.size()) +
                               " rows and the input needs more"};
    for (const SparseEntry& e : rows[token]) add(e.index, e.value);
  }
  return std::nullopt;
}

/// h0 = E(token) + pi(position) for the named token kinds, in order.
/// Precondition: every kind is a key of `model.embedding`.
template <Arithmetic A>
Outcome<Stream<typename A::Value>> embed(const Model& model, const std::vector<std::string>& kinds,
                                         A& arithmetic) {
  Stream<typename A::Value> stream(kinds.size(), model.width, arithmetic.zero());
  for (std::size_t token = 0; token < kinds.size(); ++token) {
    for (const SparseEntry& e : model.embedding.at(kinds[token]))
      stream.at(token, e.index) = arithmetic.number(e.value);
    if (auto refusal = add_position(model.position, token, stream, arithmetic)) return *refusal;
  }
  return stream;
}

}  // namespace logdepth
