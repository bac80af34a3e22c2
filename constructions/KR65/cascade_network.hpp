#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "constructions/KR65/cascade_task.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/decision_table.hpp"
#include "logdepth/program.hpp"
#include "objects/permutation_group.hpp"

namespace logdepth::inline constructions_KR65 {

/// What a letter does at a level.
struct LevelInput {
  std::optional<cells::Flag> act;    ///< it is a reset
  std::optional<cells::OneHot> tau;  ///< to this coordinate; any if it is none
  std::optional<cells::OneHot> y;    ///< the permutation; the identity for a reset
  std::optional<cells::Product> d;   ///< the map, of the level that is scanned
};
enum class LevelKind { resets, permutations, both, scanned };

/// What a token knows of the position d to its left (of position 0 if there is none).
struct Track {
  std::optional<cells::OneHot> letter;      ///< that stands there
  std::optional<cells::OneHot> context;     ///< of the current level, after it
  std::optional<cells::OneHot> coordinate;  ///< of the current level, after it
  LevelInput input;                         ///< of the current level, for the letter there
};

/// The context that cells tell, as digits of a table.
struct ContextDigits {
  std::vector<Digit> digits;
  std::function<std::uint32_t(std::span<const std::uint32_t> values)> context;
};

/// The network of regular_language_cascade.cpp, level by level: runs of resets are written there,
/// groups in cascade_groups.cpp.
class CascadeNetwork {
 public:
  CascadeNetwork(const CascadeTask& task, const std::string& name, const CascadeOptions& options);
  Program write();

 private:
  const CascadeLevel& level() const { return task_.cascade.levels[level_]; }
  LevelKind kind(std::size_t level) const;
  std::size_t tracks(std::size_t level) const;
  bool begins_run(std::size_t level) const;

  void shift();
  void run_resets();
  void run_group();
  void run_scan();
  void inputs_from(const std::function<ContextDigits(std::size_t track)>& above);
  void next_context(std::size_t track, const std::vector<Digit>& digits,
                    const std::function<std::uint32_t(std::span<const std::uint32_t>)>& coordinate);
  void read_out();

  LevelInput declare_input(std::size_t track);
  Digit::Conditions input_values(const LevelInput& input, std::uint32_t map) const;
  std::vector<Digit> residues(std::size_t number, const AbelianStep& step, const cells::OneHot& y);
  cells::Ratio floor_of(const cells::Component& C, const cells::Component& one, std::uint32_t m,
                        std::uint32_t s) const;
  cells::Selector left(std::size_t by);
  const cells::OneHot& letter();
  const cells::Flag& even();
  cells::OneHot onehot(const std::string& name, std::size_t labels);
  /// Of the level's cells and statements on a track.
  std::string suffix(std::size_t track) const {
    return fmt::format("{}{}", level_ + 1, track > 0 ? fmt::format(".{}", track) : "");
  }
  static Digit context_digit(const Track& track) {
    return track.context ? digit(*track.context) : no_digit();
  }

  void say(const cells::Statements& statements) {
    scan_done_ ? p_.final(statements) : p_.initial(statements);
  }
  void decide(const std::string& name, const std::vector<Digit>& digits,
              const DecisionOutcome& outcome,
              const std::function<Digit::Conditions(std::uint32_t)>& assign);

  const CascadeTask& task_;
  const CascadeOptions options_;
  std::vector<PermutationGroup> groups_;         // of each level
  std::vector<std::vector<AbelianStep>> steps_;  // of each level
  std::uint32_t modulus_ = 1;                    // the largest
  std::size_t level_ = 0;
  cells::Program p_;
  std::optional<OwnPosition> position_;
  std::optional<cells::Flag> even_;
  std::vector<cells::Pointer> pointers_;  // to p - 1, p - 2, ...
  std::vector<Track> tracks_ = std::vector<Track>(1);
  std::size_t units_ = 0;

  // The level that is scanned, if there is one.
  Action maps_;
  ProductForecast forecast_;
  std::unique_ptr<ProductCells> products_;
  std::optional<ScanCells> scan_;
  bool scan_done_ = false;
};

}  // namespace logdepth::inline constructions_KR65
