#include <algorithm>
#include <set>

#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// norm(x) = sqrt(m) x / |x| (layernorm: x minus its mean first), two cases.
// Lemma norm: if |x|^2 reduces by the laws of the atoms to a constant S > 0, it is S at every token of every input; with m/S
//   the square of a rational r, norm(x) = r x.
// Lemma direction: let x_c = r l_c with r > 0 and l_c linear in numbers v (p, counts, the stride, 1), and let the sum of all
//   l_c^2 be k (w1 v1^2 + w2 v2^2 + ...), without products, 1 among the v. All w > 0, so it is positive at every token, and
//   norm(x)_c = sqrt(m/k) l_c / sqrt(w1 v1^2 + ...). Sums that hold 1 = (p+1)/(p+1), 1/(p+1) and means C/(p+1) have r = 1/(p+1);
//   components of one direction have the r of that direction; numbers N and 1 have r = 1; W and 1 = (rest + 1)/(rest + 1) with
//   rest = p mod m have r = 1/(rest + 1). In place of 1, m >= 1 will do. The direction of (p, L) is a code of the own position.
// Lemma one_sign: if all x_c = r a_c l with one linear l, norm(x)_c = sqrt(m/sum a_c^2) a_c sign(l), also where l = 0.
// Lemma parity: let x_c = a_c (code of ceil(p/2) - code of floor(p/2)), in a component that rises with the position. Both are
//   one position where p is even, and the difference is positive where p is odd: norm(x)_c = sqrt(m/sum a_c^2) a_c [p odd].
// Lemma multiple: let x_c = a_c (K0 - D0), K0 = j/|(j, 1)| the code of the position j nearest to p/m, D0 = p/|(p, m)|. Both are
//   t/|(t, 1)| for t = j and p/m, which is injective: x is 0 iff j = p/m, iff m divides p. norm(x)_c = sqrt(m/sum a_c^2) a_c Y.

namespace recheck {
namespace {

/// The form is r times this; 1 is (whole + 1) r, or r itself if whole is kUnit.
Linear linear(const Frame& frame, const Form& form, int whole, const std::string& where) {
  Linear out;
  const Cell first = form.begin()->first.cell;
  bool direction = first.kind == 'D';
  for (const auto& [atom, value] : form) direction = direction && atom.cell == first;
  for (const auto& [atom, value] : form) {
    const char kind = atom.cell.kind;
    need(direction || atom == kOne || (whole == kUnit && kind == 'N') ||
             (whole == kRest && kind == 'W') || (whole == kPosition && Laws::mean(atom.cell)),
         [&] {
           return where +
                  ": a norm mixes 1/(p+1) with other numbers; expected a direction, found " +
                  shown(form);
         });
    if (direction) {
      const Weighted& numbers = frame.laws.directions[static_cast<std::size_t>(first.id)];
      out[numbers[static_cast<std::size_t>(atom.part)].first] += value;
    } else if (atom == kOne) {
      if (whole != kUnit) out[whole] += value;
      out[kUnit] += value;
    } else {
      out[kind == 'V' || kind == 'W' ? static_cast<int>(kUnit) : atom.cell.id] += value;
    }
  }
  std::erase_if(out, [](const auto& entry) { return entry.second == 0; });
  return out;
}

/// Lemma one_sign, where it applies.
std::optional<Stream> one_sign(Frame& frame, const std::map<int, Linear>& x,
                               const std::string& where) {
  const auto& [v, leading] = *x.begin()->second.begin();
  std::map<int, mpq_class> factors;
  mpq_class square;
  for (const auto& [c, form] : x) {
    if (form.begin()->first != v) return {};
    const mpq_class a = factors[c] = form.begin()->second;
    square += a * a;
    Linear wanted;
    for (const auto& [w, b] : x.begin()->second) wanted[w] = b * a / leading;
    if (form != wanted) return {};
  }
  const auto factor = rational_root(frame.weights.width / square);
  need(factor.has_value(), where + ": the norm is irrational");
  Weighted one;
  for (const auto& [w, b] : x.begin()->second) one.emplace_back(w, b / leading);
  auto& signs = frame.signs;
  const auto known = std::find(signs.begin(), signs.end(), one);
  const Cell cell{'Z', static_cast<int>(known - signs.begin()), 0, {}};
  if (known == signs.end()) signs.push_back(one);
  Stream z;
  for (const auto& [c, a] : factors) add(z[c], Atom{cell, 0}, a * *factor);
  return z;
}

Stream direction(Frame& frame, const Stream& x, const std::string& where) {
  int whole = kPosition;
  for (const auto& [c, form] : x)
    for (const auto& [atom, value] : form) {
      if (atom.cell.kind == 'N') whole = kUnit;
      if (atom.cell.kind == 'W' && whole != kUnit) whole = kRest;
    }
  std::map<int, Linear> forms;
  for (const auto& [c, form] : x) forms[c] = linear(frame, form, whole, where);
  if (auto z = one_sign(frame, forms, where)) return *z;
  std::map<std::pair<int, int>, mpq_class> squares;
  for (const auto& [c, form] : forms)
    for (const auto& [v, a] : form)
      for (const auto& [w, b] : form) squares[{v, w}] += a * b;
  Weighted weights;
  for (const auto& [pair, total] : squares) {
    need(pair.first == pair.second || total == 0, where + ": not a direction of separate numbers");
    if (pair.first == pair.second) weights.emplace_back(pair.first, total);
  }
  need((weights.back().first == kUnit || weights.back().first == kDivisor) && weights.size() > 1,
       where + ": a direction without a constant");
  const auto unit = std::find_if(weights.begin(), weights.end(), [&](const auto& entry) {
    return rational_root(frame.weights.width / entry.second).has_value();
  });
  need(unit != weights.end(), where + ": the direction is irrational");
  const mpq_class k = unit->second, factor = *rational_root(frame.weights.width / k);
  for (auto& [v, w] : weights) w /= k;
  Stream z;
  for (const auto& [c, form] : forms) z[c] = along(frame, weights, form, factor);
  return z;
}

Stream multiple(const Frame& frame, const Stream& x, const std::string& where) {
  const Weighted ratio = {{kPosition, 1}, {kDivisor, 1}};
  const auto& directions = frame.laws.directions;
  const auto known = std::find(directions.begin(), directions.end(), ratio);
  const Atom near{{'K', kNear, 0, {}}, 0},
      wanted{{'D', static_cast<int>(known - directions.begin()), 0, {}}, 0};
  mpq_class square;
  for (const auto& [c, form] : x) {
    const mpq_class a = form.contains(near) ? form.at(near) : mpq_class(0);
    need(frame.code == "phi" && frame.parameter == 1 && known != directions.end() &&
             form == Form{{wanted, -a}, {near, a}},
         where + ": not the difference of the codes of p/m and of the position nearest to it");
    square += a * a;
  }
  const auto factor = rational_root(frame.weights.width / square);
  need(factor.has_value(), where + ": the norm is irrational");
  Stream z;
  for (const auto& [c, form] : x) add(z[c], own('Y'), *factor * form.at(near));
  return z;
}

Stream parity(const Frame& frame, const Stream& x, const std::string& where) {
  const Atom high{{'H', 1, 2, {}}, 0}, low{{'H', 0, 2, {}}, 0};
  mpq_class square;
  for (const auto& [c, form] : x) {
    const mpq_class a = form.contains(high) ? form.at(high) : mpq_class(0);
    need(frame.code == "phi" && form == Form{{low, -a}, {high, a}},
         where + ": not the difference of the codes of p/2, rounded up and down");
    square += a * a;
  }
  const auto factor = rational_root(frame.weights.width / square);
  need(factor.has_value(), where + ": the norm is irrational");
  Stream z;
  for (const auto& [c, form] : x) {  // [p odd] = (1 - P)/2
    add(z[c], kOne, *factor * form.at(high) / 2);
    add(z[c], own('P'), -*factor * form.at(high) / 2);
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

Form along(Frame& frame, const Weighted& weights, const Linear& form, const mpq_class& factor) {
  Form out;
  if (weights.size() == 2 && weights[0] == std::pair<int, mpq_class>(kPosition, 1) &&
      weights[1].first == kUnit) {
    const auto length = rational_root(weights[1].second);
    if (length && (frame.code.empty() || (frame.code == "phi" && frame.parameter == *length))) {
      frame.set_code("phi", *length);
      for (const auto& [v, a] : form)
        add(out, own('K', v == kUnit ? 1 : 0), a * factor / (v == kUnit ? *length : mpq_class(1)));
      return out;
    }
  }
  auto& directions = frame.laws.directions;
  const auto known = std::find(directions.begin(), directions.end(), weights);
  const Cell cell{'D', static_cast<int>(known - directions.begin()), 0, {}};
  if (known == directions.end()) directions.push_back(weights);
  for (const auto& [v, a] : form) {
    int part = 0;
    while (weights[static_cast<std::size_t>(part)].first != v) ++part;
    add(out, Atom{cell, part}, a * factor);
  }
  return out;
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
  frame.norm = "zero";
  if (x.empty()) return x;  // norm(0) = 0
  if (frame.by_rays) return normalised_by_rays(frame, std::move(x), where);
  std::set<Cell> cells;
  for (const auto& [c, form] : x)
    for (const auto& [atom, value] : form)
      if (atom != kOne) cells.insert(atom.cell);
  if (std::any_of(cells.begin(), cells.end(),
                  [](const Cell& c) { return Laws::mean(c) || c.kind == 'N' || c.kind == 'W'; }))
    return direction(frame, x, where);
  if (std::any_of(cells.begin(), cells.end(), [](const Cell& c) { return c.kind == 'H'; }))
    return parity(frame, x, where);
  Form square;
  std::map<std::pair<Atom, Atom>, mpq_class> cross;
  for (const auto& [c, form] : x) frame.laws.add_square(form, square, cross);
  frame.laws.simplify(square);
  if (!cross.empty() && cells.size() == 1 && cells.begin()->kind == 'D')
    return direction(frame, x, where);
  if (!cross.empty() && cells.contains(Cell{'K', kNear, 0, {}})) return multiple(frame, x, where);
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
