#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// What is proved of a head's scores, in the units of its matrices, for one size and one format of
/// numbers. The bounds are derived in library/exports/README.md.
struct HeadSeparation {
  std::string name;          ///< of its statement, where the file carries the program
  bool compares = true;      ///< else every score is 0
  bool selects_one = false;  ///< never the average of several
  double gap = 0;            ///< 0: nothing is proved
  double loss = 0;           ///< of a score, to rounding
  double largest = 0;        ///< no score, and no number of a query, is larger
};

class Separations {
 public:
  /// Proves again what the file says of itself. `unit`: rounding_unit(network).
  Separations(const Model& model, double size, double unit);

  const LayerFacts& facts(std::size_t layer) const { return facts_.layers[layer]; }
  const HeadSeparation& head(std::size_t layer, std::size_t head) const {
    return heads_[layer][head];
  }
  /// Why nothing is proved; empty where something is.
  const std::string& reason() const { return reason_; }

 private:
  PrecisionFacts facts_;
  std::vector<std::vector<HeadSeparation>> heads_;
  std::string reason_;
};

}  // namespace logdepth::exports
