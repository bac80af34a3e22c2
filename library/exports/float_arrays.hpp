#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "library/exports/network.hpp"
#include "runtime/file/safetensors.hpp"

namespace logdepth::exports {

/// A matrix as it is written: dense, row by row, every number rounded.
template <class Real>
struct FloatArray {
  std::size_t rows = 0, columns = 0;
  std::vector<Real> numbers;
};
template <class Real>
using FloatArrays = std::map<std::string, FloatArray<Real>>;

/// Errors: SizeLimit where a matrix has more than 2^26 numbers.
template <class Real>
FloatArrays<Real> float_arrays(const Network& network);

/// The arrays, and beside each of them the exact weights, NAME.numerator and NAME.denominator.
/// Errors: ExportRefused where a numerator or denominator does not fit in 64 bits, naming the matrix.
template <class Real>
SafeTensors tensors_of(const Network& network, const FloatArrays<Real>& arrays);

}  // namespace logdepth::exports
