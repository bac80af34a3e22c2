#include "learned/core/device.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#ifdef LOGDEPTH_CUDA_GRAPHS
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace logdepth { inline namespace learned_core {

#ifdef LOGDEPTH_CUDA_GRAPHS

std::string device_name(torch::Device device) {
  return device.is_cuda() ? at::cuda::getCurrentDeviceProperties()->name : "";
}

struct StepGraph::Recording {
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();  // the default one records nothing
  at::cuda::CUDAGraph graph;
  int steps_before = 0;
  bool recorded = false;
  Learned learned;
};

StepGraph::StepGraph(std::function<Learned()> step, torch::Device device)
    : step_(std::move(step)),
      recording_(device.is_cuda() ? std::make_unique<Recording>() : nullptr) {}

Learned StepGraph::run() {
  // Libraries choose kernels and take their memory in the first steps.
  constexpr int kStepsBefore = 3;
  if (!recording_) return step_();
  Recording& r = *recording_;
  if (!r.recorded) {
    c10::cuda::device_synchronize();
    {
      const c10::cuda::CUDAStreamGuard guard(r.stream);
      if (r.steps_before < kStepsBefore) {
        ++r.steps_before;
        const Learned learned = step_();
        c10::cuda::device_synchronize();
        return learned;
      }
      r.graph.capture_begin();
      r.learned = step_();
      r.graph.capture_end();
      r.recorded = true;
    }
    c10::cuda::device_synchronize();
  }
  r.graph.replay();
  return r.learned;
}

#else

std::string device_name(torch::Device) {
  return "";
}

struct StepGraph::Recording {};

StepGraph::StepGraph(std::function<Learned()> step, torch::Device) : step_(std::move(step)) {}

Learned StepGraph::run() {
  return step_();
}

#endif

StepGraph::~StepGraph() = default;

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

}}  // namespace logdepth::learned_core
