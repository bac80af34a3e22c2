#pragma once

namespace logdepth { inline namespace base {

/// A visitor made of lambdas, for std::visit.
template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

}}  // namespace logdepth::base
