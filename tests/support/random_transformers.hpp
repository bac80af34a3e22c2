#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

/// Small random models and inputs for them. The coordinates fall into groups, and most of what a
/// model does is drawn group by group, so that a segment has several coordinates, keys repeat
/// themselves and ties happen; the rest is drawn entry by entry.
class RandomTransformers {
 public:
  explicit RandomTransformers(std::uint64_t seed) : random_(seed) {}

  Model model();
  Tokens input(const Model& model);

 private:
  using Group = std::vector<std::uint32_t>;
  using Terms = std::vector<std::pair<std::uint32_t, Rational>>;  ///< of a row of a matrix

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  Rational weight();  ///< not zero
  const Group& group() { return groups_[below(groups_.size())]; }
  /// Mostly one that the last mask shows.
  const Group& shown() {
    return shown_.empty() || one_in(6) ? group() : groups_[shown_[below(shown_.size())]];
  }
  void draw_groups(Model& model);
  void draw_input(Model& model);
  void draw_position(Model& model);
  SparseVector sparse(std::size_t rarity);
  SparseVector mask();
  SparseMatrix matrix(const std::vector<Terms>& rows) const;
  SparseMatrix readout(std::uint32_t rows);
  Terms any_coordinates();
  /// The transposed of a matrix whose rows say what is written; mirrored if the model is.
  SparseMatrix writing(const SparseMatrix& columns) const;
  Head head();
  FeedForward feed_forward();

  std::mt19937_64 random_;
  std::uint32_t width_ = 1;
  std::uint32_t half_ = 0;  ///< half of the width where the model is mirrored, else 0
  bool by_groups_ = false;  ///< nothing is drawn entry by entry but the input
  std::vector<Group> groups_;
  std::vector<std::size_t> shown_;  ///< groups in the last mask
};

}  // namespace logdepth
