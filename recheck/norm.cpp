#include <algorithm>

#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// norm(x) = sqrt(m) x / |x| (layernorm: x minus its mean first), two cases.
// Lemma norm: if |x|^2 reduces by the laws of the atoms to a constant S > 0, it is S at every token of every input; with m/S
//   the square of a rational r, norm(x) = r x.
// Lemma direction: if x_c = (a_c p + b_c)/(p+1) with sum a_c b_c = 0 and A = sum a_c^2 > 0, B = sum b_c^2 > 0, then |x|^2 =
//   A (p^2 + L^2)/(p+1)^2 with L^2 = B/A, so norm(x)_c = sqrt(m/A) (a_c K0 + b_c/L K1), where (K0, K1) is the unit vector in
//   the direction of (p, L), a code of the own position.
// Lemma counts: likewise, if every x_c is a multiple of one C_i/(p+1) or of 1/(p+1), with the same sum of squares A > 0 for every
//   count and B > 0: norm(x) is sqrt(m/A) times the components of the unit vector D in the direction of (C_1, ..., C_k, L).

namespace recheck {
namespace {

mpq_class coefficient(const Form& form, const Atom& atom) {
  const auto found = form.find(atom);
  return found == form.end() ? mpq_class(0) : found->second;
}

Stream direction(Frame& frame, const Stream& x, const std::string& where) {
  mpq_class aa, ab, bb;
  const auto coefficients = [](const Form& form) {
    const mpq_class a = constant_of(form);
    return std::pair<mpq_class, mpq_class>(a, a + coefficient(form, own('V')));
  };
  for (const auto& [c, form] : x) {
    for (const auto& [atom, value] : form)
      need(atom == kOne || atom == own('V'),
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

Stream count_direction(Frame& frame, const Stream& x, const std::string& where) {
  std::map<Atom, mpq_class> squares;
  for (const auto& [c, form] : x) {
    const auto& [atom, value] = *form.begin();
    need(form.size() == 1 && Laws::mean(atom.cell),
         where + ": a norm mixes counts with other numbers; expected a direction, found " +
             shown(form));
    squares[atom] += value * value;
  }
  const mpq_class aa = squares.begin()->second, bb = squares[own('V')];  // M comes before V
  std::vector<int> counters;
  for (const auto& [atom, square] : squares) {
    need(atom == own('V') || square == aa, where + ": counts of different weight in one norm");
    if (atom != own('V')) counters.push_back(atom.cell.id);
  }
  need(aa > 0 && bb > 0, where + ": not a direction of counts");
  const auto length = rational_root(bb / aa), factor = rational_root(frame.weights.width / aa);
  need(length && factor, where + ": the direction of the counts is irrational");
  const std::pair<std::vector<int>, mpq_class> wanted = {counters, *length};
  const auto known = std::find(frame.directions.begin(), frame.directions.end(), wanted);
  const int size = static_cast<int>(counters.size()) + 1;
  const Cell cell{'D', static_cast<int>(known - frame.directions.begin()), size, {}};
  if (known == frame.directions.end()) frame.directions.push_back(wanted);
  Stream z;
  for (const auto& [c, form] : x) {
    const auto& [atom, value] = *form.begin();
    const bool last = atom == own('V');
    const auto part = std::find(counters.begin(), counters.end(), atom.cell.id) - counters.begin();
    add(z[c], Atom{cell, last ? size - 1 : static_cast<int>(part)},
        value * *factor / (last ? *length : mpq_class(1)));
  }
  return z;
}

}  // namespace

void Frame::set_code(const std::string& kind, const mpq_class& with) {
  need(code.empty() || (code == kind && parameter == with),
       "two position codes: " + code + " and " + kind);
  code = kind;
  parameter = with;
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
  bool position = false;
  for (const auto& [c, form] : x)
    for (const auto& [atom, value] : form) {
      if (atom.cell.kind == 'M') return count_direction(frame, x, where);
      position = position || atom.cell.kind == 'V';
    }
  if (position) return direction(frame, x, where);
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
