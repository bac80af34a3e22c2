#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "logdepth/interruption.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

/// A backend of one thread, without Thrust.
struct SequentialBackend {
  static constexpr bool kInLanes = false;
  template <class T>
  using Array = std::vector<T>;
  template <class T>
  static Array<T> zeros(std::size_t size) {
    return Array<T>(size);
  }
  template <class T>
  static T* pointer(Array<T>& array) {
    return array.data();
  }
  template <class Step>
  void each(std::size_t count, const Step& step) const {
    for (std::size_t i = 0; i < count; ++i) {
      look_for_interruption();
      step(i);
    }
  }
  double largest(const double* numbers, std::size_t count) const {
    return count == 0 ? 0 : *std::max_element(numbers, numbers + count);
  }
  std::uint64_t count(const std::uint8_t* bytes, std::size_t size, std::uint8_t value) const {
    return static_cast<std::uint64_t>(std::count(bytes, bytes + size, value));
  }
  template <class T>
  void fetch(const Array<T>& array, std::vector<T>& into) const {
    into = array;
  }
};

}}}  // namespace logdepth::runtime_floats::float_pass
