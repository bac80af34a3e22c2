#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/latent_reasoning/graph_task.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::latent {

/// Results of the tasks of this paper (graph_task.hpp) as the report reads them: runs that differ
/// in the seed only are a series, series on the same training graphs a section.

/// A row of every table: a method, a chain of thought once for each format.
struct Row {
  const char* name;       ///< as in "chain-of-thought/val"
  const char* title;      ///< for people
  const char* published;  ///< the method that the paper speaks of (PublishedMethod); or empty
};
/// In the order of the paper's table 1, the one without depths after the continuous one, and last
/// the weights file "constructed".
const std::vector<Row>& rows();

struct DepthScore {
  std::uint32_t depth = 0;
  std::size_t graphs = 0;
  double solved = 0;
};

struct Cell {
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
struct Settling {
  struct Fit {
    double slope = 0, intercept = 0, r2 = 0;
  };
  double settled = 0;
  std::optional<Fit> fit;
  std::map<std::uint32_t, double> iterations;  ///< by depth, where enough graphs settled
};

struct Run {
  RunEnd end;
  std::vector<Cell> cells;
  std::optional<Settling> settling;
  std::uint32_t layers_per_iteration = 0;  ///< of a weights file

  const Cell* at(const GraphCell& cell) const;
  /// Fully solved by depth, over all cells of a generator; where there are enough graphs.
  std::map<std::uint32_t, double> solved_by_depth(GraphShape::Generator generator) const;
};
/// Of fewer graphs nothing is said by depth.
inline constexpr std::size_t kGraphsOfDepth = 20;

struct Series : RunSeries<Run> {
  std::size_t row = 0;  ///< of rows()

  const GraphTaskSettings& task() const { return config.task.as<GraphTaskSettings>(); }
  bool constructed() const { return config.constructed.has_value(); }
  std::string title() const;
  /// A number of a cell, over the runs that have it. `number`: of a Cell, a number or an optional.
  template <class Number>
  std::optional<report::Range> in_cell(const GraphCell& cell, Number number) const {
    return range([&](const Run& run) -> std::optional<double> {
      const Cell* at = run.at(cell);
      if (at) return number(*at);
      return std::nullopt;
    });
  }
  std::optional<report::Range> solved(const GraphCell& cell) const;
  std::optional<report::Range> hit_nodes(const GraphCell& cell) const;
  std::optional<report::Range> slope() const;
  /// A range for each depth that at least one run has.
  std::map<std::uint32_t, report::Range> solved_by_depth(GraphShape::Generator generator) const;
  std::map<std::uint32_t, report::Range> iterations_by_depth() const;
};

struct Section {
  std::vector<Series> series;  ///< in the order of rows()

  const GraphTaskSettings& task() const { return series.front().task(); }
  /// As in "addition modulo 3, 1 to 2 operands, 32 names, trained on N = 3 to 8".
  std::string title() const;
  std::vector<const Series*> of(const std::string& row) const;
  /// Numbers of nodes at which some series was measured with this generator, growing.
  std::vector<std::uint32_t> nodes(GraphShape::Generator generator) const;
  /// The generator whose graphs tell most about depth: `deep` where it was measured.
  GraphShape::Generator generator_of_depths() const;
};

/// The runs of this paper among the records, in the order of their first members; records of other
/// tasks are left out. Errors: InputError where there is none, naming the file of a result that
/// is not one of its configuration, and those of run_table.
std::vector<Section> sections_of(const std::vector<RunRecord>& records);

}  // namespace logdepth::latent
