#pragma once

// Compiled twice: by the C++ compiler against Debian's Thrust with the TBB backend, and by nvcc
// against the CUDA toolkit's. Only what both versions have is used: device_vector, for_each,
// counting_iterator, reduce, count (specs: no functional objects, no tuples).
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/floats/number.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {
inline namespace LOGDEPTH_SIDE {

struct Larger {
  LOGDEPTH_BOTH double operator()(double a, double b) const { return a < b ? b : a; }
};

struct ThrustBackend {
  /// Neighbouring threads of a GPU read neighbouring tokens by themselves.
  static constexpr bool kInLanes = false;
  template <class T>
  using Array = thrust::device_vector<T>;
  template <class T>
  static Array<T> zeros(std::size_t size) {
    return Array<T>(size, T{});
  }
  template <class T>
  static T* pointer(Array<T>& array) {
    return thrust::raw_pointer_cast(array.data());
  }
  template <class Step>
  void each(std::size_t count, const Step& step) const {
    thrust::for_each(thrust::device, thrust::counting_iterator<std::size_t>(0),
                     thrust::counting_iterator<std::size_t>(count), step);
  }
  // Raw pointers with an execution policy: the references that device pointers give are, in
  // Debian's version, bound to null.
  double largest(const double* numbers, std::size_t count) const {
    return thrust::reduce(thrust::device, numbers, numbers + count, 0.0, Larger{});
  }
  std::uint64_t count(const std::uint8_t* bytes, std::size_t size, std::uint8_t value) const {
    return static_cast<std::uint64_t>(thrust::count(thrust::device, bytes, bytes + size, value));
  }
  template <class T>
  void fetch(const Array<T>& array, std::vector<T>& into) const {
    into.resize(array.size());
    if (into.empty()) return;  // Debian's version binds a reference to the first element
    thrust::copy(array.begin(), array.end(), into.begin());
  }
};

}}}}  // namespace logdepth::runtime_floats::float_pass::LOGDEPTH_SIDE
