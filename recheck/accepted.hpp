#pragma once

// For tests alone: what is known after every sublayer that a proof accepts (tests/recheck/numeric_oracle.cpp compares it with the
// numbers of runs). Nothing of a proof depends on it.

#include <functional>

#include "recheck/class_heads.hpp"
#include "recheck/product.hpp"
#include "recheck/sublayers.hpp"

namespace recheck {

struct Accepted {
  std::string where;  // a sublayer, or "loop": what is proved at one pass holds at every pass
  const Frame& frame;
  std::map<int, Stream> streams;       // by class of tokens; that of a generic token under 0
  const Products* products = nullptr;  // of scans and trees
  const Machine* machine = nullptr;    // of classes
  const std::map<int, std::vector<int>>* signs = nullptr;  // of counting: kind and signs by class
  const std::vector<int>* compared = nullptr;              // the sums of these signs
};
inline std::function<void(const Accepted&)> on_accepted;

/// Calls it, where a test has set it, with what `accepted` makes.
template <typename Make>
void observe(Make accepted) {
  if (on_accepted) on_accepted(accepted());
}
inline void seen(const std::string& where, const Frame& frame, const Stream& h,
                 const Products* products = nullptr) {
  observe([&] { return Accepted{where, frame, {{0, h}}, products}; });
}

}  // namespace recheck
