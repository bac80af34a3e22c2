#include "recheck/form.hpp"

#include "recheck/refusal.hpp"

namespace recheck {
namespace {

constexpr std::int64_t kMostShift = std::int64_t{1} << 40;

/// Calls visit(begin, end) for the atoms of each cell but the constant one.
template <typename Visit>
void by_cell(const Form& form, Visit visit) {
  for (auto begin = form.begin(); begin != form.end();) {
    auto end = begin;
    while (end != form.end() && end->first.cell == begin->first.cell) ++end;
    if (begin->first != kOne) visit(begin, end);
    begin = end;
  }
}

}  // namespace

Shift plus(Shift b, Shift c) {
  const Shift sum{b.strides + c.strides, b.constant + c.constant};
  need(std::abs(sum.strides) < kMostShift && std::abs(sum.constant) < kMostShift,
       "a shift is beyond 2^40");
  return sum;
}

Shift times(Shift b, std::int64_t factor) {
  const auto fits = [&](std::int64_t x) {
    return factor == 0 || std::abs(x) < kMostShift / factor;
  };
  need(fits(b.strides) && fits(b.constant), "a shift is beyond 2^40");
  return {b.strides * factor, b.constant * factor};
}

std::string shown(Shift b) {
  if (b.strides == 0) return std::to_string(b.constant);
  const std::string s = (b.strides == 1 ? "" : std::to_string(b.strides)) + "s";
  return b.constant == 0 ? s : s + (b.constant > 0 ? "+" : "") + std::to_string(b.constant);
}

std::string shown(const mpq_class& number) {
  const std::string text = number.get_str();
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

std::string shown(const Form& form) {
  std::string out;
  for (const auto& [atom, value] : form) {
    if (out.size() > 150) return out + " + ...";
    out += (out.empty() ? "" : " + ") + shown(value);
    if (atom == kOne) continue;
    out += std::string(" ") + atom.cell.kind + std::to_string(atom.cell.id) + "[" +
           std::to_string(atom.part) + "]";
    if (atom.cell.at != Shift{}) out += "@" + shown(atom.cell.at);
  }
  return out.empty() ? "0" : out;
}

std::optional<mpq_class> rational_root(const mpq_class& x) {
  if (x < 0 || !mpz_perfect_square_p(x.get_num_mpz_t()) || !mpz_perfect_square_p(x.get_den_mpz_t()))
    return {};
  return mpq_class(sqrt(x.get_num()), sqrt(x.get_den()));
}

void add(Form& to, const Atom& atom, const mpq_class& value) {
  if (value == 0) return;
  const auto [at, fresh] = to.try_emplace(atom, value);
  if (fresh) return;
  at->second += value;
  if (at->second == 0) to.erase(at);
}

void add(Form& to, const Form& form, const mpq_class& factor) {
  if (factor == 1) {
    for (const auto& [atom, value] : form) add(to, atom, value);
    return;
  }
  for (const auto& [atom, value] : form) add(to, atom, value * factor);
}

bool is_constant(const Form& form) {
  return form.empty() || (form.size() == 1 && form.begin()->first == kOne);
}

void Laws::simplify(Form& form) const {
  Form change;
  by_cell(form, [&](auto begin, auto end) {
    const Cell& cell = begin->first.cell;
    if (!one_hot(cell) || std::distance(begin, end) != size_of(cell)) return;
    // The most frequent value goes into the constant, of several that of the last component: any would do, this one leaves the
    // fewest atoms, and of two components the first one, which is averaged (sublayers.cpp).
    std::map<mpq_class, int> count;
    for (auto i = begin; i != end; ++i) ++count[i->second];
    auto most = begin;
    for (auto i = begin; i != end; ++i)
      if (count[i->second] >= count[most->second]) most = i;
    add(change, kOne, most->second);
    for (auto i = begin; i != end; ++i) add(change, i->first, -most->second);
  });
  add(form, change);
}

bool Laws::equals(const Form& form, const mpq_class& number) const {
  mpq_class sum = constant_of(form);
  bool constant = true;
  by_cell(form, [&](auto begin, auto end) {
    const auto same = [&](const auto& term) { return term.second == begin->second; };
    constant = constant && one_hot(begin->first.cell) &&
               std::distance(begin, end) == size_of(begin->first.cell) &&
               std::all_of(begin, end, same);
    if (constant) sum += begin->second;
  });
  return constant && sum == number;
}

mpq_class Laws::largest(const Cell& cell) const {
  need(cell.kind != 'M' && cell.kind != 'N', "a count has no bound");
  mpq_class most = 1;
  if (cell.kind == 'D')
    for (const auto& [number, weight] : directions[static_cast<std::size_t>(cell.id)])
      most = std::max<mpq_class>(most, 1 / weight);
  return most;
}

std::pair<mpq_class, mpq_class> Laws::bounds(const Form& form) const {
  mpq_class low = constant_of(form), high = low;
  by_cell(form, [&](auto begin, auto end) {
    const Cell& cell = begin->first.cell;
    mpq_class least, most;  // 0 is among the values, unless every component of a one-hot is listed
    if (one_hot(cell) && std::distance(begin, end) == size_of(cell)) least = most = begin->second;
    for (auto i = begin; i != end; ++i) {
      const mpq_class size = abs(i->second) * largest(cell);
      if (cell.kind == 'U') {
        const Unknown& known = unknowns[static_cast<std::size_t>(cell.id)];
        const bool rises = i->second > 0;
        least += i->second * (rises ? known.low : known.high);
        most += i->second * (rises ? known.high : known.low);
      } else if (one_hot(cell) || cell.kind == 'V') {
        least = std::min(least, i->second);
        most = std::max(most, i->second);
      } else {
        least -= size;
        most += size;
      }
    }
    low += least;
    high += most;
  });
  return {low, high};
}

bool Laws::positive(const Form& form) const {
  const mpq_class low = bounds(form).first;
  if (low != 0) return low > 0;
  return std::any_of(form.begin(), form.end(), [&](const auto& term) {
    const auto& [atom, value] = term;
    if (atom.cell.kind == 'V') return value > 0;
    if (atom.cell.kind != 'U') return false;
    const Unknown& known = unknowns[static_cast<std::size_t>(atom.cell.id)];
    return value > 0 ? known.above : known.below;
  });
}

void Laws::add_square(const Form& form, Form& sum,
                      std::map<std::pair<Atom, Atom>, mpq_class>& cross) const {
  const auto add_cross = [&](const Atom& a, const Atom& b, const mpq_class& value) {
    mpq_class& at = cross[{a, b}];
    at += value;
    if (at == 0) cross.erase({a, b});
  };
  for (auto i = form.begin(); i != form.end(); ++i)
    for (auto j = form.begin(); j != std::next(i); ++j) {
      const auto& [a, v] = *i;
      const auto& [b, w] = *j;
      const mpq_class value = v * w * (i == j ? 1 : 2);
      if (a == kOne || b == kOne) {
        add(sum, a == kOne ? b : a, value);
      } else if (a.cell == b.cell && one_hot(a.cell)) {
        if (i == j) add(sum, a, value);  // x^2 = x, and the product of two components is 0
      } else if (i == j && flag(a.cell)) {
        add(sum, kOne, value);
      } else if (i == j && a.cell.kind == 'K' && a.part % 2 == 1) {  // y^2 = 1 - x^2
        add(sum, kOne, value);
        add_cross({a.cell, a.part - 1}, {a.cell, a.part - 1}, -value);
      } else if (i == j && a.cell.kind == 'D' && a.part == 0) {  // w1 x^2 = 1 - the others
        const Weighted& weights = directions[static_cast<std::size_t>(a.cell.id)];
        const mpq_class first = value / weights[0].second;
        add(sum, kOne, first);
        for (int part = 1; part < static_cast<int>(weights.size()); ++part)
          add_cross({a.cell, part}, {a.cell, part},
                    -first * weights[static_cast<std::size_t>(part)].second);
      } else {
        add_cross(b, a, value);
      }
    }
}

}  // namespace recheck
