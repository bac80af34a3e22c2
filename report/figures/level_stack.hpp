#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_figures {

/// What a letter does to a level.
struct StackStep {
  enum class Kind { kept, permuted, reset, mapped };
  Kind kind = Kind::kept;
  std::string text = {};                     ///< above a permutation: "(1 2)"
  std::vector<std::size_t> decided_by = {};  ///< levels above, from 0
  std::string note = {};                     ///< for who points at it
};

/// What holds after a prefix at a level: one of its values, and the points that are left.
struct StackCell {
  std::size_t value = 0;
  std::vector<std::size_t> points = {};  ///< of those that the level above leaves
};

struct StackLevel {
  std::string name, note;           ///< "level 1", "Z3"
  std::vector<std::string> values;  ///< what a cell may hold; numbers from 0 stand for them
  bool none = false;                ///< the first value is that of no choice: a dash
  std::vector<StackCell> cells;     ///< of every prefix, the empty one first
  std::vector<StackStep> steps;     ///< of every letter
};

/// Levels below each other while a word is read: a column for every prefix, in which points are
/// fewer from level to level.
struct LevelStack {
  std::string title, subtitle;
  std::vector<std::string> letters;
  std::size_t points = 0;
  std::string points_name;  ///< "6 states"
  std::vector<std::string> point_names;
  std::vector<StackLevel> levels;
  std::string results_name;          ///< of the last row
  std::vector<std::string> results;  ///< of every prefix
  std::vector<bool> good;            ///< of every prefix
  std::string good_name, bad_name;   ///< what the looks of a result mean
};

/// A step for each line of letters: as many as A4 has room for.
StripPicture level_stack_picture(const LevelStack& stack);

}  // namespace logdepth::inline report_figures
