#pragma once

// What is known after every sublayer that a proof accepts, for tests (tests/recheck/numeric_oracle.cpp compares it with the numbers of
// runs) and for certificates of counting programs. Nothing of a proof depends on it.

#include <functional>

#include "recheck/class_heads.hpp"
#include "recheck/product.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"

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
inline thread_local std::function<void(const Accepted&)> on_accepted;

/// Hears what the proofs of this thread accept while it lives.
struct Listener {
  explicit Listener(std::function<void(const Accepted&)> hear) { on_accepted = std::move(hear); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { on_accepted = nullptr; }
};

/// A sum of counts that is compared, as a positive multiple of integers times numbers, and a rest.
struct Sum {
  std::vector<std::pair<int, mpz_class>> terms;
  mpq_class rest;
};
Sum sum_of(const Frame& frame, int number);

/// Tells a listener, if there is one, what `accepted` makes.
template <typename Make>
void observe(Make accepted) {
  if (on_accepted) on_accepted(accepted());
}
inline void seen(const std::string& where, const Frame& frame, const Stream& h,
                 const Products* products = nullptr) {
  observe([&] { return Accepted{where, frame, {{0, h}}, products}; });
}

}  // namespace recheck
