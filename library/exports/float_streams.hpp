#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// What the streams of all words of a length have in common, exactly: coordinates that no letter
/// reaches have one value per token, the others are enclosed by a set of tuples per token.

/// Distinct numbers by their place in a list.
class Numbers {
 public:
  std::uint32_t id(const Rational& value);
  const Rational& operator[](std::uint32_t id) const { return values_[id]; }

 private:
  struct Hash {
    std::size_t operator()(const Rational& value) const { return value.hash(); }
  };
  std::unordered_map<Rational, std::uint32_t, Hash> ids_;
  std::vector<Rational> values_;
};

using Dense = std::vector<Rational>;
using Tuple = std::vector<std::uint32_t>;                  ///< ids, one per tied coordinate
using Tuples = std::shared_ptr<const std::vector<Tuple>>;  ///< sorted, no repetition
using SparseRow = std::vector<std::pair<std::uint32_t, Rational>>;

Tuples tuples_of(std::vector<Tuple> listed);
Rational dot(const SparseRow& row, const Dense& h);
std::vector<SparseRow> rows_of(const SparseMatrix& matrix);
/// Sum of |w|, in double.
double total(const std::vector<SparseRow>& rows);

/// A token of a position, of all words that have it.
struct TokenPlace {
  std::size_t position = 0;
  std::vector<std::string> kinds;
  bool last = false;  ///< the end token
};
/// Inner tokens by position, then the end tokens.
std::vector<TokenPlace> token_places(const Model& model, std::uint64_t length);

struct WordStream {
  Dense base;  ///< zero at the tied coordinates
  Tuples tuples;
};

/// Which coordinates letters reach.
struct Reach {
  std::vector<std::uint32_t> tied, free;
  std::vector<bool> is_tied;
};
Reach letters_reach(const Model& model);

/// base with a tuple in its place.
Dense stream_with(const Dense& base, const Reach& reach, const Tuple& tuple,
                  const Numbers& numbers);

}  // namespace logdepth::exports
