#include <algorithm>

#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// Norms of the theorem of selections, in three cases. m is the width, and a ray is a form up to a factor that is not zero.
// Lemma sign_of_a_form: if all x_c = a_c u for one form u, norm(x)_c = sqrt(m/sum a_c^2) a_c sign(u), also where u = 0.
// Lemma norm (norm.cpp): if |x|^2 reduces to a constant S > 0, norm(x) = sqrt(m/S) x.
// Lemma rays: let x_c = a_c u_r(c) for forms u_1, u_2, ... one of which is zero at no token, and let w_r be the sum of the a_c^2
//   with r(c) = r. Then |x|^2 = w_1 u_1^2 + w_2 u_2^2 + ... > 0, and norm(x)_c = sqrt(m/k) a_c u_r(c)/sqrt((w_1/k) u_1^2 + ...) for
//   every k > 0. (p+1) u in place of every u changes nothing: (p+1) V = 1, and (p+1) (1 - V) = p.

namespace recheck {
namespace {

/// The number of a direction whose multiple by 1/(p+1) is this form of leading coefficient 1.
int number_of(Frame& frame, const Form& ray, const std::string& where) {
  if (ray == Form{{own('V', 0), 1}}) return kUnit;
  if (ray == Form{{kOne, 1}, {own('V', 0), -1}}) return kPosition;
  for (const auto& [atom, value] : ray)  // whose meaning a pass of the loop may change
    need(atom.cell.kind != 'K' || atom.cell.id == 0,
         where + ": a direction of the code of another position");
  const auto known = std::find(frame.numbers.begin(), frame.numbers.end(), ray);
  const auto number = static_cast<int>(known - frame.numbers.begin());
  if (known == frame.numbers.end()) frame.numbers.push_back(ray);
  return number;
}

mpq_class root_of_width_over(const Frame& frame, const mpq_class& square,
                             const std::string& where) {
  const auto factor = rational_root(frame.weights.width / square);
  need(factor.has_value(), where + ": the norm is irrational");
  return *factor;
}

}  // namespace

Stream normalised_by_rays(Frame& frame, Stream x, const std::string& where) {
  std::map<Form, mpq_class> rays;  // with the sum of the squares of the factors
  std::map<int, std::pair<Form, mpq_class>> by_ray;
  Form square;
  std::map<std::pair<Atom, Atom>, mpq_class> cross;
  for (const auto& [c, form] : x) {
    const mpq_class leading = form.begin()->second;
    Form ray;
    add(ray, form, 1 / leading);
    rays[ray] += leading * leading;
    by_ray[c] = {ray, leading};
    frame.laws.add_square(form, square, cross);
  }
  Stream z;
  if (rays.size() == 1 && !is_constant(rays.begin()->first)) {
    frame.norm = "sign of a number";
    const auto& [ray, sum] = *rays.begin();
    const mpq_class factor = root_of_width_over(frame, sum, where);
    const auto known = std::find(frame.sign_forms.begin(), frame.sign_forms.end(), ray);
    const Cell sign{'Q', static_cast<int>(known - frame.sign_forms.begin()), 0, {}};
    if (known == frame.sign_forms.end()) frame.sign_forms.push_back(ray);
    for (const auto& [c, entry] : by_ray) add(z[c], Atom{sign, 0}, entry.second * factor);
    return z;
  }
  if (cross.empty() && is_constant(square)) {
    frame.norm = "squared norm " + constant_of(square).get_str();
    const mpq_class factor = root_of_width_over(frame, constant_of(square), where);
    for (const auto& [c, form] : x) add(z[c], form, factor);
    return z;
  }
  frame.norm = "direction of " + std::to_string(rays.size()) + " numbers";
  need(std::any_of(rays.begin(), rays.end(),
                   [&](const auto& entry) {
                     Form negative;
                     add(negative, entry.first, -1);
                     return frame.laws.positive(entry.first) || frame.laws.positive(negative);
                   }),
       where + ": a direction that may be of zeros; expected a number that is never 0");
  Linear sums;
  for (const auto& [ray, sum] : rays) sums[number_of(frame, ray, where)] = sum;
  Weighted weights(sums.begin(), sums.end());
  const auto unit = std::find_if(weights.begin(), weights.end(), [&](const auto& entry) {
    return rational_root(frame.weights.width / entry.second).has_value();
  });
  const mpq_class k = unit == weights.end() ? weights.front().second : unit->second;
  const mpq_class factor = root_of_width_over(frame, k, where);
  for (auto& [v, w] : weights) w /= k;
  for (const auto& [c, entry] : by_ray)
    z[c] = along(frame, weights, {{number_of(frame, entry.first, where), entry.second}}, factor);
  return z;
}

}  // namespace recheck
