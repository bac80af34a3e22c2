#include "recheck/sublayers.hpp"

#include <algorithm>

#include "recheck/refusal.hpp"

// E(token) + position code, as forms. <begin> is kind 0 and stands at position 0 and nowhere else, so the first flag is T0.

// norm(x) = sqrt(m) x / |x| (layernorm: x minus its mean first).
// Lemma norm: if |x|^2 reduces by the laws of the atoms to a constant S > 0 [checked by add_square, is_constant, square], it is S
//   at every token of every input; with m/S the square of a rational r [checked by rational_root], norm(x) = r x.
// Lemma direction: let x_c = r l_c with one r > 0 for all c [checked by of, linear] and l_c linear in numbers v (p, counts, the
//   stride, 1) of the own token [checked by version], and let the sum of all l_c^2 be k (w1 v1^2 + w2 v2^2 + ...), without products
//   [checked by squares], 1 among the v [checked by kUnit, kDivisor]. All w > 0, so it is positive at every token, and
//   norm(x)_c = sqrt(m/k) l_c / sqrt(w1 v1^2 + ...). If all x_c are components of one direction, of the own token, r is the r of
//   that direction. Else none of them is one: sums that hold 1 = (p+1)/(p+1), 1/(p+1) and means C/(p+1) have r = 1/(p+1); numbers N
//   and 1 have r = 1; W and 1 = (rest + 1)/(rest + 1) with rest = p mod m have r = 1/(rest + 1) [checked by whole]. In place of 1,
//   m >= 1 will do. The direction of (p, L) is a code of the own position [checked by along].
// Lemma one_sign: if all x_c = r a_c l with one linear l [checked by wanted, of, linear], norm(x)_c = sqrt(m/sum a_c^2) a_c
//   sign(l), also where l = 0.
// Lemma parity: let x_c = a_c (code of ceil(p/2) - code of floor(p/2)) [checked by parity, sign_of_difference], in a component that rises with the
//   position [checked by code]. Both are one position where p is even, and the difference is positive where p is odd: norm(x)_c =
//   sqrt(m/sum a_c^2) a_c [p odd].
// Lemma multiple: let x_c = a_c (K0 - D0), K0 = j/|(j, 1)| the code of the position j nearest to p/m, D0 = p/|(p, m)| [checked by
//   wanted, near, parameter, sign_of_difference]. Both are t/|(t, 1)| for t = j and p/m, which is injective: x is 0 iff j = p/m, iff m divides p.
//   norm(x)_c = sqrt(m/sum a_c^2) a_c Y.

// Norms of the theorem of selections, in three cases. m is the width, and a ray is a form up to a factor that is not zero.
// Lemma sign_of_a_form: if all x_c = a_c u for one form u [checked by rays], norm(x)_c = sqrt(m/sum a_c^2) a_c sign(u), also where
//   u = 0.
// Lemma norm (above): if |x|^2 reduces to a constant S > 0 [checked by add_square, is_constant], norm(x) = sqrt(m/S) x.
// Lemma rays: let x_c = a_c u_r(c) for forms u_1, u_2, ... [checked by by_ray] one of which is zero at no token [checked by
//   positive], and let w_r be the sum of the a_c^2 with r(c) = r. Then |x|^2 = w_1 u_1^2 + w_2 u_2^2 + ... > 0, and norm(x)_c =
//   sqrt(m/k) a_c u_r(c)/sqrt((w_1/k) u_1^2 + ...) for every k > 0. (p+1) u in place of every u changes nothing: (p+1) V = 1, and
//   (p+1) (1 - V) = p [checked by number_of].

// A head at token p. What is added is a constant or a value read at one position [checked by own_only].
// Lemma code_match: with unit vectors u, v: c u.v <= c, with equality iff u = v; the code of a position determines it. So a sum of
//   c_i (pair i of the code of q).(pair i of the code of j) [checked by pointer, diagonal], all c_i > 0 [checked by matched], is
//   largest for j = q alone; q = max(p-b, 0) <= p is visible, b >= 0 [checked by to_shift in shift_scan.cpp, fill].
// Lemma phi_back: for the direction of (p, L) the query (x0 - k/L x1, x1) of position q is a positive multiple of (q - k, L); for
//   an integer k >= 0 [checked by back] the largest score is that of position max(q - k, 0) alone
//   (compiler/lemmas/head_schema.cpp).
// Lemma behind: for the direction of (p, s, 1) the query (A p + B s + C, E) with A L = E > 0 [checked by good] is a positive
//   multiple of (p - b s - c, L), b = -B L/E, c = -C L/E; with counts b and b s + c >= 0 [checked by behind] it selects position
//   max(p - b s - c, 0) likewise.
// Lemma mean_first: the indicator of position 0, averaged over positions 0 .. p [checked by causal], is 1/(p+1) [checked by mean].

// Lemma ray: relu(-x) = relu(x) - x, and relu(s x) = s relu(x) for s > 0. So all units whose forms are multiples of one form x
//   [checked by rays] are a linear map of x and a multiple of relu(x) together.
// Lemma sign: relu(x) = x where no value of x is negative, and 0 where none is positive [checked by bounds, low, high].

namespace recheck {

Stream embedded(Frame& frame, const Atom& first) {
  const Weights& weights = frame.weights;
  const Json& position = weights.position;
  Stream h;
  for (int kind = 0; kind < static_cast<int>(weights.kinds.size()); ++kind)
    for (const auto& [c, value] : weights.embedding[static_cast<std::size_t>(kind)])
      add(h[c], own('T', kind), value);
  const std::string& code = position.at("kind").string();
  if (code == "first-flag") {
    for (const auto& [c, value] : to_row(position.at("rest"), weights.width)) {
      add(h[c], kOne, value);
      add(h[c], first, -value);
    }
    for (const auto& [c, value] : to_row(position.at("first"), weights.width))
      add(h[c], first, value);
  } else {
    need(code == "circle" || code == "two-circle" || code == "fine", "position: " + code);
    frame.set_code(code,
                   code == "fine" ? exact(position.at("offset").integer(1, 1 << 30)) : mpz_class());
    if (position.has("parity"))
      for (const auto& [c, value] : to_row(position.at("parity"), weights.width))
        add(h[c], own('P'), value);
    for (const Json& fill : position.at("fills").array()) {
      const auto& at = fill.at("at").array();
      for (int i = 0; i < static_cast<int>(at.size()); ++i) {
        const int c =
            static_cast<int>(at[static_cast<std::size_t>(i)].integer(0, weights.width - 1));
        add(h[c], Atom{{'K', 0, 0, {0, fill.at("back").integer(0, 1 << 30)}}, i},
            fill.at("scale").rational());
      }
    }
  }
  for (auto& [c, form] : h) frame.laws.simplify(form);
  return h;
}

namespace {

/// The form is r times this, r that of the direction `of` if there is one; else 1 is (whole + 1) r, or r itself if whole is kUnit.
Linear linear(const Frame& frame, const Form& form, const std::optional<Cell>& of, int whole,
              const std::string& where) {
  Linear out;
  for (const auto& [atom, value] : form) {
    const char kind = atom.cell.kind;
    need(of || atom == kOne || (whole == kUnit && kind == 'N') || (whole == kRest && kind == 'W') ||
             (whole == kPosition && Laws::mean(atom.cell)),
         [&] {
           return where +
                  ": a norm mixes 1/(p+1) with other numbers; expected a direction, found " +
                  shown(form);
         });
    if (of) {
      const Weighted& numbers = frame.laws.directions[static_cast<std::size_t>(of->id)];
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

mpq_class root_of_width_over(const Frame& frame, const mpq_class& square,
                             const std::string& where) {
  const auto factor = rational_root(frame.weights.width / square);
  need(factor.has_value(), where + ": the norm is irrational");
  return *factor;
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
  const mpq_class factor = root_of_width_over(frame, square, where);
  Weighted one;
  for (const auto& [w, b] : x.begin()->second) one.emplace_back(w, b / leading);
  const Cell cell{'Z', number_in(frame.signs, one), 0, {}};
  Stream z;
  for (const auto& [c, a] : factors) add(z[c], Atom{cell, 0}, a * factor);
  return z;
}

Stream direction(Frame& frame, const Stream& x, const std::string& where) {
  int whole = kPosition;
  std::set<Cell> cells;
  for (const auto& [c, form] : x)
    for (const auto& [atom, value] : form) {
      if (atom.cell.kind == 'N') whole = kUnit;
      if (atom.cell.kind == 'W' && whole != kUnit) whole = kRest;
      cells.insert(atom.cell);
    }
  std::optional<Cell> of;  // the one direction of which all x_c are components
  if (cells.size() == 1 && cells.begin()->kind == 'D') of = *cells.begin();
  need(!of || of->version == 0, where + ": a norm of a direction of another token");
  std::map<int, Linear> forms;
  for (const auto& [c, form] : x) forms[c] = linear(frame, form, of, whole, where);
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

/// The norm of multiples of high - low, where `possible`: `sign` times the factor of each.
Stream sign_of_difference(const Frame& frame, const Stream& x, const Atom& high, const Atom& low,
                          bool possible, const Form& sign, const std::string& where,
                          const std::string& refusal) {
  mpq_class square;
  for (const auto& [c, form] : x) {
    const mpq_class a = value_in(form, high);
    need(possible && form == Form{{low, -a}, {high, a}}, where + refusal);
    square += a * a;
  }
  const mpq_class factor = root_of_width_over(frame, square, where);
  Stream z;
  for (const auto& [c, form] : x) add(z[c], sign, factor * form.at(high));
  return z;
}

Stream multiple(const Frame& frame, const Stream& x, const std::string& where) {
  const Weighted ratio = {{kPosition, 1}, {kDivisor, 1}};
  const auto& directions = frame.laws.directions;
  const auto known = std::find(directions.begin(), directions.end(), ratio);
  const Atom near{{'K', kNear, 0, {}}, 0},
      wanted{{'D', static_cast<int>(known - directions.begin()), 0, {}}, 0};
  return sign_of_difference(
      frame, x, near, wanted,
      frame.code == "phi" && frame.parameter == 1 && known != directions.end(), {{own('Y'), 1}},
      where, ": not the difference of the codes of p/m and of the position nearest to it");
}

Stream parity(const Frame& frame, const Stream& x, const std::string& where) {
  const Atom high{{'H', 1, 2, {}}, 0}, low{{'H', 0, 2, {}}, 0};
  const mpq_class half(1, 2);  // [p odd] = (1 - P)/2
  return sign_of_difference(frame, x, high, low, frame.code == "phi",
                            {{kOne, half}, {own('P'), -half}}, where,
                            ": not the difference of the codes of p/2, rounded up and down");
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
  const Cell cell{'D', number_in(frame.laws.directions, weights), 0, {}};
  for (const auto& [v, a] : form) {
    int part = 0;
    while (weights[static_cast<std::size_t>(part)].first != v) ++part;
    add(out, Atom{cell, part}, a * factor);
  }
  return out;
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

namespace {

/// The number of a direction whose multiple by 1/(p+1) is this form of leading coefficient 1.
int number_of(Frame& frame, const Form& ray, const std::string& where) {
  if (ray == Form{{own('V', 0), 1}}) return kUnit;
  if (ray == Form{{kOne, 1}, {own('V', 0), -1}}) return kPosition;
  for (const auto& [atom, value] : ray)  // whose meaning a pass of the loop may change
    need(atom.cell.kind != 'K' || atom.cell.id == 0,
         where + ": a direction of the code of another position");
  return number_in(frame.numbers, ray);
}

/// norm(x), not zero, for tokens of which less is known.
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
    const Cell sign{'Q', number_in(frame.sign_forms, ray), 0, {}};
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

}  // namespace

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

namespace {

Form moved(const Form& form, Shift b, const std::string& where) {
  Form out;
  for (const auto& [unmoved, value] : form) {
    Atom atom = unmoved;
    if (atom != kOne && b != Shift{}) {
      need(!Laws::own_only(atom.cell), where + ": reads 1/(p+1) of another token");
      atom.cell.at = plus(atom.cell.at, b);
    }
    add(out, atom, value);
  }
  return out;
}

/// The shift for a query in the numbers of a direction: entry of (number, component of the code).
Shift behind(const Frame& frame, const std::map<std::pair<int, int>, mpq_class>& entry,
             const std::string& where) {
  const auto at = [&](int number, int part) { return value_in(entry, {number, part}); };
  const mpq_class e = at(kUnit, 1);
  bool good = frame.code == "phi" && e > 0 && at(kPosition, 0) * frame.parameter == e;
  for (const auto& [place, value] : entry)
    good = good && (place == std::pair<int, int>(kUnit, 1) ||
                    (place.second == 0 &&
                     (place.first == kPosition || place.first == kStride || place.first == kUnit)));
  need(good, where + ": the query is not the direction of a position before the own one");
  const mpq_class b = -at(kStride, 0) * frame.parameter / e,
                  c = -at(kUnit, 0) * frame.parameter / e;
  need(b.get_den() == 1 && c.get_den() == 1 && b >= 0 && b < (1 << 30) && b + c >= 0 &&
           c < (1 << 30),
       where + ": moves back by " + shown(b) + " s + " + shown(c) + "; expected counts");
  return {b.get_num().get_si(), c.get_num().get_si()};
}

}  // namespace

Bilinear whole_score(const Stream& query, const Stream& key) {
  Bilinear out;
  for (const auto& [r, keys] : key)
    if (const auto queries = query.find(r); queries != query.end())
      for (const auto& [atom, value] : keys) add(out[atom], queries->second, value);
  std::erase_if(out, [](const auto& entry) { return entry.second.empty(); });
  return out;
}

Bilinear score(const Frame& frame, const Stream& query, const Stream& key) {
  Bilinear by_key = whole_score(query, key), by_query, out;
  for (auto& [key_atom, queries] : by_key) {
    frame.laws.simplify(queries);
    for (const auto& [query_atom, value] : queries) add(by_query[query_atom], key_atom, value);
  }
  for (auto& [query_atom, keys] : by_query) {
    frame.laws.simplify(keys);
    for (const auto& [key_atom, value] : keys)
      if (key_atom != kOne) add(out[key_atom], query_atom, value);
  }
  return out;
}

Shift matched(const Frame& frame, const Bilinear& score, const std::string& where) {
  std::map<std::pair<int, int>, mpq_class> entry;
  const Cell code = own('K').cell;
  const Cell pointer = score.begin()->second.begin()->first.cell;
  for (const auto& [key_atom, asked] : score) {
    const Atom& key = key_atom;
    const Form& queries = asked;
    need(key.cell == code, [&] {
      return where + ": keys are not the own position code; found " + shown(Form{{key, 1}});
    });
    for (const auto& [query, value] : queries) {
      need(query.cell == pointer && (pointer.kind == 'K' || pointer.kind == 'D'),
           [&] { return where + ": the query is not one pointer; found " + shown(queries); });
      entry[{query.part, key.part}] = value;
    }
  }
  if (pointer.kind == 'D') {
    std::map<std::pair<int, int>, mpq_class> by_number;
    const Weighted& numbers = frame.laws.directions[static_cast<std::size_t>(pointer.id)];
    for (const auto& [place, value] : entry)
      by_number[{numbers[static_cast<std::size_t>(place.first)].first, place.second}] = value;
    return behind(frame, by_number, where);
  }
  std::int64_t back = 0;
  if (frame.code == "phi" && entry.contains({1, 0}) && entry.contains({0, 0})) {
    const mpq_class k = -entry.at({1, 0}) * frame.parameter / entry.at({0, 0});
    need(k.get_den() == 1 && k >= 0 && k < (1 << 30),
         where + ": moves back by " + shown(k) + "; expected a count");
    back = k.get_num().get_si();
    entry.erase({1, 0});
  }
  const int parts = frame.code == "two-circle" ? 4 : 2;
  bool diagonal = static_cast<int>(entry.size()) == parts;
  for (int i = 0; i < parts; ++i) diagonal = diagonal && entry.contains({i, i});
  need(diagonal, where + ": the scores are not the product of two position codes");
  for (int i = 0; i < parts; i += 2)
    need(entry[{i, i}] > 0 && entry[{i, i}] == entry[{i + 1, i + 1}], [&] {
      return where + ": a unit pair of the code is matched with " + shown(entry[{i, i}]) + " and " +
             shown(entry[{i + 1, i + 1}]) + "; expected one positive factor";
    });
  return plus(pointer.at, {0, back});
}

Stream mean(const Stream& values, const std::string& where) {
  Stream out;
  for (const auto& [c, value_form] : values)
    for (const auto& [atom, value] : value_form) {
      const Form& form = value_form;
      need(atom == kOne || atom == own('T', 0),
           [&] { return where + ": averages " + shown(form); });
      add(out[c], atom == kOne ? kOne : own('V', 0), value);
    }
  return out;
}

std::vector<Written> writing_heads(Frame& frame, const Layer& layer, const Stream& h,
                                   const std::string& where) {
  std::vector<Written> found;
  if (layer.heads.empty()) return found;
  const Stream z = normalised(frame, layer.attention_mask, h, where);
  for (std::size_t n = 0; n < layer.heads.size(); ++n) {
    const Head& head = layer.heads[n];
    Stream values = apply(frame, head.output, apply(frame, head.value, z));
    if (values.empty()) continue;
    found.push_back({head, where + ", head " + std::to_string(n), std::move(values),
                     score(frame, apply(frame, head.query, z), apply(frame, head.key, z))});
  }
  return found;
}

Entries entries_of(const Bilinear& score) {
  Entries out;
  for (const auto& [key, form] : score)
    for (const auto& [query, value] : form) {
      out.queries.insert(query.cell), out.keys.insert(key.cell);
      out.at[{query.part, key.part}] = value;
    }
  return out;
}

bool selects_last(const Bilinear& score, const Atom& flag) {
  const mpq_class rise = constant_of(value_in(score, own('K', 0))),
                  weight = constant_of(value_in(score, flag));
  return score.size() == 2 && 0 < rise && rise <= 2 * weight;
}

void need_same(const Frame& frame, const Form& found, const Form& expected,
               const std::string& what) {
  Form change = found;
  add(change, expected, -1);
  need(frame.laws.equals(change, 0),
       [&] { return what + "; expected " + shown(expected) + ", found " + shown(found); });
}

void add_attention(Frame& frame, const Layer& layer, Stream& h, const std::string& where) {
  for (auto& [head, here, values, scores] : writing_heads(frame, layer, h, where)) {
    if (scores.empty()) {
      bool constant = true;
      for (const auto& [c, form] : values) constant = constant && is_constant(form);
      need(head.causal || constant, here + ": averages all tokens; expected a causal head");
      values = mean(values, here);
    } else {
      const Shift b = matched(frame, scores, here);
      for (auto& [c, form] : values) form = moved(form, b, here);
    }
    for (const auto& [c, form] : values) {
      add(h[c], form);
      frame.laws.simplify(h[c]);
    }
  }
}

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
