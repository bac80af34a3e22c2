#include <algorithm>

#include "constructions/KR65/cascade_network.hpp"
#include "objects/cascade.hpp"

namespace logdepth::inline constructions_KR65 {
namespace {

/// t^e = t_1^e_1 ... t_k^e_k.
Transformation representative(const AbelianStep& step, std::span<const std::uint32_t> e) {
  Transformation result = identity_transformation(step.group.points());
  for (std::size_t i = 0; i < step.orders.size(); ++i)
    for (std::uint32_t power = 0; power < e[i]; ++power)
      result = compose(result, step.generators[i]);
  return result;
}

/// n_p = t^q_(p-1) h_p t^-q_p, where q_p - q_(p-1) are the exponents of h_p.
Transformation rest(const AbelianStep& step, std::uint32_t h, std::span<const std::uint32_t> q) {
  std::vector<std::uint32_t> before(q.begin(),
                                    q.begin() + static_cast<std::ptrdiff_t>(step.orders.size()));
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i] = (before[i] + step.orders[i] - step.exponents[h][i]) % step.orders[i];
  return compose(compose(representative(step, before), step.group.elements()[h]),
                 inverse(representative(step, q)));
}

}  // namespace

/// C_i mod m_i for each factor Z_m_i of the step, C_i the sum over the letters y so far.
std::vector<Digit> CascadeNetwork::residues(std::size_t number, const AbelianStep& step,
                                            const cells::OneHot& y) {
  using namespace cells;
  const std::string name = fmt::format("{}.{}", level_ + 1, number);
  const auto factors = static_cast<std::uint32_t>(step.orders.size());
  const std::uint32_t largest = *std::max_element(step.orders.begin(), step.orders.end());
  const Number c = p_.number("c" + name, factors + 1);  // (C_1, ..., C_k, 1) / (p + 1)
  const Direction N = p_.integer_direction("N" + name, factors + 1, permanent, largest);
  Fetch sum = fetch("sum" + name).causal(uniform());
  std::vector<Form> group;
  for (std::uint32_t i = 0; i <= factors; ++i) {
    Form form;
    if (i == factors)
      form = Form(letter()[kBegin]);
    else
      for (std::uint32_t g = 0; g < step.exponents.size(); ++g)
        form += Fraction(step.exponents[g][i]) * Form(cells::Component{y.id(), g});
    sum = sum.add(c[i], form);
    group.push_back(c[i]);
  }
  say({sum, normalise(N).from(group)});

  std::vector<Digit> residues;
  for (std::uint32_t i = 0; i < factors; ++i) {
    const std::uint32_t m = step.orders[i];
    std::vector<Flag> parity;  // of floor((C_i + s)/m)
    for (std::uint32_t s = 0; s < m; ++s) {
      const std::string head = fmt::format("floor{}.{}.{}", name, i, s);
      parity.push_back(p_.flag(fmt::format("q{}.{}.{}", name, i, s)));
      say(fetch(head)
              .causal(nearest(floor_of(N[i], N[factors], m, s)).key(position_->I))
              .copy(parity.back(), even()));
    }
    // The s where the parity changes says C_i = -s; if it never does, C_i = 0.
    Digit residue{std::vector<std::vector<Digit::Conditions>>(m)};
    for (const bool value : {true, false}) {
      Digit::Conditions equal = {parity[0] == value};
      for (std::uint32_t s = 1; s < m; ++s) {
        Digit::Conditions change = equal;
        change.push_back(parity[s] == !value);
        residue.when[m - s].push_back(change);
        equal.push_back(parity[s] == value);
      }
      residue.when[0].push_back(equal);
    }
    residues.push_back(residue);
  }
  return residues;
}

/// What a nearest head asks for to select floor((C + s)/m): by the lemmas of
/// compiler/lemmas/head_schema.cpp on rounding for phi codes over L >= m, and on floors for fine codes
/// with b >= m.
cells::Ratio CascadeNetwork::floor_of(const cells::Component& C, const cells::Component& one,
                                      std::uint32_t m, std::uint32_t s) const {
  const cells::Form c = C, unit = one;
  const std::int64_t S = s, M = m, K = modulus_;
  if (options_.positions == ScanPositions::first_flag)
    return (c + cells::Fraction(2 * S - M + 1, 2) * unit) / cells::Form(M * K * unit);
  return (c + cells::Fraction(2 * S + M * (K - 1), 2) * unit) / cells::Form(M * unit);
}

void CascadeNetwork::run_group() {
  using namespace cells;
  const LevelInput input = tracks_[0].input;
  const std::vector<AbelianStep>& steps = steps_[level_];
  const PermutationGroup& whole = groups_[level_];

  // What the digits so far say: the exponents of each step, and with the last all of G_p.
  OneHot y = *input.y;
  std::vector<Digit> known;
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const AbelianStep& step = steps[k];
    const std::vector<Digit> q = residues(k, step, y);
    begins.push_back(known.size());
    if (k + 1 == steps.size()) {
      known.insert(known.end(), q.begin(), q.end());
      break;
    }
    // n_p = t^q_(p-1) h_p t^-q_p, and the residues as cells.
    const OneHot n = onehot(fmt::format("y{}.{}", level_ + 1, k + 1), step.subgroup.order());
    std::vector<Digit> digits = {digit(y)};
    digits.insert(digits.end(), q.begin(), q.end());
    decide(
        fmt::format("letters{}.{}", level_ + 1, k + 1), digits,
        [&](const std::vector<std::uint32_t>& values) {
          return step.subgroup.index(rest(step, values[0], std::span(values).subspan(1)));
        },
        [&](std::uint32_t element) { return Digit::Conditions{n.at(element)}; });
    for (std::size_t i = 0; i < q.size(); ++i) {
      const OneHot residue = onehot(fmt::format("r{}.{}.{}", level_ + 1, k, i), step.orders[i]);
      decide(
          fmt::format("residue{}.{}.{}", level_ + 1, k, i), {q[i]},
          [](const std::vector<std::uint32_t>& values) { return values[0]; },
          [&](std::uint32_t value) { return Digit::Conditions{residue.at(value)}; });
      known.push_back(digit(residue));
    }
    y = n;
  }
  const auto product = [&](std::span<const std::uint32_t> values) {
    Transformation result = identity_transformation(level().coordinates.size());
    for (std::size_t k = steps.size(); k-- > 0;)
      result = compose(result, representative(steps[k], values.subspan(begins[k])));
    return result;
  };

  if (kind(level_) == LevelKind::permutations) {
    next_context(0, known, [&](std::span<const std::uint32_t> values) {
      return product(values)[level().initial];
    });
  } else {
    const OneHot G = onehot("G" + suffix(0), whole.order());
    const OneHot u = onehot("u" + suffix(0), level().coordinates.size());
    const OneHot last = onehot("u.last" + suffix(0), level().coordinates.size());
    decide(
        "product" + suffix(0), known,
        [&](const std::vector<std::uint32_t>& values) { return whole.index(product(values)); },
        [&](std::uint32_t element) { return Digit::Conditions{G.at(element)}; });
    std::vector<Digit> reset = {digit(*input.tau)};
    reset.insert(reset.end(), known.begin(), known.end());
    decide(
        "reset" + suffix(0), reset,
        [&](const std::vector<std::uint32_t>& values) {
          return inverse(product(std::span(values).subspan(1)))[values[0]];
        },
        [&](std::uint32_t coordinate) { return Digit::Conditions{u.at(coordinate)}; });
    say(fetch("last" + suffix(0)).causal(rightmost(*input.act).key(position_->I)).copy(last, u));
    next_context(0, {digit(last), digit(G)}, [&](std::span<const std::uint32_t> values) {
      return whole.elements()[values[1]][values[0]];
    });
  }
  ++level_;
}

/// p is even. From the first-flag: the positions nearest to p/2 and (p-1)/2 are the same; for x = j +
/// 1/2 the nearest is j + 1, because the bisector of two codes lies below the middle.
const cells::Flag& CascadeNetwork::even() {
  using namespace cells;
  if (even_) return *even_;
  even_ = p_.flag("even");
  if (options_.positions != ScanPositions::first_flag) {
    p_.position_parity(*even_);
    return *even_;
  }
  const Key& I = position_->I;
  const Number D = p_.number("D");  // difference of two codes
  for (const std::string& kind : letter().labels()) p_.fill(kind, {Value(*even_)});
  say({fetch("half").causal(nearest((Form(I[0]) / 2) / Form(I[1])).key(I)).add(D, I[0]),
       fetch("less")
           .causal(nearest((Form(I[0]) / 2 - Fraction(1, 2 * modulus_) * I[1]) / Form(I[1])).key(I))
           .add(D, -Form(I[0])),
       test(*even_).zero(D)});
  return *even_;
}

}  // namespace logdepth::inline constructions_KR65
