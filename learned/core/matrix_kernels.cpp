#include "learned/core/matrix_kernels.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace logdepth::inline learned_core {
namespace {

/// Names of kernels, by the vectors that they compute with.
constexpr std::array<std::string_view, 3> kBits512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
constexpr std::array<std::string_view, 3> kBits256 = {"Haswell", "Excavator", "Zen"};

VectorWidth processor_vectors() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return VectorWidth::bits512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? VectorWidth::bits256
                                                                         : VectorWidth::other;
}

/// The library that holds a function, without links; empty where there is no such function.
std::string file_of(const char* function) {
  void* const symbol = dlsym(RTLD_DEFAULT, function);
  Dl_info found;
  if (symbol == nullptr || dladdr(symbol, &found) == 0 || found.dli_fname == nullptr) return "";
  std::error_code failure;
  const std::filesystem::path file = std::filesystem::canonical(found.dli_fname, failure);
  return failure ? found.dli_fname : file.string();
}

}  // namespace

MatrixLibrary matrix_library(const std::string& products, const std::string& openblas,
                             bool has_mkl) {
  // Debian's alternatives for libblas.so.3 lie in folders of their names; OpenBLAS's has its kernels in a
  // second library there.
  const std::filesystem::path folder = std::filesystem::path(products).parent_path();
  if (!openblas.empty() && folder == std::filesystem::path(openblas).parent_path())
    return {"OpenBLAS", products, false};
  if (has_mkl) return {"MKL", products, false};
  const bool reference = folder.filename() == "blas";
  return {reference ? "reference BLAS" : "BLAS", products, reference};
}

MatrixLibrary matrix_library() {
  return matrix_library(file_of("sgemm_"), file_of("openblas_get_corename"), at::hasMKL());
}

std::string_view wider_kernels(std::string_view taken, VectorWidth processor) {
  const bool is512 = std::ranges::find(kBits512, taken) != kBits512.end();
  const bool is256 = std::ranges::find(kBits256, taken) != kBits256.end();
  if (processor == VectorWidth::bits512 && !is512) return kBits512.front();
  if (processor == VectorWidth::bits256 && !is512 && !is256) return kBits256.front();
  return {};
}

void choose_matrix_kernels(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const std::string taken = matrix_kernels();
  if (taken.empty() || getenv(kVariable)) return;
  const std::string_view wider = wider_kernels(taken, processor_vectors());
  if (wider.empty()) return;
  setenv(kVariable, std::string(wider).c_str(), 1);
  execv("/proc/self/exe", argv);  // where it fails the slower kernels do
}

std::string matrix_kernels() {
  if (matrix_library().name != "OpenBLAS") return {};
  void* const symbol = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  return symbol ? reinterpret_cast<char* (*)()>(symbol)() : std::string();
}

}  // namespace logdepth::inline learned_core
