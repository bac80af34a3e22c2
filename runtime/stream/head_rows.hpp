#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/stream/tuple_pool.hpp"

namespace logdepth::inline runtime_stream {

/// What one head selected at one token: the set of visible positions with the largest score.
struct SelectedRow {
  std::size_t row = 0;
  std::size_t visible = 0;  ///< number of visible positions; they are 0 .. visible-1
  std::size_t count = 0;    ///< size of the selected set
  std::size_t last = 0;     ///< its last position
  bool one_key = true;      ///< all selected positions have the same key
  const std::function<std::vector<std::size_t>()>* positions = nullptr;  ///< the set, on demand
};

/// Queries, keys and values of one head, as interned tuples: one id per token.
template <class Value>
struct HeadRows {
  /// Components of the values that come from the same segments of the stream and go to the same
  /// ones, so that they are averaged and repeat themselves together.
  struct ValuePart {
    TuplePool<Value>* tuples = nullptr;
    std::vector<TupleId> ids;
  };

  /// Rows of equal numbers, as long as the run's memory is one, are equal; 0: not numbered.
  std::uint64_t number = 0;
  bool causal = true;
  TuplePool<Value>* vectors = nullptr;  ///< queries and keys: equal ids are equal vectors
  std::vector<TupleId> queries, keys;
  std::vector<ValuePart> values;

  std::size_t tokens() const { return keys.size(); }
  std::size_t score_dimension() const { return vectors->length(); }
  std::span<const Value> query(std::size_t token) const { return (*vectors)[queries[token]]; }
  std::span<const Value> key(std::size_t token) const { return (*vectors)[keys[token]]; }
};

}  // namespace logdepth::inline runtime_stream
