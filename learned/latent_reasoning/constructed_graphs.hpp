#pragma once

#include <cstdint>
#include <vector>

#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/records/predictor.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/paper_report.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// A weights file of computation graphs (`compile computation-graph`) as a model of the discrete
/// loop: its letters are `x3`, `x3:2` (with a value), `0` ... `p-1`, `+ - * = ;`, its answers `0`
/// ... `p-1`, `empty` and `n/a`. Factors but the value are answered as they are read. Every call
/// runs one iteration.
Predictor constructed_predictor(const ExactFile& file, const FactorTables& tables);

/// The records, and one for every section (runs.hpp) whose modulus is that of the file: the
/// file's result by the measure of the discrete method, on the first graphs that the smallest seed
/// of the section was measured on, in all its cells. Errors: InputError for a file whose outputs
/// are of no section's modulus, or that has too few names or operands.
std::vector<RunRecord> with_constructed_graphs(const std::vector<RunRecord>& records,
                                               const ExactFile& file);
/// Graphs per cell: exact arithmetic takes its time.
inline constexpr std::uint32_t kConstructedGraphs = 50;

}  // namespace logdepth::inline learned_latent_reasoning
