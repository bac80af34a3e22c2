#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/encode_think_decode/think_shape.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::etd {

/// Results of the task `lines` (lines_task.hpp) as the report reads them: runs of one shape that
/// differ in the seed only are a series; series that went on from one base, on the same lines, are a
/// section.

struct Score {
  std::uint32_t asked = 0, right = 0;
  std::optional<double> mean_loops = {};  ///< of adaptive shapes
};

struct Run {
  RunEnd end;
  std::vector<std::pair<std::string, Score>> kinds = {};
  std::optional<std::uint32_t> largest_loops = {};  ///< of adaptive shapes

  const Score* find(const std::string& kind) const;
  std::optional<double> accuracy(const std::string& kind) const;
  std::optional<double> loops(const std::string& kind) const;
};

/// By seed; the shape of a base has no block.
struct Series : RunSeries<Run> {
  ThinkShape shape;

  std::optional<report::Mean> accuracy(const std::string& kind) const;
  std::optional<report::Mean> loops(const std::string& kind) const;
  /// How often layers are passed at a token, "14", or "11.4" on the average of adaptive shapes.
  std::string passes() const;
};

/// The name under which multi-hop and arithmetic are one kind.
inline constexpr const char* kCompositional = "compositional";

/// A number under k = 1, under another shape, and how they differ seed by seed.
struct Change {
  report::Mean once, changed, difference;
  /// Of the mean under k = 1, if that is not 0; its error is that of the difference.
  std::optional<report::Mean> relative;
};

struct Section {
  RunConfig config;                ///< of the first run
  std::vector<Series> series;      ///< k = 1, 2, ... of the chosen cut, then the others
  std::vector<std::string> kinds;  ///< in the order of the results
  /// The cut that runs with most numbers of passes.
  LayerCut cut;

  bool is_base() const { return config.initial_weights.empty(); }
  std::string title() const;
  /// The kinds, and `compositional` where both of its kinds are there.
  std::vector<std::string> columns() const;
  /// Of the chosen cut.
  const Series* loops(std::uint32_t passes) const;
  std::vector<const Series*> adaptive() const;
  std::vector<const Series*> fixed() const;  ///< the chosen cut, by passes
  /// Against k = 1, over the seeds that both have; absent without one.
  std::optional<Change> change(const Series& series, const std::string& kind) const;
};

struct Runs {
  std::vector<Section> sections;
  std::vector<Section> bases;  ///< plain models that were trained from nothing
};

/// The runs of this paper among the records; others are left out. Errors: InputError naming the file
/// of a result that is not one of its configuration, both folders where a configuration and seed have
/// two results, and the setting where runs of one model and the same lines went on from other bases
/// or were trained otherwise.
Runs runs_of(const std::vector<RunRecord>& records);

}  // namespace logdepth::etd
