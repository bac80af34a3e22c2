#pragma once

// The weights file, version 1, as far as its meaning depends on it: no cells, no derived, no program, no names.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recheck/json.hpp"

namespace recheck {

using Row =
    std::map<int, mpq_class>;  // a sparse vector, index to value; what is not listed is zero

/// [[index, rational], ...] as a vector of this width.
Row to_row(const Json& vector, int width);

struct Matrix {
  int rows = 0, columns = 0;
  std::map<int, Row> at;
  const Row& row(int r) const;
};

struct Head {
  bool causal = false;
  Matrix query, key, value, output;
  Json contract;  // a claim: the theorem of selections checks it, no other reads it
};

struct Layer {
  std::string block;
  Row attention_mask, feedforward_mask;
  std::vector<Head> heads;
  Matrix in, out;
};

struct Weights {
  std::string sha256;  // of the canonical text without `derived` and `sha256`
  int width = 0;
  bool layernorm = false;
  std::vector<std::string>
      kinds;                   // token kinds: what the input adds, then the letters in their order
  std::vector<Row> embedding;  // a row for every kind
  std::vector<Layer> layers;   // initial, then repeated, then final
  Matrix unembedding;
  Json input, output, unroll, position;

  bool has_loop() const;
  /// `max_length`: letters or tokens at most, if there is a limit.
  std::optional<std::int64_t> limit() const;
};

/// What messages and certificates call a layer, counted from 1.
std::string layer_name(std::size_t n);
/// 64 hexadecimal digits.
std::string sha256_of(const std::string& text);
Weights read_weights(const Json& document);

}  // namespace recheck
