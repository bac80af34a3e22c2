// Krohn-Rhodes cascades: constant depth wherever the groups are solvable.
//
// Statement (Krohn and Rhodes 1965; Barrington and Therien 1988; as softmax networks whose weights
//   grow with the length: Liu et al. 2023, "Transformers learn shortcuts to automata"). A regular
//   language whose syntactic monoid contains solvable groups only is recognised in constant depth.
// Here. One (0, 0, t)-universal transformer for every length that yields the state after every
//   prefix. Where a group is not solvable, the levels from the first to the last such are scanned
//   together: an (s, 1, t)-universal one with ceil(log2 T) loops for T letters.
//
// Levels. By holonomy (objects/holonomy) the automaton is a chain of levels. When a letter is read,
//   all levels change at once, each by a map that the letter and its context say: the coordinates of
//   the levels above *before* the letter. Every map is a permutation or constant, a reset.
// Resets. The coordinate after position p is that of the last reset: one `rightmost` head.
// Context. A causal head yields coordinates after p. So a level wants what position p - 1 has found:
//   a layer of shifts. A run of reset levels wants one only: its token keeps the coordinates after
//   p, p - 1, ..., p - T as *tracks*, level i of the run those after p, ..., p - T + i. The head of
//   track d asks for the last reset of the letters d to the left, which is track d of the levels
//   above. So a run costs one layer a level, and one of shifts.
// Permutations. Let h_1 ... h_p be the group elements of the letters (the identity for a reset) and
//   G / N = Z_m1 x ... x Z_mk with representatives t^e = t_1^e_1 ... t_k^e_k, h in N t^w(h). Then
//     h_1 ... h_p = (n_1 ... n_p) t^q_p,  q_p = sum of w(h_i) mod m,  n_p = t^q_(p-1) h_p t^-q_p in N,
//   so the elements n_p are the letters of the same task for N. Two layers: q from sums, then n.
// Residues. C_i = sum of w_i <= (m_i - 1) p. One uniform head averages all C_i and [position 0], and
//   one normalisation yields the direction of (C_1, ..., C_k, 1). `nearest` selects the position
//   floor((C_i + s)/m_i) for s = 0 ... m_i - 1 exactly (compiler/lemmas/head_schema.cpp, exact floors),
//   which is visible: (C_i + m_i - 1)/m_i < p + 1. Each head fetches the parity of what it selects. It
//   changes between s - 1 and s if C_i = -s mod m_i, and never if C_i = 0.
// Both. If a level has resets and permutations, the coordinate after p is u G_p, where G_p is the
//   product h_1 ... h_p and u = tau_j G_j^-1 is fetched from the last reset j, to tau_j.
#include "constructions/KR65/regular_language_cascade.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <span>

#include "constructions/construction.hpp"
#include "constructions/decision_table.hpp"
#include "constructions/own_position.hpp"
#include "logdepth/errors.hpp"
#include "objects/holonomy.hpp"

namespace logdepth { inline namespace constructions_KR65 {
namespace {

/// What a letter does at a level.
struct LevelInput {
  std::optional<cells::Flag> act;    ///< it is a reset
  std::optional<cells::OneHot> tau;  ///< to this coordinate; any if it is none
  std::optional<cells::OneHot> y;    ///< the permutation; the identity for a reset
  std::optional<cells::Product> d;   ///< the map, of the level that is scanned
};

enum class LevelKind { resets, permutations, both, scanned };

/// What a token knows of the position d to its left (of position 0 if there is none).
struct Track {
  std::optional<cells::OneHot> letter;      ///< that stands there
  std::optional<cells::OneHot> context;     ///< of the current level, after it
  std::optional<cells::OneHot> coordinate;  ///< of the current level, after it
  LevelInput input;                         ///< of the current level, for the letter there
};

/// The context that cells tell, as digits of a table.
struct ContextDigits {
  std::vector<Digit> digits;
  std::function<std::uint32_t(std::span<const std::uint32_t> values)> context;
};

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

/// The network, level by level.
class CascadeNetwork {
 public:
  CascadeNetwork(const CascadeTask& task, const std::string& name, const CascadeOptions& options)
      : task_(task), options_(options), p_(name) {
    for (std::size_t l = 0; l < task.cascade.levels.size(); ++l) {
      const std::size_t points = task.cascade.levels[l].coordinates.size();
      groups_.push_back(l == task.scanned ? PermutationGroup(points)
                                          : level_group(task.cascade, l));
      steps_.push_back(abelian_steps(groups_.back()).value());
      for (const AbelianStep& step : steps_.back())
        for (const std::uint32_t m : step.orders) {
          if (m > kLargestModulus)
            throw SizeLimit(fmt::format(
                "level {} of the cascade counts modulo {}, which takes as many heads, and "
                "the limit is {}; try --construction scan",
                l + 1, m, kLargestModulus));
          modulus_ = std::max(modulus_, m);
        }
    }
  }

  Program write() {
    using namespace cells;
    const std::vector<CascadeLevel>& levels = task_.cascade.levels;
    p_.construction("cascade").source(
        "Krohn and Rhodes 1965; Barrington and Therien 1988; Liu et al. 2023");
    p_.hypothesis(causal_network());
    p_.hypothesis(words_of_any_length());
    if (!task_.scanned) p_.hypothesis("the groups of the levels, by holonomy, are solvable");
    // Their heads average softly, with weights that grow with the length.
    p_.deviation("averaging-hard heads with one set of weights for every length (Liu et al. 2023)");
    p_.parameter("levels", std::to_string(levels.size()));
    if (task_.scanned) p_.parameter("scanned_level", std::to_string(*task_.scanned + 1));
    p_.alphabet(task_.alphabet.names());

    position_ = declare_own_position(p_, options_.positions, modulus_);
    if (task_.scanned) {
      const CascadeLevel& scanned = levels[*task_.scanned];
      maps_ = {Alphabet(cells::numbered(static_cast<std::uint32_t>(scanned.maps.size()))),
               scanned.coordinates.size(),
               scanned.maps,
               std::nullopt,
               {}};
      forecast_ = forecast_scan(maps_, {options_.positions, options_.table});
      products_ = make_product_cells(maps_, forecast_);
      scan_ = declare_scan(p_, *position_, *products_);
      p_.log_loops_of_letters();
      say(begin_scan(p_, *position_, *scan_));
    } else {
      p_.fixed_loops(0);
      if (!levels.empty()) say(own_position(*position_));
    }
    if (!levels.empty()) {
      tracks_[0].input = declare_input(0);
      p_.fill(kBegin,
              input_values(tracks_[0].input, static_cast<std::uint32_t>(level().maps.size())));
      for (Letter a = 0; a < task_.alphabet.size(); ++a)
        p_.fill(task_.alphabet.name(a), input_values(tracks_[0].input, level().action[a][0]));
    }
    while (level_ < levels.size()) {
      if (begins_run(level_)) shift();
      switch (kind(level_)) {
        case LevelKind::resets:
          run_resets();
          break;
        case LevelKind::scanned:
          run_scan();
          break;
        default:
          run_group();
      }
    }
    read_out();
    return p_.program();
  }

 private:
  const CascadeLevel& level() const { return task_.cascade.levels[level_]; }

  LevelKind kind(std::size_t level) const {
    if (level == task_.scanned) return LevelKind::scanned;
    if (groups_[level].order() == 1) return LevelKind::resets;
    const auto& maps = task_.cascade.levels[level].maps;
    return std::none_of(maps.begin(), maps.end(), is_reset) ? LevelKind::permutations
                                                            : LevelKind::both;
  }

  /// How many positions up to its own a token asks the level for.
  std::size_t tracks(std::size_t level) const {
    const bool last = level + 1 == task_.cascade.levels.size();
    return last || begins_run(level + 1) ? 1 : tracks(level + 1) + 1;
  }

  /// A run of resets: a level alone if it is the first, else as many as follow each other, and with
  /// them the level after the last.
  bool begins_run(std::size_t level) const {
    return level == 1 || (level > 1 && kind(level - 1) != LevelKind::resets);
  }

  /// A layer that brings what the levels above have found to the right, as far as the run needs it,
  /// and in it the inputs of the run's first level.
  void shift() {
    const std::size_t reach = tracks(level_);
    letter();
    if (tracks_.size() <= reach) tracks_.resize(reach + 1);
    for (std::size_t d = 1; d <= reach; ++d) {
      const cells::OneHot context = onehot(fmt::format("C{}.left{}", level_, d), level().contexts);
      auto head = cells::fetch(fmt::format("left{}.{}", level_, d))
                      .causal(left(d))
                      .copy(context, *tracks_[0].context);
      if (d < reach && !tracks_[d].letter) {
        tracks_[d].letter = p_.onehot(fmt::format("x.{}", d), tracks_[0].letter->labels());
        head = head.copy(*tracks_[d].letter, *tracks_[0].letter);
      }
      say(head);
      tracks_[d].context = context;
    }
    inputs_from([&](std::size_t d) {
      return ContextDigits{{digit(*tracks_[d].context)},
                           [](std::span<const std::uint32_t> values) { return values[0]; }};
    });
  }

  /// One head for each track; the tables in the same layer say what the next level of the run needs.
  void run_resets() {
    for (std::size_t d = 0; d < tracks(level_); ++d) {
      const cells::OneHot coordinate = onehot("s" + suffix(d), level().coordinates.size());
      say(cells::fetch("last" + suffix(d))
              .causal(cells::rightmost(*tracks_[d].input.act).key(position_->I))
              .copy(coordinate, *tracks_[d].input.tau));
      tracks_[d].coordinate = coordinate;
    }
    const std::vector<Track> before = tracks_;
    for (std::size_t d = 0; d < tracks(level_); ++d)
      next_context(d, {digit(*tracks_[d].coordinate)},
                   [](std::span<const std::uint32_t> values) { return values[0]; });
    const CascadeLevel& passed = level();
    if (++level_ == task_.cascade.levels.size() || begins_run(level_)) return;
    inputs_from([&](std::size_t d) {
      return ContextDigits{
          {context_digit(before[d]), digit(*before[d].coordinate)},
          [&](std::span<const std::uint32_t> values) { return passed.next[values[0]][values[1]]; }};
    });
  }

  void run_group() {
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

  /// MS25 Theorem 4.1 for the maps of the level: one layer for each doubling.
  void run_scan() {
    p_.repeated(scan_step(*position_, *scan_, *products_));
    scan_done_ = true;
    next_context(0, {products_->image(scan_->d, level().initial)},
                 [](std::span<const std::uint32_t> values) { return values[0]; });
    ++level_;
  }

  /// The inputs of all tracks of the level, track d by the letter and the context d + 1 to the left.
  void inputs_from(const std::function<ContextDigits(std::size_t track)>& above) {
    const auto begin = static_cast<std::uint32_t>(level().maps.size());
    for (std::size_t d = 0; d < tracks(level_); ++d) {
      const ContextDigits before = above(d + 1);
      std::vector<Digit> digits = {digit(*tracks_[d].letter)};
      digits.insert(digits.end(), before.digits.begin(), before.digits.end());
      const LevelInput input = declare_input(d);
      decide(
          fmt::format("in{}.{}", level_ + 1, d), digits,
          [&](const std::vector<std::uint32_t>& values) -> std::optional<std::uint32_t> {
            if (values[0] == 0) return begin;
            const std::uint32_t context = before.context(std::span(values).subspan(1));
            if (context == kNoContext) return std::nullopt;
            return level().action[values[0] - 1][context];
          },
          [&](std::uint32_t map) { return input_values(input, map); });
      tracks_[d].input = input;
    }
  }

  /// The context of the level below on a track, of the last level the state: the digits tell the
  /// coordinate, the track's context is what it was.
  void next_context(
      std::size_t track, const std::vector<Digit>& digits,
      const std::function<std::uint32_t(std::span<const std::uint32_t>)>& coordinate) {
    std::vector<Digit> all = {context_digit(tracks_[track])};
    all.insert(all.end(), digits.begin(), digits.end());
    const bool last = level_ + 1 == task_.cascade.levels.size();
    const cells::OneHot below =
        last ? onehot("state", task_.accepting.size())
             : onehot("C" + suffix(track), task_.cascade.levels[level_ + 1].contexts);
    decide(
        "context" + suffix(track), all,
        [&](const std::vector<std::uint32_t>& values) -> std::optional<std::uint32_t> {
          const std::uint32_t next =
              level().next[values[0]][coordinate(std::span(values).subspan(1))];
          if (next == kNoContext) return std::nullopt;
          return last ? task_.cascade.state[next] : next;
        },
        [&](std::uint32_t context) { return Digit::Conditions{below.at(context)}; });
    tracks_[track].context = below;
  }

  void read_out() {
    using namespace cells;
    auto& state = tracks_[0].context;
    if (!state) {  // the only one that is reached
      state = onehot("state", task_.accepting.size());
      const Value initial = state->at(task_.cascade.state[0]);
      p_.fill(kBegin, {initial});
      for (const std::string& name : task_.alphabet.names()) p_.fill(name, {initial});
    }
    Form accept, reject;
    for (State q = 0; q < task_.accepting.size(); ++q)
      (task_.accepting[q] ? accept : reject) += cells::Component{state->id(), q};
    p_.output("accept", accept).output("reject", reject);
    if (!task_.products.empty()) {
      p_.prefix(*state, task_.products);
      return;
    }
    std::vector<std::uint32_t> states(task_.accepting.size());
    std::iota(states.begin(), states.end(), 0);
    p_.prefix_states(*state, states);
  }

  LevelInput declare_input(std::size_t track) {
    LevelInput input;
    if (kind(level_) == LevelKind::scanned) {
      input.d = scan_->d;
      return input;
    }
    if (kind(level_) != LevelKind::permutations) {
      input.act = p_.flag("act" + suffix(track));
      input.tau = onehot("tau" + suffix(track), level().coordinates.size());
    }
    if (kind(level_) != LevelKind::resets)
      input.y = onehot("y" + suffix(track), groups_[level_].order());
    return input;
  }

  /// What the input is where the level's map is that of this number; the number behind the last: the
  /// beginning token, a reset to the initial coordinate.
  Digit::Conditions input_values(const LevelInput& input, std::uint32_t map) const {
    const bool begin = map == level().maps.size();
    const bool reset = begin || is_reset(level().maps[map]);
    if (input.d)
      return products_->values(*input.d,
                               begin ? identity_transformation(maps_.points) : level().maps[map]);
    Digit::Conditions values;
    if (input.act) {
      values.push_back(*input.act == reset);
      values.push_back(input.tau->at(begin ? level().initial : reset ? level().maps[map][0] : 0));
    }
    if (input.y) {
      const PermutationGroup& group = groups_[level_];
      values.push_back(input.y->at(reset ? 0 : group.index(level().maps[map])));
    }
    return values;
  }

  /// C_i mod m_i for each factor Z_m_i of the step, C_i the sum over the letters y so far.
  std::vector<Digit> residues(std::size_t number, const AbelianStep& step, const cells::OneHot& y) {
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
  cells::Ratio floor_of(const cells::Component& C, const cells::Component& one, std::uint32_t m,
                        std::uint32_t s) const {
    const cells::Form c = C, unit = one;
    const std::int64_t S = s, M = m, K = modulus_;
    if (options_.positions == ScanPositions::first_flag)
      return (c + cells::Fraction(2 * S - M + 1, 2) * unit) / cells::Form(M * K * unit);
    return (c + cells::Fraction(2 * S + M * (K - 1), 2) * unit) / cells::Form(M * unit);
  }

  /// The position `by` to the left, or the first.
  cells::Selector left(std::size_t by) {
    const auto back = static_cast<std::uint32_t>(by);
    if (options_.positions == ScanPositions::first_flag)
      return cells::match(position_->I).back(back).key(position_->I);
    for (std::size_t d = pointers_.size() + 1; d <= by; ++d) {
      pointers_.push_back(p_.pointer(fmt::format("E.{}", d), position_->code));
      p_.position(pointers_.back(), static_cast<std::uint32_t>(d));
    }
    return cells::match(pointers_[by - 1]).key(position_->I);
  }

  const cells::OneHot& letter() {
    auto& letter = tracks_[0].letter;
    if (!letter) {
      std::vector<std::string> labels = {cells::kBegin};
      for (const std::string& name : task_.alphabet.names()) labels.push_back(name);
      letter = p_.onehot("x", labels);
      for (const std::string& kind : labels) p_.fill(kind, {*letter == kind});
    }
    return *letter;
  }

  /// p is even. From the first-flag: the positions nearest to p/2 and (p-1)/2 are the same; for x = j +
  /// 1/2 the nearest is j + 1, because the bisector of two codes lies below the middle.
  const cells::Flag& even() {
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
             .causal(
                 nearest((Form(I[0]) / 2 - Fraction(1, 2 * modulus_) * I[1]) / Form(I[1])).key(I))
             .add(D, -Form(I[0])),
         test(*even_).zero(D)});
    return *even_;
  }

  cells::OneHot onehot(const std::string& name, std::size_t labels) {
    return p_.onehot(name, cells::numbered(static_cast<std::uint32_t>(labels)));
  }

  /// Of the level's cells and statements on a track.
  std::string suffix(std::size_t track) const {
    return fmt::format("{}{}", level_ + 1, track > 0 ? fmt::format(".{}", track) : "");
  }
  static Digit context_digit(const Track& track) {
    return track.context ? digit(*track.context) : no_digit();
  }

  void say(const cells::Statements& statements) {
    scan_done_ ? p_.final(statements) : p_.initial(statements);
  }

  void decide(const std::string& name, const std::vector<Digit>& digits,
              const DecisionOutcome& outcome,
              const std::function<Digit::Conditions(std::uint32_t)>& assign) {
    if (most_rules(digits) > kMaxScanUnits)
      throw SizeLimit(
          fmt::format("level {} of the cascade: the table '{}' has up to {} rules and the "
                      "limit is {} feed-forward units; try --construction scan",
                      level_ + 1, name, most_rules(digits), kMaxScanUnits));
    const cells::Rules rules = decision_table(digits, outcome, assign);
    units_ += rules.size();
    if (units_ > kMaxScanUnits)
      throw SizeLimit(
          fmt::format("level {} of the cascade: the tables need more than {} feed-forward "
                      "units; try --construction scan",
                      level_ + 1, kMaxScanUnits));
    say(cells::lookup(name, rules));
  }

  const CascadeTask& task_;
  const CascadeOptions options_;
  std::vector<PermutationGroup> groups_;         // of each level
  std::vector<std::vector<AbelianStep>> steps_;  // of each level
  std::uint32_t modulus_ = 1;                    // the largest
  std::size_t level_ = 0;
  cells::Program p_;
  std::optional<OwnPosition> position_;
  std::optional<cells::Flag> even_;
  std::vector<cells::Pointer> pointers_;  // to p - 1, p - 2, ...
  std::vector<Track> tracks_ = std::vector<Track>(1);
  std::size_t units_ = 0;

  // The level that is scanned, if there is one.
  Action maps_;
  ProductForecast forecast_;
  std::unique_ptr<ProductCells> products_;
  std::optional<ScanCells> scan_;
  bool scan_done_ = false;
};

/// Of a group, elements times points; beyond, its derived series takes minutes.
constexpr std::size_t kMostListedImages = std::size_t{1} << 21;

/// A level that is neither can be scanned: that is right for any maps.
bool listed_and_solvable(const Cascade& cascade, std::size_t level) {
  try {
    const PermutationGroup group = level_group(cascade, level);
    if (group.order() * group.points() > kMostListedImages) return false;
    return abelian_steps(group).has_value();
  } catch (const SizeLimit&) {
    return false;
  }
}

}  // namespace

CascadeTask cascade_of(const Action& action) {
  Dfa dfa;
  CascadeTask task;
  if (action.initial) {
    dfa = to_dfa(action);
  } else {
    const auto monoid = enumerate_monoid(action.generators, action.points, kMaxMonoid);
    if (!monoid)
      throw SizeLimit(fmt::format(
          "the word problem has more than {} products; try --construction scan", kMaxMonoid));
    task.products = monoid->elements;
    dfa = automaton_of_products(*monoid, action.alphabet);
  }
  task.alphabet = dfa.alphabet;
  task.accepting = dfa.accepting;
  task.cascade = to_cascade(decompose(dfa));
  std::optional<std::size_t> first, last;
  for (std::size_t l = 0; l < task.cascade.levels.size(); ++l)
    if (!listed_and_solvable(task.cascade, l)) {
      if (!first) first = l;
      last = l;
    }
  if (first) task.cascade = merged(task.cascade, *first, *last);
  task.scanned = first;
  return task;
}

Program regular_language_cascade_KR65(const CascadeTask& task, const std::string& name,
                                      const CascadeOptions& options) {
  return CascadeNetwork(task, name, options).write();
}

Construction cascade_record() {
  const auto constant_depth = [](const Action& action) { return !cascade_of(action).scanned; };
  return {.key = {"KR65", "decomposition", "cascade"},
          .problem = Problem::words,
          .help = "Krohn and Rhodes, constant depth if all groups are solvable",
          .options = {positions_option({ScanPositions::fine, ScanPositions::first_flag}),
                      table_option()},
          .program =
              [](const Request& r) {
                return regular_language_cascade_KR65(cascade_of(*r.action), r.name,
                                                     {positions_of(r.values), table_of(r.values)});
              },
          .compared = 4,
          .depths = {{.title = "cascade",
                      .values = {{"positions", kFirstFlag}},
                      .holds = constant_depth},
                     {.title = "cascade", .holds = constant_depth}},
          .cells = {{"x", "letter of the token"},
                    {"state", "state after the letters up to the token"},
                    {"C", "coordinates of the levels above, after the token ({})"},
                    {"s", "coordinate of the level after the token ({})"},
                    {"act", "whether the letter is a reset of the level ({})"},
                    {"tau", "coordinate of the level that the letter resets to ({})"},
                    {"y", "element of the level's group that the letter is ({})"},
                    {"c", "sums of the exponents up to the token, over the number of tokens ({})"},
                    {"N", "direction of these sums and 1 ({})"},
                    {"q", "parity of floor((sum + s) / m), s the last number of ({})"},
                    {"r", "sum of the exponents modulo their order ({})"},
                    {"G", "product of the level's elements up to the token ({})"}}};
}

}}  // namespace logdepth::constructions_KR65
