#include "library/exports/float_arrays.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include "logdepth/errors.hpp"

namespace logdepth::exports {
namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 26;

template <class Number>
SafeTensor tensor(const char* type, const SparseMatrix& shape, const std::vector<Number>& numbers) {
  static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
  const auto* const bytes = reinterpret_cast<const char*>(numbers.data());
  return {type, {shape.rows, shape.columns}, {bytes, bytes + numbers.size() * sizeof(Number)}};
}

}  // namespace

template <class Real>
FloatArrays<Real> float_arrays(const Network& network) {
  FloatArrays<Real> arrays;
  for (const auto& [name, matrix] : matrices(network)) {
    const std::uint64_t count = std::uint64_t{matrix->rows} * matrix->columns;
    if (count > kMostNumbers)
      throw SizeLimit(fmt::format("the matrix {} has {} numbers, more than the limit of {}", name,
                                  count, kMostNumbers));
    FloatArray<Real>& array = arrays[name];
    array = {matrix->rows, matrix->columns, std::vector<Real>(count)};
    for (const MatrixEntry& e : matrix->entries)
      array.numbers[std::size_t{e.row} * matrix->columns + e.column] =
          static_cast<Real>(e.value.approximate());
  }
  return arrays;
}

template <class Real>
SafeTensors tensors_of(const Network& network, const FloatArrays<Real>& arrays) {
  SafeTensors tensors;
  for (const auto& [name, matrix] : matrices(network)) {
    const std::size_t count = arrays.at(name).numbers.size();
    std::vector<std::int64_t> numerators(count), denominators(count, 1);
    for (const MatrixEntry& e : matrix->entries) {
      const auto small = e.value.small();
      if (!small)
        throw ExportRefused(
            fmt::format("{}: the exact weight {} does not fit in two integers of 64 "
                        "bits",
                        name, e.value.text()));
      const std::size_t at = std::size_t{e.row} * matrix->columns + e.column;
      numerators[at] = small->numerator;
      denominators[at] = small->denominator;
    }
    tensors.arrays[name] =
        tensor(std::is_same_v<Real, float> ? "F32" : "F64", *matrix, arrays.at(name).numbers);
    tensors.arrays[name + ".numerator"] = tensor("I64", *matrix, numerators);
    tensors.arrays[name + ".denominator"] = tensor("I64", *matrix, denominators);
  }
  return tensors;
}

template FloatArrays<float> float_arrays(const Network&);
template FloatArrays<double> float_arrays(const Network&);
template SafeTensors tensors_of(const Network&, const FloatArrays<float>&);
template SafeTensors tensors_of(const Network&, const FloatArrays<double>&);

}  // namespace logdepth::exports
