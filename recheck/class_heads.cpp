#include "recheck/class_heads.hpp"

#include <algorithm>

#include "recheck/refusal.hpp"

// Heads of tokens of finitely many classes.
// Lemma last_flag: let r(j) increase strictly within [0, 1): the component p/|(p, L)| of phi, the first of fine, the first of
//   circle negated [checked by code, slopes]. If the score of j is w(class of j) + c r(j), c > 0 [checked by weight, slope], and
//   every w is the largest or at least c below it [checked by top], then the last visible token whose class has the largest w is
//   selected, alone, provided there is one; <begin> is [checked by token].
// Lemma match (sublayers.cpp) holds where scores differ by nothing but the two codes, for all classes of keys [checked by other,
//   matched].
// Lemma count: the mean of w(class), 0 for <begin>, over the tokens up to p [checked by causal] is C/(p+1), where C counts by
//   weights w [checked by counted].
// Lemma floor: let the query be a positive multiple of (x, 1) [checked by places, entry], C a count by weights from 0 to m [checked
//   by largest, least] (or p, which counts all letters by 1), and x = (C+i)/m + d + h for integers m >= 1 and i from 0 to m-1
//   [checked by product, i], h = -1/2 for keys (j, L) and x times L, h = (b-1)/2 for keys fine of offset b [checked by rest]: then
//   position j = floor((C+i)/m) is nearest, alone, if 0 <= d and 1/m - d is more than g, with g = 1/(8L) and 1/(b+1) [checked by
//   gap, next]. For the angles of keys rise with j, so that the nearest one is that with B(j-1) < x < B(j), B(j) the slope (times
//   L) of the bisector of the codes of j and j+1: for fine j + (b+1)/2 - 1/(2j+b+1), for phi j + 1/2 - e with 0 < e < 1/(8L)
//   (compiler/lemmas/head_schema.cpp, lemma bisector). And x >= j + h > B(j-1), x <= j + 1 - 1/m + d + h < j + 1 + h - g <= B(j).
//   It is visible: C <= m p, so j <= p. Its parity depends on C modulo 2m alone.

namespace recheck {
namespace {

constexpr std::size_t kMostStates = 20000;

}  // namespace

std::int64_t Counter::largest() const {
  std::int64_t most = 0;
  for (const auto& [x, weight] : weights) most = std::max(most, weight);
  return most;
}

/// The class of a token of this kind after a state (none at the beginning), and the state after it.
int Machine::token(const State* before, int kind, State& after) {
  int own = kind;
  std::vector<int> owns;  // class before every stage
  for (Stage& stage : stages) {
    owns.push_back(own);
    std::vector<int> key = {own};
    for (const Selection& head : stage.heads) {
      std::vector<int> held;
      if (before != nullptr) held = (*before)[after.size()];
      if (head.kind == Selection::Kind::last) {
        need(before != nullptr || head.classes.contains(own),
             "<begin> is not selected by a head that looks for the last of some classes");
        if (head.classes.contains(own)) held = {own};
        key.push_back(held.front());
      } else if (head.kind == Selection::Kind::back) {
        if (before == nullptr) held.assign(static_cast<std::size_t>(head.back), own);
        held.push_back(own);
        key.push_back(held.front());
        held.erase(held.begin());
      } else {
        const Counter& counter = counters[static_cast<std::size_t>(head.counter)];
        std::int64_t count = 0;  // <begin> is not counted
        if (before != nullptr)
          count = held.front() +
                  value_in(counter.weights, owns[static_cast<std::size_t>(counter.stage)]);
        held = {static_cast<int>(count % (2 * head.divisor))};
        key.push_back(static_cast<int>((held.front() + head.offset) / head.divisor % 2));
      }
      after.push_back(std::move(held));
    }
    own = stage.classes.emplace(key, static_cast<int>(stage.classes.size())).first->second;
  }
  return own;
}

void Machine::explore(int kinds) {
  states.clear(), next.clear(), classes.clear();
  std::map<State, int> numbers;
  const auto number = [&](const State& state) {
    const auto [at, fresh] = numbers.emplace(state, static_cast<int>(states.size()));
    if (fresh) states.push_back(state);
    need(states.size() <= kMostStates, "more than 20000 states of the heads");
    return at->second;
  };
  State state;
  classes.insert(begin_class = token(nullptr, 0, state));
  number(state);
  for (std::size_t i = 0; i < states.size(); ++i) {
    next.emplace_back();
    for (int kind = 1; kind < kinds; ++kind) {
      State after;
      const State before = states[i];
      const int own = token(&before, kind, after);
      classes.insert(own);
      next[i].emplace_back(own, number(after));
    }
  }
}

namespace {

constexpr std::int64_t kMostBack = 64, kMostDivisor = 1000, kMostWeight = 1000000000;

bool holds_parity(const ByClass& values) {
  for (const auto& [x, stream] : values)
    for (const auto& [c, form] : stream)
      if (form.contains(own('P'))) return true;
  return false;
}

/// The query is a count, or the own position and not its own code.
bool of_count(const Bilinear& score) {
  const auto entry = [&](int part) {
    return value_in(value_in(score, own('K', part)), own('K', part));
  };
  for (const auto& [key, form] : score)
    for (const auto& [atom, value] : form)
      if (atom.cell.kind == 'D') return true;
  return entry(0) != entry(1);
}

/// What is written must be a number; of a position that is only known by its parity, a number and its parity.
void check_values(const std::optional<Selection>& selection, const ByClass& values,
                  const std::string& where) {
  const bool last = selection && selection->kind == Selection::Kind::last,
             floor = selection && selection->kind == Selection::Kind::floor;
  const bool code = floor && selection->of_position && !holds_parity(values);
  for (const auto& [x, stream] : values) {
    if (last && !selection->classes.contains(x)) continue;
    need(!floor || stream == values.begin()->second,
         where + ": reads the class of a token that is known by its position alone");
    for (const auto& [c, form] : stream)
      for (const auto& [atom, value] : form)
        need(atom == kOne || (code ? atom.cell == own('K').cell : floor && atom == own('P')),
             where + ": reads the position of another token");
  }
}

std::string described(const Selection& selection, std::size_t classes) {
  if (selection.kind == Selection::Kind::back)
    return std::to_string(selection.back) + " positions back";
  if (selection.kind == Selection::Kind::last)
    return "the last token of " + std::to_string(selection.classes.size()) + " of " +
           std::to_string(classes) + " classes";
  return "position floor((count " + std::to_string(selection.counter) + " + " +
         std::to_string(selection.offset) + ")/" + std::to_string(selection.divisor) + ")";
}

}  // namespace

void add_read(const Selection& selection, const ByClass& values, int selected, Stream& h) {
  const bool floor = selection.kind == Selection::Kind::floor;
  for (const auto& [c, form] : floor ? values.begin()->second : values.at(selected))
    for (const auto& [atom, value] : form)
      add(h[c], kOne, atom == kOne || selected == 0 ? value : mpq_class(-value));
}

ClassHeads::ClassHeads(const Weights& of) : weights(of), frame{of, {}, "", 0} {
  const int kinds = static_cast<int>(weights.kinds.size());
  frame.laws.size_of = [kinds](const Cell&) { return kinds; };
  const Stream start = embedded(frame);
  for (int kind = 0; kind < kinds; ++kind) {
    streams[kind];
    for (const auto& [c, form] : start)
      for (const auto& [atom, value] : form)
        if (atom.cell != own('T').cell)
          add(streams[kind][c], atom, value);
        else if (atom.part == kind)
          add(streams[kind][c], kOne, value);
  }
}

std::vector<Read> ClassHeads::heads(const Layer& layer, const std::string& where,
                                    Stream& everywhere) {
  ByClass z;
  for (const int x : machine.classes)
    z[x] = normalised(frame, layer.attention_mask, streams[x], where);
  std::vector<Read> reads;
  for (std::size_t n = 0; n < layer.heads.size(); ++n) {
    const Head& head = layer.heads[n];
    const std::string here = where + ", head " + std::to_string(n);
    ByClass values;
    bool none = true;
    for (const auto& [x, y] : z)
      none = (values[x] = apply(frame, head.output, apply(frame, head.value, y))).empty() && none;
    if (none) continue;  // adds nothing, whatever it selects
    need(head.causal, here + ": not causal");
    std::set<Stream> queries;
    std::map<Stream, std::set<int>> keys;
    for (const auto& [x, y] : z) {
      queries.insert(apply(frame, head.query, y));
      keys[apply(frame, head.key, y)].insert(x);
    }
    const auto selection = select(queries, keys, here);
    check_values(selection, values, here);
    if (!selection) {
      add_mean(values, everywhere, here);
      continue;
    }
    steps += here + ": " + described(*selection, z.size()) + "\n";
    if (!selection->of_position || holds_parity(values)) {
      reads.push_back({&head, *selection, std::move(values)});
      continue;
    }
    const Cell there{
        'H', static_cast<int>(selection->offset), static_cast<int>(selection->divisor), {}};
    for (const auto& [c, form] : values.begin()->second)
      for (const auto& [atom, value] : form)
        add(everywhere[c], atom == kOne ? kOne : Atom{there, atom.part}, value);
  }
  return reads;
}

/// A uniform head: the mean of what <begin> holds and of a multiple of a count.
void ClassHeads::add_mean(const ByClass& values, Stream& everywhere, const std::string& where) {
  std::set<int> written;
  for (const auto& [x, stream] : values)
    for (const auto& [c, form] : stream) written.insert(c);
  mpq_class wanted;
  for (const int c : written)
    if (std::all_of(values.begin(), values.end(), [&](const auto& entry) {
          return entry.first == machine.begin_class || at(entry.second, c).empty();
        }))
      wanted = abs(constant_of(at(values.at(machine.begin_class), c)));
  for (const int c : written) {
    const mpq_class first = constant_of(at(values.at(machine.begin_class), c));
    std::map<int, mpq_class> others;
    std::set<mpq_class> distinct;
    for (const auto& [x, stream] : values)
      if (x != machine.begin_class) distinct.insert(others[x] = constant_of(at(stream, c)));
    add(everywhere[c], own('V'), first);
    // Where another code is given, the number of letters is a count like others.
    if (distinct.empty() ||
        (distinct.size() == 1 &&
         (frame.code.empty() || *distinct.begin() == first || *distinct.begin() == 0))) {
      // p of p + 1 tokens hold the same
      const mpq_class same = distinct.empty() ? mpq_class(0) : *distinct.begin();
      add(everywhere[c], kOne, same);
      add(everywhere[c], own('V'), -same);
    } else {
      const auto [counter, unit] = counted(others, wanted, where);
      add(everywhere[c], Atom{{'M', counter, 0, {}}, 0}, unit);
    }
  }
}

/// The numbers as unit * weights, with weights that are counts: number of the counter, unit. The unit is `wanted` (what
/// <begin> alone holds elsewhere: counts of one direction have one unit) or else leaves no common divisor.
std::pair<int, mpq_class> ClassHeads::counted(const std::map<int, mpq_class>& numbers,
                                              const mpq_class& wanted, const std::string& where) {
  mpz_class denominator = 1, divisor = 0;
  for (const auto& [x, value] : numbers) denominator = lcm(denominator, value.get_den());
  for (const auto& [x, value] : numbers) divisor = gcd(divisor, mpz_class(value * denominator));
  mpq_class unit(divisor, denominator);
  unit.canonicalize();
  if (wanted != 0 && mpq_class(unit / wanted).get_den() == 1) unit = wanted;
  const auto first = std::find_if(numbers.begin(), numbers.end(),
                                  [](const auto& entry) { return entry.second != 0; });
  if (first->second < 0) unit = -unit;  // the same counter for what is its negative
  Counter counter{static_cast<int>(machine.stages.size()), {}};
  for (const auto& [x, value] : numbers) {
    const mpq_class weight = value / unit;
    need(abs(weight) <= exact(kMostWeight),
         where + ": averages numbers that are no multiples of small counts");
    counter.weights[x] = weight.get_num().get_si();
  }
  return {number_in(machine.counters, counter), unit};
}

/// What the head selects at every token; nothing if all scores are equal.
std::optional<Selection> ClassHeads::select(const std::set<Stream>& queries,
                                            const std::map<Stream, std::set<int>>& keys,
                                            const std::string& where) {
  std::optional<std::optional<Selection>> found;
  for (const Stream& query : queries) {
    std::vector<Bilinear> scores;
    bool codes = false;
    for (const auto& [key, classes] : keys) {
      scores.push_back(whole_score(query, key));
      for (const auto& [key_atom, form] : scores.back())
        codes = codes || (key_atom != kOne && !is_constant(form));
    }
    std::optional<Selection> selection;
    if (codes) {
      for (const Bilinear& other : scores)
        need(other == scores.front(), where + ": the score depends on the class of the key");
      Bilinear score = scores.front();
      score.erase(kOne);
      selection = of_count(score) ? floor(score, where) : match(score, where);
    } else {
      selection = last_flag(scores, keys, where);
    }
    need(!found || *found == selection, where + ": selects differently at different tokens");
    found = selection;
  }
  return *found;
}

Selection ClassHeads::match(const Bilinear& score, const std::string& where) const {
  const Shift b = matched(frame, score, where);
  need(b.strides == 0 && b.constant <= kMostBack, where + ": reads " + shown(b) +
                                                      " positions back; expected at most " +
                                                      std::to_string(kMostBack));
  Selection selection;
  selection.kind = Selection::Kind::back;
  selection.back = b.constant;
  return selection;
}

Selection ClassHeads::floor(const Bilinear& score, const std::string& where) {
  const Cell cell = score.begin()->second.begin()->first.cell;
  const bool own_position = cell == own('K').cell && frame.code == "phi";
  std::map<std::pair<int, int>, mpq_class> entry;
  for (const auto& [key, asked] : score)
    for (const auto& [atom, value] : asked) {
      need(key.cell == own('K').cell && atom.cell == cell && (own_position || cell.kind == 'D'),
           where + ": the score is not that of one count and the own position code");
      const auto part = static_cast<std::size_t>(atom.part);
      if (own_position)  // L/|(p, L)|
        entry[{part == 0 ? kPosition : kUnit, key.part}] =
            value * (part == 0 ? mpq_class(1) : frame.parameter);
      else
        entry[{frame.laws.directions[static_cast<std::size_t>(cell.id)][part].first, key.part}] =
            value;
    }
  const int number = entry.begin()->first.first;
  mpq_class at[3];  // the query is a positive multiple of ((A C + B)/E, 1)
  const std::pair<int, int> places[3] = {{number, 0}, {kUnit, 0}, {kUnit, 1}};
  for (int i = 0; i < 3; ++i) {
    at[i] = value_in(entry, places[i]);
    entry.erase(places[i]);
  }
  const auto& [a, b, e] = at;
  const bool phi = frame.code == "phi";
  need(entry.empty() && number <= kPosition && a > 0 && e > 0 && (phi || frame.code == "fine"),
       where + ": not the nearest position to a count");
  const mpq_class& with = frame.parameter;  // L, or the offset of fine
  const mpq_class quotient = phi ? mpq_class(e / (a * with)) : mpq_class(e / a),
                  rest = phi ? mpq_class(with * b / e + mpq_class(1, 2))
                             : mpq_class(b / e - (with - 1) / 2),
                  gap = phi ? mpq_class(1 / (8 * with)) : mpq_class(1 / (with + 1));
  Counter counter{static_cast<int>(machine.stages.size()), {}};
  if (number < kPosition)
    counter = machine.counters[static_cast<std::size_t>(number)];
  else
    for (const int x : machine.classes)
      if (x != machine.begin_class) counter.weights[x] = 1;
  const mpz_class m = quotient.get_num(), scale = quotient.get_den();
  need(m <= exact(kMostDivisor) && scale <= exact(kMostDivisor),
       where + ": divides by " + shown(quotient));
  std::int64_t least = 0;
  for (auto& [x, weight] : counter.weights) least = std::min(least, weight *= scale.get_si());
  need(m >= exact(counter.largest()) && least == 0,
       where + ": divides by " + m.get_str() + "; expected at least the largest weight " +
           std::to_string(counter.largest()) + ", and no negative one");
  mpz_class i;
  const mpq_class product = m * rest;
  mpz_fdiv_q(i.get_mpz_t(), product.get_num_mpz_t(), product.get_den_mpz_t());
  need(i >= 0 && i < m, where + ": adds " + i.get_str() + " to a count; expected from 0 to " +
                            mpz_class(m - 1).get_str());
  mpq_class next(mpz_class(i + 1), m);
  next.canonicalize();
  need(next - rest > gap, where + ": a count divided by " + m.get_str() + " is not rounded down");
  Selection selection;
  selection.kind = Selection::Kind::floor;
  selection.counter = number_in(machine.counters, counter);
  selection.divisor = m.get_si();
  selection.offset = i.get_si();
  selection.of_position = number == kPosition && scale == 1;
  return selection;
}

std::optional<Selection> ClassHeads::last_flag(const std::vector<Bilinear>& scores,
                                               const std::map<Stream, std::set<int>>& keys,
                                               const std::string& where) const {
  std::vector<mpq_class> weights;
  std::set<mpq_class> slopes;
  for (const Bilinear& score : scores) {
    mpq_class weight, slope;
    for (const auto& [atom, form] : score) {
      need(is_constant(form), where + ": the query depends on the position");
      need(atom == kOne || atom == own('K', 0),
           where + ": the key is not the rising component of a position code");
      (atom == kOne ? weight : slope) = constant_of(form);
    }
    weights.push_back(weight);
    slopes.insert(frame.code == "circle" ? mpq_class(-slope) : slope);
  }
  need(slopes.size() == 1, where + ": positions weigh differently in different classes");
  const mpq_class top = *std::max_element(weights.begin(), weights.end()), slope = *slopes.begin();
  const bool equal =
      std::all_of(weights.begin(), weights.end(), [&](const mpq_class& w) { return w == top; });
  if (slope == 0 && equal) return {};
  need(slope > 0, where + ": selects several tokens of some classes");
  need(frame.code == "circle" || frame.code == "fine" || frame.code == "phi",
       where + ": no rising component of a position code");
  Selection selection;
  auto key = keys.begin();
  for (const mpq_class& w : weights) {
    need(w == top || top - w >= slope,
         where + ": the position may outweigh the class; expected at least " + shown(slope) +
             ", found " + shown(top - w));
    if (w == top) selection.classes.insert(key->second.begin(), key->second.end());
    ++key;
  }
  return selection;
}

}  // namespace recheck
