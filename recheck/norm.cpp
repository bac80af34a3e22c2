#include <set>

#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// norm(x) = sqrt(m) x / |x| (layernorm: x minus its mean first), two cases.
// Lemma norm: if |x|^2 reduces by the laws of the atoms to a constant S > 0, it is S at every token of every input; with m/S
//   the square of a rational r, norm(x) = r x.
// Lemma direction: if x_c = (a_c p + b_c)/(p+1) with sum a_c b_c = 0 and A = sum a_c^2 > 0, B = sum b_c^2 > 0, then |x|^2 =
//   A (p^2 + L^2)/(p+1)^2 with L^2 = B/A, so norm(x)_c = sqrt(m/A) (a_c K0 + b_c/L K1), where (K0, K1) is the unit vector in
//   the direction of (p, L), a code of the own position.

namespace recheck {
namespace {

Stream direction(Frame& frame, const Stream& x, const std::string& where) {
  const Atom inverse = own('V');
  mpq_class aa, ab, bb;
  const auto coefficients = [&](const Form& form) {
    const mpq_class a = constant_of(form);
    const auto v = form.find(inverse);
    return std::pair<mpq_class, mpq_class>(a, v == form.end() ? a : mpq_class(a + v->second));
  };
  for (const auto& [c, form] : x) {
    for (const auto& [atom, value] : form)
      need(atom == kOne || atom == inverse,
           where + ": a norm mixes 1/(p+1) with other numbers; expected a direction, found " +
               shown(form));
    const auto [a, b] = coefficients(form);
    aa += a * a;
    ab += a * b;
    bb += b * b;
  }
  need(ab == 0 && aa > 0 && bb > 0, where + ": not a direction of the own position");
  const auto length = rational_root(bb / aa), factor = rational_root(frame.weights.width / aa);
  need(length && factor, where + ": the direction of the position is irrational");
  frame.set_code("phi", *length);
  Stream z;
  for (const auto& [c, form] : x) {
    const auto [a, b] = coefficients(form);
    add(z[c], own('K', 0), *factor * a);
    add(z[c], own('K', 1), *factor * b / *length);
  }
  return z;
}

}  // namespace

void Frame::set_code(const std::string& kind, const mpq_class& parameter) {
  need(code.empty() || (code == kind && phi == parameter),
       "two position codes: " + code + " and " + kind);
  code = kind;
  phi = parameter;
}

Stream normalised(Frame& frame, const Row& mask, const Stream& h, const std::string& where) {
  Stream x;
  Form mean;
  const int width = frame.weights.width;
  for (const auto& [c, factor] : mask) {
    add(x[c], at(h, c), factor);
    add(mean, x[c], mpq_class(-1, width));
  }
  frame.laws.simplify(mean);
  if (frame.weights.layernorm && !mean.empty())
    for (int c = 0; c < width; ++c) add(x[c], mean);
  for (auto& [c, form] : x) frame.laws.simplify(form);
  std::erase_if(x, [](const auto& entry) { return entry.second.empty(); });
  if (x.empty()) return x;  // norm(0) = 0
  for (const auto& [c, form] : x)
    for (const auto& [atom, value] : form)
      if (atom.cell.kind == 'V') return direction(frame, x, where);
  Form square;
  std::map<std::pair<Atom, Atom>, mpq_class> cross;
  for (const auto& [c, form] : x) frame.laws.add_square(form, square, cross);
  frame.laws.simplify(square);
  need(cross.empty() && is_constant(square), [&] {
    return where + ": the norm is not the same at every token; squared, it is " + shown(square) +
           (cross.empty() ? "" : " + products of atoms");
  });
  const auto factor =
      square.empty() ? std::nullopt : rational_root(frame.weights.width / square.begin()->second);
  need(factor.has_value(), [&] {
    return where + ": the norm is irrational; expected a square, found " + std::to_string(width) +
           "/(" + shown(square) + ")";
  });
  for (auto& [c, form] : x)
    for (auto& [atom, value] : form) value *= *factor;
  return x;
}

Stream apply(const Frame& frame, const Matrix& matrix, const Stream& z) {
  Stream out;
  for (const auto& [r, row] : matrix.at) {
    Form form = combine(row, z);
    frame.laws.simplify(form);
    if (!form.empty()) out.emplace(r, std::move(form));
  }
  return out;
}

}  // namespace recheck
