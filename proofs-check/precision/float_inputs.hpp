#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace proofs_check_precision {

/// A row of a construction, with a network and inputs of every size.
struct PrecisionSeries {
  const Construction& construction;
  const PrecisionRow& row;

  /// Whether precision is about the number of tokens; else it is about the size, in letters.
  bool in_tokens() const { return construction.problem != Problem::words; }
  Compiled compiled() const;
  /// The same for every precision, of exactly this size. They keep references to the model.
  std::vector<FloatQuestion> questions(const Model& model, std::uint64_t size,
                                       std::uint64_t seed) const;
};

/// They keep references to the constructions.
std::vector<PrecisionSeries> precision_series(const Catalogue& constructions = catalogue());
/// Precondition: one of them has this name.
PrecisionSeries series_named(const std::string& name);
/// Of the longest of these inputs.
std::uint64_t most_tokens(const std::vector<FloatQuestion>& questions);

}}  // namespace logdepth::proofs_check_precision
