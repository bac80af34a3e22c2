#pragma once

namespace logdepth {

/// What a property test of a weights file compares.
enum class TestedProperty {
  answer,   ///< the verdict, or the numbers, that the oracle gives
  prefix,   ///< the product of the first letters, or the state after them
  promise,  ///< every head selects what it promises
  depth,    ///< as many layers run as the file claims
  limit     ///< an input beyond the file's limit is refused
};

}  // namespace logdepth
