#include "runtime/unrolling.hpp"

#include <bit>

namespace logdepth {

std::uint64_t ceil_log2(std::uint64_t n) {
  return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

std::uint64_t loops_at(const Unroll& unroll, std::uint64_t n) {
  if (unroll.kind == Unroll::Kind::fixed) return unroll.loops;
  return n <= unroll.minus ? 0 : ceil_log2(n - unroll.minus);
}

std::uint64_t depth_at(const Model& model, std::uint64_t n) {
  return model.shape.initial + model.shape.repeated * loops_at(model.unroll, n) + model.shape.final;
}

std::string depth_formula(const Model& model) {
  const std::uint64_t constant = model.shape.initial + model.shape.final;
  if (model.unroll.kind == Unroll::Kind::fixed || model.shape.repeated == 0)
    return std::to_string(depth_at(model, 0));
  std::string loops = model.unroll.minus == 0
                          ? "ceil(log2 n)"
                          : "ceil(log2(n-" + std::to_string(model.unroll.minus) + "))";
  if (model.shape.repeated != 1) loops = std::to_string(model.shape.repeated) + " " + loops;
  return constant == 0 ? loops : loops + " + " + std::to_string(constant);
}

}  // namespace logdepth
