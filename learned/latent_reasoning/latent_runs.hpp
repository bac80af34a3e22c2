#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/latent_reasoning/graph_task.hpp"
#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth {

/// Results of the tasks of this paper (graph_task.hpp) as the report reads them: runs that differ
/// in the seed only are a series, series on the same training graphs a section.

/// A row of every table: a method, a chain of thought once for each format.
struct LatentRow {
  const char* name;       ///< as in "chain-of-thought/val"
  const char* title;      ///< for people
  const char* published;  ///< the method that the paper speaks of (PublishedMethod); or empty
};
/// In the order of the paper's table 1, the one without depths after the continuous one, and last
/// the weights file "constructed".
const std::vector<LatentRow>& latent_rows();

struct DepthScore {
  std::uint32_t depth = 0;
  std::size_t graphs = 0;
  double solved = 0;
};

struct LatentCell {
  struct Recovery {
    double nodes = 0, graphs = 0;
    std::optional<double> hit_nodes;
  };
  GraphCell cell;
  std::size_t graphs = 0;
  double solved = 0, nodes = 0;  ///< shares of graphs and of nodes
  std::vector<DepthScore> by_depth;
  std::optional<double> structure;
  std::optional<Recovery> recovery;
};

/// How many iterations the graphs of all cells took.
struct LatentSettling {
  struct Fit {
    double slope = 0, intercept = 0, r2 = 0;
  };
  double settled = 0;
  std::optional<Fit> fit;
  std::map<std::uint32_t, double> iterations;  ///< by depth, where enough graphs settled
};

struct LatentRun {
  std::string name;  ///< of its folder
  std::uint64_t seed = 0;
  std::vector<LatentCell> cells;
  std::optional<LatentSettling> settling;
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;
  std::string early_end;                   ///< run_record.hpp
  std::uint32_t layers_per_iteration = 0;  ///< of a weights file

  const LatentCell* at(const GraphCell& cell) const;
  /// Fully solved by depth, over all cells of a generator; where there are enough graphs.
  std::map<std::uint32_t, double> solved_by_depth(GraphShape::Generator generator) const;
};
/// Of fewer graphs nothing is said by depth.
inline constexpr std::size_t kGraphsOfDepth = 20;

struct LatentSeries {
  std::size_t row = 0;          ///< of latent_rows()
  RunConfig config;             ///< of the first run
  std::vector<LatentRun> runs;  ///< by seed; one of several that found the same
  /// What tells it from other series of its row in the section: "model.positions=none"; or empty.
  std::string setting;

  const GraphTaskSettings& task() const { return config.task.as<GraphTaskSettings>(); }
  bool constructed() const { return config.constructed.has_value(); }
  std::string title() const;
  std::vector<std::uint64_t> seeds() const;
  /// Runs that made all their steps and whose learning curve still rose.
  std::size_t rising() const;

  /// Over the runs that have such a number. `number`: of a LatentRun, an optional.
  template <class Number>
  std::optional<report::Range> range(Number number) const {
    std::vector<double> values;
    for (const LatentRun& run : runs)
      if (const std::optional<double> value = number(run)) values.push_back(*value);
    return report::range_of(values);
  }
  std::optional<report::Range> solved(const GraphCell& cell) const;
  std::optional<report::Range> right_nodes(const GraphCell& cell) const;
  std::optional<report::Range> hit_nodes(const GraphCell& cell) const;
  std::optional<report::Range> slope() const;
  /// A range for each depth that at least one run has.
  std::map<std::uint32_t, report::Range> solved_by_depth(GraphShape::Generator generator) const;
  std::map<std::uint32_t, report::Range> iterations_by_depth() const;
};

struct LatentSection {
  std::vector<LatentSeries> series;  ///< in the order of latent_rows()

  const GraphTaskSettings& task() const { return series.front().task(); }
  /// As in "addition modulo 3, 1 to 2 operands, 32 names, trained on N = 3 to 8".
  std::string title() const;
  std::vector<const LatentSeries*> of(const std::string& row) const;
  /// Numbers of nodes at which some series was measured with this generator, growing.
  std::vector<std::uint32_t> nodes(GraphShape::Generator generator) const;
  /// The generator whose graphs tell most about depth: `deep` where it was measured.
  GraphShape::Generator generator_of_depths() const;
};

/// The runs of this paper among the records, in the order of their first members; records of other
/// tasks are left out. Errors: InputError where there is none, and naming the file of a result that
/// is not one of its configuration, or both folders where a configuration and seed have two results.
std::vector<LatentSection> latent_sections(const std::vector<RunRecord>& records);

}  // namespace logdepth
