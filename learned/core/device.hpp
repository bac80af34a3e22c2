#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "learned/core/network.hpp"

namespace logdepth { inline namespace learned_core {

/// What the maker calls a device; empty of the CPU, and without CUDA's headers.
std::string device_name(torch::Device device);

/// A training step on a device whose operations and shapes are the same every time. The first steps
/// run as they are; then one is recorded, and from there on the device is told the whole step at once
/// in place of some hundred operations. On a CPU, and without CUDA's headers, every step runs as it is.
class StepGraph {
 public:
  /// What the step reads lies in tensors that stay where they are; so does what it gives.
  StepGraph(std::function<Learned()> step, torch::Device device);
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// One step. Its tensors hold until the next one.
  Learned run();

 private:
  struct Recording;
  std::function<Learned()> step_;
  std::unique_ptr<Recording> recording_;  ///< absent where nothing is recorded
};

/// Vectors that a processor computes with.
enum class VectorWidth { other, bits256, bits512 };

/// The kernels of OpenBLAS to ask for on a processor with such vectors, where it took `taken` by
/// itself; empty where those are as wide. A version of OpenBLAS takes narrow ones on processors that
/// are newer than it.
std::string_view wider_kernels(std::string_view taken, VectorWidth processor);

/// Starts the program anew where OpenBLAS, if it is the library behind matrix products, took kernels
/// narrower than this processor's vectors, and the environment does not say which to take:
/// OPENBLAS_CORETYPE is read when the library is loaded, before a program's first line.
void choose_matrix_kernels(char** argv);

/// The kernels of OpenBLAS that are in use, as "SkylakeX"; empty of other libraries, also where OpenBLAS
/// is loaded but matrix products are another library's.
std::string matrix_kernels();

/// The library behind matrix products on a CPU.
struct MatrixLibrary {
  std::string name;        ///< "OpenBLAS", "MKL", "reference BLAS", "BLAS"
  std::string file;        ///< that holds them
  bool reference = false;  ///< Debian's loops as written: a run takes about ten times as long
};
MatrixLibrary matrix_library();
/// By the file that holds matrix products, the one that holds OpenBLAS's own functions (empty: none is
/// loaded), and whether libtorch was built with MKL.
MatrixLibrary matrix_library(const std::string& products, const std::string& openblas,
                             bool has_mkl);

}}  // namespace logdepth::learned_core
