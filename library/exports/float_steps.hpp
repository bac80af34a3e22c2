#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/exports/float_bounds.hpp"
#include "library/exports/float_streams.hpp"
#include "library/exports/network.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// The steps of a proof: norms, attention, units, answers. Each moves the enclosed streams of
/// all tokens, and what floating point may be off them.

/// The same limits as those of the checker.
inline constexpr std::size_t kMostTuples = 200000;
inline constexpr std::uint64_t kMostLength = 4096;
/// Irrational numbers are taken to 600 bits.
inline constexpr double kApart = 0x1p-590, kNear = 0x1p-500;

template <class... Parts>
[[noreturn]] void not_shown(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw NotShown(fmt::format(text, std::forward<Parts>(parts)...));
}

inline double size_of(const Rational& x) {
  return std::abs(x.approximate());
}

/// The square root of x >= 0, within 2^-600 of it.
Rational root(const Rational& x);

/// How a sublayer reads the streams.
struct Reading {
  bool folded = true;
  Rational scale = 1;
  const SparseVector* mask = nullptr;
  std::uint32_t width = 0;

  /// What a row reads of the stream, scale aside; a norm that is no multiple stands behind the stream.
  SparseRow operator()(const SparseRow& row) const {
    SparseRow read;
    for (const auto& [c, w] : row) {
      if (!folded) {
        read.emplace_back(c + width, w);
        continue;
      }
      const std::uint32_t at = c;
      const auto found = std::find_if(mask->begin(), mask->end(),
                                      [at](const SparseEntry& e) { return e.index == at; });
      if (found != mask->end()) read.emplace_back(c, w * found->value);
    }
    return read;
  }
  std::vector<SparseRow> operator()(const SparseMatrix& matrix) const {
    std::vector<SparseRow> rows;
    for (const SparseRow& row : rows_of(matrix)) {
      rows.push_back((*this)(row));
      for (auto& entry : rows.back()) entry.second *= scale;
    }
    return rows;
  }
};

struct Product {
  double size = 0, error = 0, rounding = 0;
};

/// Tuples that a head may select at a token; without a list, whatever the token has.
struct Winner {
  std::size_t token = 0;
  std::vector<const Tuple*> tuples;
};
struct Selection {
  bool compares = false;
  bool by_word = false;
  /// Per token: by the number of the own tuple, or one entry.
  std::vector<std::vector<std::vector<Winner>>> winners;
  std::vector<double> query, key;  ///< largest |numbers|
  std::optional<Rational> separation;
};

struct PlacedHead {
  Selection selection;
  std::vector<std::pair<std::uint32_t, SparseRow>> copied;  ///< what it adds, by coordinate
};

struct Totals {
  Rational low, high, mean;  ///< of squares; the largest |mean| times the width
};

struct Vectors {
  const Tuple* tuple = nullptr;  ///< none: of every tuple
  Tuple query, key;              ///< ids
};

struct KeyOf {
  Tuple key;
  std::vector<const Tuple*> tuples;
};

struct Scored {
  Rational score;
  std::size_t token;
  const KeyOf* key;
};

using Taken = std::vector<std::pair<std::size_t, Rational>>;  ///< place in a tuple, what is added

struct Units {
  std::vector<SparseRow> in, out;  ///< per unit
  std::vector<bool> paired;
  std::vector<Product> bounds;
  std::vector<std::map<std::uint32_t, Rational>> linear;  ///< per coordinate
  std::vector<double> terms, size, lost, carried, worst;
};

class FloatSteps {
 public:
  FloatSteps(const Model& model, const Network& network)
      : model_(model),
        network_(network),
        width_(model.width),
        reach_(letters_reach(model)),
        tokens_(token_places(model, network.length)),
        u_(rounding_unit(network)),
        tiny_(network.single ? 0x1p-125 : 0x1p-1021),
        most_(network.single ? 0x1p100 : 0x1p900),
        place_(width_) {
    for (std::size_t n = 0; n < reach_.tied.size(); ++n) place_[reach_.tied[n]] = n;
  }
  FloatBounds run() {
    std::vector<TokenPlace> tokens = tokens_;
    start();
    run_block(Block::initial, tokens);
    for (std::uint64_t loop = 0;; ++loop) {
      read_at(loop);
      if (loop == network_.loops) return std::move(bounds_);
      run_block(Block::repeated, tokens);
    }
  }

 private:
  double g(double n) const { return (n + 4) * u_ / (1 - (n + 4) * u_); }
  void start();
  Dense stream(const WordStream& of, const Tuple& tuple) const;
  Product product(const SparseRow& row) const;
  /// The largest |x| of every coordinate.
  void measure();
  Totals totals(const SparseVector& mask) const;
  /// z = norm(mask * h), beside the stream where it is no multiple of mask * h.
  Reading read(const std::string& place, const SparseVector& mask, const NetworkNorm& norm);
  void put_norm(const std::string& place, const SparseVector& mask);
  void forget_norm();
  Rational score(const Tuple& query, const Tuple& key) const;
  Selection select(const std::string& place, const std::vector<TokenPlace>& tokens,
                   const std::vector<SparseRow>& query, const std::vector<SparseRow>& key);
  /// Token i, which sees the tokens before `position` and itself.
  void select_at(const std::string& place, std::size_t position, std::size_t i,
                 const std::vector<Vectors>& own, const std::vector<std::vector<KeyOf>>& keys,
                 Selection& selection) const;
  /// What all tokens that are not selected weigh together, at most.
  double weigh(const std::string& place, std::size_t l, std::size_t k, const Selection& selection,
               const std::vector<SparseRow>& query, const std::vector<SparseRow>& key);
  void attention(std::size_t l, const std::vector<TokenPlace>& tokens);
  Taken taken(const PlacedHead& head, const Dense& h) const;
  /// What token i becomes.
  WordStream attended(std::size_t i, std::size_t position, const std::vector<PlacedHead>& heads);
  void combine(const Tuple& tuple, const std::vector<std::set<Taken>>& options, std::size_t head,
               std::vector<Tuple>& became);
  static SparseRow negated(SparseRow row);
  /// Pairs of units that make ReLU(x) - ReLU(-x) = x, whose errors may cancel those of the stream.
  void find_pairs(Units& units) const;
  /// The numbers of some coordinates after the units, and their errors.
  void step(const Dense& h, const std::vector<std::uint32_t>& coordinates,
            const std::vector<std::size_t>& chosen, Units& units, Dense& made) const;
  void feedforward(std::size_t l);
  void move_streams(Units& units, const std::array<std::vector<std::size_t>, 2>& chosen);
  void run_block(Block block, const std::vector<TokenPlace>& tokens);
  /// The answers of the words that run this many loops, or of all after the last one.
  void read_at(std::uint64_t loops);
  void ask(const std::vector<std::size_t>& last, const std::vector<std::size_t>& prefixes);
  void ask(const char* name, const std::vector<std::uint32_t>& asked,
           const std::vector<SparseRow>& rows, const std::vector<double>& wrong,
           const std::vector<std::size_t>& where);
  static SparseVector position_at(const Position& position, std::size_t p);
  const Model& model_;
  const Network& network_;
  std::uint32_t width_;
  Reach reach_;
  std::vector<TokenPlace> tokens_;
  double u_, tiny_, most_;
  std::vector<std::size_t> place_;  ///< of a tied coordinate in a tuple
  Numbers numbers_;
  std::vector<WordStream> streams_;
  std::vector<double> error_, sizes_;
  double apart_ = 0, apart_z_ = 0;  ///< of reference and exact run, beside irrational norms
  FloatBounds bounds_;
};

}  // namespace logdepth::exports
