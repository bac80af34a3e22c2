#include "runtime/file/unrolling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace logdepth::inline runtime_file {

std::uint64_t ceil_log2(std::uint64_t n) {
  return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

std::uint64_t ceil_log(std::uint64_t base, std::uint64_t n) {
  std::uint64_t loops = 0;
  // 1 reaches n once n is 1; dividing instead of multiplying cannot overflow.
  for (; n > 1; n = n / base + (n % base != 0)) ++loops;
  return loops;
}

std::uint64_t loops_at(const Unroll& unroll, std::uint64_t n) {
  if (unroll.kind == Unroll::Kind::fixed) return unroll.loops;
  return n <= unroll.minus ? 0 : ceil_log(unroll.base, n - unroll.minus);
}

std::uint64_t counted_size(const Model& model, std::uint64_t n) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  return graph && graph->size ? *graph->size : n;
}

std::optional<std::uint64_t> largest_size(const Model& model) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  if (!graph || !graph->size) return model.unroll.max_length;
  return std::min<std::uint64_t>(*graph->size, model.unroll.max_length.value_or(*graph->size));
}

std::string loops_formula(const Unroll& unroll) {
  if (unroll.kind == Unroll::Kind::fixed) return std::to_string(unroll.loops);
  const std::string n = unroll.minus == 0 ? " n" : fmt::format("(n-{})", unroll.minus);
  return "ceil(log" + (unroll.base == 2 ? "2" : fmt::format("_{}", unroll.base)) + n + ")";
}

std::uint64_t depth_at(const Model& model, std::uint64_t n) {
  return model.shape.initial +
         model.shape.repeated * loops_at(model.unroll, counted_size(model, n)) + model.shape.final;
}

std::string depth_formula(const Model& model) {
  const std::uint64_t constant = model.shape.initial + model.shape.final;
  if (model.unroll.kind == Unroll::Kind::fixed || model.shape.repeated == 0)
    return std::to_string(depth_at(model, 0));
  std::string loops = loops_formula(model.unroll);
  if (model.shape.repeated != 1) loops = fmt::format("{} {}", model.shape.repeated, loops);
  return constant == 0 ? loops : fmt::format("{} + {}", loops, constant);
}

}  // namespace logdepth::inline runtime_file
