#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/encode_think_decode/think_shape.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth {

/// Results of the task `lines` (lines_task.hpp) as the report reads them: runs of one shape that
/// differ in the seed only are a series; series that went on from one base, on the same lines, are a
/// section.

struct EtdScore {
  std::uint32_t asked = 0, right = 0;
  std::optional<double> mean_loops;  ///< of adaptive shapes
  double accuracy() const { return static_cast<double>(right) / asked; }
};

struct EtdRun {
  std::string folder;
  RunEnd end;  ///< with its seed
  std::map<std::string, EtdScore> kinds;
  std::optional<std::uint32_t> largest_loops;  ///< of adaptive shapes

  std::optional<double> accuracy(const std::string& kind) const;
  std::optional<double> loops(const std::string& kind) const;
};

struct EtdSeries {
  ThinkShape shape;          ///< without a block: a base
  std::vector<EtdRun> runs;  ///< by seed

  std::string seeds() const;
  std::string state() const;  ///< ends_text
  std::optional<report::Mean> accuracy(const std::string& kind) const;
  std::optional<report::Mean> loops(const std::string& kind) const;
  /// How often layers are passed at a token, "14", or "11.4" on the average of adaptive shapes.
  std::string passes() const;
};

/// The name under which multi-hop and arithmetic are one kind.
inline constexpr const char* kCompositional = "compositional";

/// A number under k = 1, under another shape, and how they differ seed by seed.
struct EtdChange {
  report::Mean once, changed, difference;
  /// Of the mean under k = 1, if that is not 0; its error is that of the difference.
  std::optional<report::Mean> relative;
};

struct EtdSection {
  RunConfig config;                ///< of the first run
  std::vector<EtdSeries> series;   ///< k = 1, 2, ... of the chosen cut, then the others
  std::vector<std::string> kinds;  ///< in the order of the results
  /// The cut that runs with most numbers of passes.
  LayerCut cut;

  std::string title() const;
  /// The kinds, and `compositional` where both of its kinds are there.
  std::vector<std::string> columns() const;
  /// Of the chosen cut.
  const EtdSeries* loops(std::uint32_t passes) const;
  std::vector<const EtdSeries*> adaptive() const;
  std::vector<const EtdSeries*> fixed() const;  ///< the chosen cut, by passes
  /// Against k = 1, over the seeds that both have; absent without one.
  std::optional<EtdChange> change(const EtdSeries& series, const std::string& kind) const;
};

struct EtdRuns {
  std::vector<EtdSection> sections;
  std::vector<EtdSection> bases;  ///< plain models that were trained from nothing
};

/// The runs of this paper among the records; others are left out. Errors: InputError naming the file
/// of a result that is not one of its configuration, both folders where a configuration and seed have
/// two results, and the setting where runs of one model and the same lines went on from other bases
/// or were trained otherwise.
EtdRuns etd_runs(const std::vector<RunRecord>& records);

}  // namespace logdepth
