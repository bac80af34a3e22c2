#include "runtime/file/model_meaning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "objects/automaton.hpp"

namespace logdepth { inline namespace runtime_file {

std::array<Real, 2> phi_code(const Rational& x) {
  const Rational square = x * x + Rational(1);
  return {Real(x).divided_by_root(square), Real(1).divided_by_root(square)};
}

std::array<Rational, 2> circle(const Rational& t) {
  const Rational square = t * t;
  const Rational scale = (Rational(1) + square).inverse();
  return {(Rational(1) - square) * scale, Rational(2) * t * scale};
}

std::vector<Rational> circle_code(std::uint64_t position) {
  const auto point = circle(Rational(static_cast<std::int64_t>(position + 1)));
  return {point[0], point[1]};
}

std::vector<Rational> two_circle_code(std::uint64_t position) {
  const std::uint64_t t = position + 1;
  const int level = static_cast<int>(std::bit_width(t)) - 1;
  const auto within = circle(Rational(static_cast<std::int64_t>(t), std::int64_t{1} << level));
  const auto which = circle(Rational(level + 1));
  return {within[0], within[1], which[0], which[1]};
}

std::vector<Rational> fine_code(std::uint32_t b, std::uint64_t position) {
  const auto point = circle(Rational(static_cast<std::int64_t>(2 * position + b)));
  return {-point[0], point[1]};
}

std::vector<Rational> rational_code(PositionCode code, std::uint64_t position) {
  if (code.kind == PositionCode::Kind::two_circle) return two_circle_code(position);
  return code.kind == PositionCode::Kind::fine ? fine_code(code.parameter, position)
                                               : circle_code(position);
}

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

std::string prefix_text(const PrefixAnswer& answer) {
  if (const auto* images = std::get_if<std::vector<std::uint32_t>>(&answer))
    return format_transformation(*images);
  return std::to_string(std::get<std::uint32_t>(answer));
}

bool reads_prefixes(const Model& model) {
  const auto* output = std::get_if<AcceptOutput>(&model.output);
  return output && !std::holds_alternative<std::monostate>(output->prefix);
}

bool reads_states(const Model& model) {
  return reads_prefixes(model) &&
         std::holds_alternative<StateReadout>(std::get<AcceptOutput>(model.output).prefix);
}

std::string stated_depth(const Model& model) {
  const auto limit = largest_size(model);
  return depth_formula(model) + (limit ? fmt::format(", n <= {}", *limit) : "");
}

PrecisionFacts no_facts(const Model& model) {
  PrecisionFacts facts;
  for (const Layer& layer : model.layers)
    facts.layers.emplace_back().heads.resize(layer.attention.heads.size());
  return facts;
}

}}  // namespace logdepth::runtime_file
