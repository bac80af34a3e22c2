// The pass over MPFR numbers, in one thread: the reference for any precision.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "logdepth/interruption.hpp"
#include "runtime/floats/mpfr_pass.hpp"
#include "runtime/floats/pass_on_device.hpp"

namespace logdepth::inline runtime_floats::float_pass {
namespace {

struct SequentialBackend {
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

}  // namespace

std::unique_ptr<Pass<Mpfr>> mpfr_pass(const Plan<Mpfr>& plan, const Choice& choice) {
  return std::make_unique<PassOnDevice<SequentialBackend, Mpfr>>(SequentialBackend{}, plan, choice);
}

}  // namespace logdepth::inline runtime_floats::float_pass
