#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "objects/action.hpp"
#include "objects/graph.hpp"

namespace logdepth {

/// What the networks compute, written directly: the floor under any way of running them.

/// What a product is looked up in, as in the constructions: the images of every point, or the
/// number of an element of the monoid.
enum class ProductTable { matrix, monoid };

/// The product of every non-empty prefix of a word over an action's letters. The tables are made
/// once, by the constructor.
class DirectProducts {
 public:
  DirectProducts(const Action& action, ProductTable table);

  /// Letter by letter.
  void run_sequentially(const Word& word);
  /// Hillis-Steele: ceil(log2 n) rounds, in each of which every token multiplies the product that
  /// it holds from the left by the one 1, 2, 4, ... tokens before it. One thread.
  void run_scan(const Word& word);
  /// The product of letters 0 .. i of the word that was run.
  Transformation product(std::size_t i) const;

 private:
  template <std::size_t Points>
  void scan_matrices();

  std::size_t points_;
  ProductTable table_;
  std::vector<Transformation> letters_, elements_;
  std::vector<std::uint32_t> letter_element_, element_product_;
  std::vector<std::uint8_t> images_, next_images_;  ///< matrix: token x point
  std::vector<std::uint16_t> codes_, next_codes_;   ///< monoid: token
};

/// The reachability of a graph by squaring its Boolean matrix with the diagonal ceil(log2(n-1))
/// times, a row of the matrix being a string of machine words.
class BooleanSquaring {
 public:
  explicit BooleanSquaring(const Graph& graph);
  void run();
  bool reaches(Vertex source, Vertex target) const;

 private:
  std::size_t size_, words_;
  std::vector<std::uint64_t> start_, relation_;
};

}  // namespace logdepth
