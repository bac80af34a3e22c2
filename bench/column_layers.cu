// Prefix products of A5 on a GPU: CUB's scan with the product table as its operator, and the layers of
// column_layers.hpp, which check the contract of every row. Both in turn, medians of five; the arrays of
// prefixes are compared whole. Prints a JSON object; status 1 if a prefix differs.
//
//   column_layers_device > column_layers.json
#include <cuda_runtime.h>
#include <thrust/inner_product.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_scan.cuh>

#include "bench/column_layers.hpp"
#include "bench/column_words.hpp"

namespace {

using namespace logdepth::column_bench;

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

struct TableProduct {
  const Byte* table;
  std::size_t order;
  __device__ Byte operator()(Byte a, Byte b) const { return __ldg(table + a * order + b); }
};
struct Differs {
  constexpr std::size_t operator()(Byte a, Byte b) const { return a == b ? 0 : 1; }
};
struct Sum {
  constexpr std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
};

template <class Run>
double seconds(Run run) {
  require(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  run();
  require(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  require(cudaGetDeviceProperties(&properties, 0));
  const PermutationGroup<5> group(true);
  const thrust::device_vector<Byte> table(group.product.begin(), group.product.end());
  const TableProduct product{thrust::raw_pointer_cast(table.data()), group.order};
  bool all_right = true;
  std::printf("{\"device\": \"%s\", \"runs\": [", properties.name);
  for (const int log_n : {20, 24, 28}) {
    const std::size_t n = std::size_t{1} << log_n;
    thrust::device_vector<Byte> letters(n), expected(n), one(n), two(n);
    thrust::device_vector<Token> keys(n);
    thrust::sequence(keys.begin(), keys.end());
    thrust::tabulate(letters.begin(), letters.end(), SeededLetter{2026, group.order});
    void* temporary = nullptr;
    std::size_t bytes = 0;
    const auto scan = [&] {
      require(cub::DeviceScan::InclusiveScan(temporary, bytes, letters.begin(), expected.begin(),
                                             product, static_cast<std::int64_t>(n)));
    };
    scan();
    require(cudaMalloc(&temporary, bytes));
    ColumnLayers layers(group.product, group.order, 0);
    std::vector<double> of_cub, of_layers;
    std::size_t different = 0;
    for (int turn = 0; turn < 6; ++turn) {
      const double cub = seconds(scan);
      one = letters;
      const thrust::device_vector<Byte>* result = nullptr;
      const double layered = seconds([&] { result = &layers.run(one, two, keys); });
      different += thrust::inner_product(result->begin(), result->end(), expected.begin(),
                                         std::size_t{0}, Sum{}, Differs{});
      if (turn == 0) continue;  // warm-up
      of_cub.push_back(cub);
      of_layers.push_back(layered);
    }
    require(cudaFree(temporary));
    all_right = all_right && different == 0;
    std::printf(
        "%s\n  {\"letters\": %zu, \"cub_seconds\": %.6g, \"layers_seconds\": %.6g, \"ratio\": "
        "%.4g, "
        "\"layers\": %d, \"naming_passes\": %zu, \"different\": %zu}",
        log_n == 20 ? "" : ",", n, median(of_cub), median(of_layers),
        median(of_layers) / median(of_cub), log_n, layers.named(), different);
    std::fflush(stdout);
  }
  std::printf("\n], \"all_right\": %s}\n", all_right ? "true" : "false");
  return all_right ? 0 : 1;
}
