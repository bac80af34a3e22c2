#include "recheck/sublayers.hpp"

// Lemma ray: relu(-x) = relu(x) - x, and relu(s x) = s relu(x) for s > 0. So all units whose forms are multiples of one form x
//   are a linear map of x and a multiple of relu(x) together.
// Lemma sign: relu(x) = x where no value of x is negative, and 0 where none is positive.

namespace recheck {

Added feed_forward(const Frame& frame, const Layer& layer, const Stream& z) {
  Added added;
  const Stream units = apply(frame, layer.in, z);
  std::map<int, std::vector<std::pair<int, const mpq_class*>>>
      columns;  // unit that is not zero, to what it is added to
  for (const auto& [c, row] : layer.out.at)
    for (const auto& [unit, value] : row)
      if (units.contains(unit)) columns[unit].emplace_back(c, &value);
  std::map<Form, std::pair<Row, Row>>
      rays;  // form of leading coefficient 1, with the factors of x and of relu(x)
  for (const auto& [unit, to] : columns) {
    const Form& form = units.at(unit);
    const mpq_class leading = form.begin()->second, scale = abs(leading);
    Form ray;
    add(ray, form, 1 / leading);
    auto& [linear, relu] = rays[ray];
    for (const auto& [c, value] : to) {
      relu[c] += *value * scale;
      if (leading < 0) linear[c] -= *value * scale;
    }
  }
  for (auto& [form, factors] : rays) {
    auto& [linear, relu] = factors;
    const auto range = frame.laws.bounds(form);
    const mpq_class &low = range.first, &high = range.second;
    if (low >= 0)
      for (const auto& [c, value] : relu) linear[c] += value;
    for (const auto& [c, value] : linear) add(added.to[c], form, value);
    std::erase_if(relu,
                  [&](const auto& entry) { return low >= 0 || high <= 0 || entry.second == 0; });
    if (!relu.empty()) added.left.emplace_back(form, relu);
  }
  return added;
}

void add(const Frame& frame, const Added& added, Stream& h) {
  for (const auto& [c, form] : added.to) add(h[c], form);
  for (auto& [c, form] : h) frame.laws.simplify(form);
}

Undecided add_feed_forward(Frame& frame, const Layer& layer, Stream& h, const std::string& where) {
  if (layer.in.rows == 0) return {};
  Added added = feed_forward(frame, layer, normalised(frame, layer.feedforward_mask, h, where));
  add(frame, added, h);
  return std::move(added.left);
}

}  // namespace recheck
