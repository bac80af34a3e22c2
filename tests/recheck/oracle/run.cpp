#include "tests/recheck/oracle/run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace logdepth::oracle_numbers {
namespace {

using recheck::Json;

Vector circle(Number t) {
  return {(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)};
}

void add(Vector& to, const recheck::Row& row, Number factor = 1) {
  for (const auto& [c, value] : row) to[static_cast<std::size_t>(c)] += factor * number(value);
}

/// What a position adds.
void add_position(const recheck::Weights& weights, long p, Vector& h) {
  const Json& position = weights.position;
  const std::string& kind = position.at("kind").string();
  const auto row = [&](const Json& list) { return recheck::to_row(list, weights.width); };
  if (kind == "first-flag") return add(h, row(position.at(p == 0 ? "first" : "rest")));
  if (position.has("parity")) add(h, row(position.at("parity")), p % 2 == 0 ? 1 : -1);
  const Number offset =
      position.has("offset") ? static_cast<Number>(position.at("offset").integer(1, 1 << 30)) : 0;
  for (const Json& fill : position.at("fills").array()) {
    const Vector code =
        code_of(kind, offset, std::max(p - fill.at("back").integer(0, 1 << 30), 0L));
    for (std::size_t i = 0; i < code.size(); ++i)
      h[static_cast<std::size_t>(fill.at("at").items[i].integer(0, weights.width - 1))] +=
          code[i] * number(fill.at("scale").rational());
  }
}

}  // namespace

Vector Matrices::apply(const recheck::Matrix& matrix, const Vector& z) {
  const auto [found, fresh] = entries_.try_emplace(&matrix);
  if (fresh)
    for (const auto& [r, row] : matrix.at)
      for (const auto& [c, value] : row)
        found->second.push_back(
            {static_cast<std::size_t>(r), static_cast<std::size_t>(c), number(value)});
  Vector out(static_cast<std::size_t>(matrix.rows));
  for (const Entry& entry : found->second) out[entry.row] += entry.value * z[entry.column];
  return out;
}

Vector code_of(const std::string& kind, Number parameter, long position) {
  const auto p = static_cast<Number>(position);
  if (kind == "phi") return {p / std::hypot(p, parameter), parameter / std::hypot(p, parameter)};
  if (kind == "circle") return circle(p + 1);
  if (kind == "fine") {
    const Vector code = circle(parameter + 2 * p);
    return {-code[0], code[1]};
  }
  int level = 0;  // two-circle
  while (1L << (level + 1) <= position + 1) ++level;
  Vector code = circle((p + 1) / static_cast<Number>(1L << level));
  const Vector second = circle(static_cast<Number>(level + 1));
  code.insert(code.end(), second.begin(), second.end());
  return code;
}

long loops_of(const recheck::Weights& weights, long size) {
  const Json& unroll = weights.unroll;
  if (unroll.has("loops")) return unroll.at("loops").integer(0, 1000);
  const long base = unroll.has("base") ? unroll.at("base").integer(2, 1000) : 2;
  long loops = 0;
  for (long reached = 1; reached < size - unroll.at("minus").integer(0, 1); reached *= base)
    ++loops;
  return loops;
}

Run::Run(const recheck::Weights& weights, Matrices& matrices, const Input& input)
    : weights_(weights), matrices_(matrices) {
  const auto width = static_cast<std::size_t>(weights.width);
  const auto& names = weights.input;
  const bool mirrored = names.has("mirrored") && names.at("mirrored").boolean();
  for (std::size_t p = 0; p < input.kinds.size(); ++p) {
    Vector& x = h.emplace_back(width);
    if (!weights.embedding.empty())
      add(x, weights.embedding[static_cast<std::size_t>(input.kinds[p])]);
    add_position(weights, static_cast<long>(p), x);
    const Vector given = input.rows.empty() ? Vector() : input.rows[p];
    for (std::size_t i = 0; i < given.size(); ++i) {
      x[i] += given[i];
      if (mirrored) x[i + width / 2] -= given[i];
    }
  }
}

Vector Run::normalised(const recheck::Row& mask, const Vector& from) const {
  Vector x(from.size());
  for (const auto& [c, factor] : mask)
    x[static_cast<std::size_t>(c)] = number(factor) * from[static_cast<std::size_t>(c)];
  Number sum = 0, squares = 0;
  for (const Number value : x) sum += value;
  if (weights_.layernorm)
    for (Number& value : x) value -= sum / weights_.width;
  for (const Number value : x) squares += value * value;
  const Number factor = squares < 1e-26L ? 0 : std::sqrt(weights_.width / squares);
  for (Number& value : x) value *= factor;
  return x;
}

void Run::attention(const recheck::Layer& layer) {
  if (layer.heads.empty()) return;
  std::vector<Vector> z, sums = h;
  for (const Vector& x : h) z.push_back(normalised(layer.attention_mask, x));
  for (const recheck::Head& head : layer.heads) {
    std::vector<Vector> keys, values;
    for (const Vector& x : z) {
      keys.push_back(matrices_.apply(head.key, x));
      values.push_back(matrices_.apply(head.output, matrices_.apply(head.value, x)));
    }
    for (std::size_t i = 0; i < h.size(); ++i) {
      const Vector query = matrices_.apply(head.query, z[i]);
      Vector scores;
      for (std::size_t j = 0; j < (head.causal ? i + 1 : h.size()); ++j)
        scores.push_back(std::inner_product(query.begin(), query.end(), keys[j].begin(), Number()));
      const Number best = *std::max_element(scores.begin(), scores.end());
      const auto wins = [&](Number score) { return score >= best - 1e-13L * (1 + std::abs(best)); };
      const auto winners = static_cast<Number>(std::count_if(scores.begin(), scores.end(), wins));
      for (std::size_t j = 0; j < scores.size(); ++j)
        for (std::size_t c = 0; wins(scores[j]) && c < h[i].size(); ++c)
          sums[i][c] += values[j][c] / winners;
    }
  }
  h = std::move(sums);
}

void Run::feed_forward(const recheck::Layer& layer) {
  for (Vector& x : h) {
    Vector units = matrices_.apply(layer.in, normalised(layer.feedforward_mask, x));
    for (Number& unit : units) unit = std::max<Number>(unit, 0);
    const Vector added = matrices_.apply(layer.out, units);
    for (std::size_t c = 0; c < added.size(); ++c) x[c] += added[c];
  }
}

namespace {

using namespace recheck;

constexpr Number kClose = 1e-7L;

Number signum(Number x) {
  return std::abs(x) < 1e-9L ? 0 : std::copysign(1.0L, x);
}

}  // namespace

/// The tokens of a kind act as this map, by the labels that its embedding holds.
void Truth::find_maps(const Products& products) {
  Matrices unused;
  for (int kind = 0; kind < static_cast<int>(weights_.kinds.size()); ++kind) {
    const bool first =
        kind == 0 && weights_.kinds[0] == "<begin>";  // it stands first, and nothing else does
    Input input;
    input.kinds.assign(first ? 1 : 2, kind);
    const Vector h = Run(weights_, unused, input).h.back();
    Images& map = maps_.emplace_back();
    for (const Decoded& point : products.decode) {
      int label = 0;
      if (point.cell >= 0)
        for (const Held& held : products.cells[static_cast<std::size_t>(point.cell)].at)
          if (std::abs(h[static_cast<std::size_t>(held.coordinate)] - number(held.factor)) < kClose)
            label = held.label;
      map.push_back(point.image(label));
    }
  }
}

Snapshot::Snapshot(const Accepted& of) : frame(of.frame), streams(of.streams) {
  if (of.products) products = *of.products;
  if (of.machine) machine = *of.machine;
  if (of.signs) signs = *of.signs, compared = *of.compared;
}

Truth::Truth(const Weights& weights, const std::string& theorem, const Input& input)
    : weights_(weights), theorem_(theorem), input_(input) {}

// Classes of tokens.

long Truth::count(const Snapshot& known, int counter, long p) const {
  const Counter& of = known.machine->counters[static_cast<std::size_t>(counter)];
  const std::vector<int>& classes = classes_.at(of.stage);
  long sum = 0;
  for (long j = 1; j <= p; ++j)
    if (const auto found = of.weights.find(classes[static_cast<std::size_t>(j)]);
        found != of.weights.end())
      sum += found->second;
  return sum;
}

int Truth::class_by_signs(const Snapshot& known, long p) const {
  for (const auto& [x, name] : known.signs) {
    bool good = name[0] == input_.kinds[static_cast<std::size_t>(p)];
    for (std::size_t i = 1; good && i < name.size(); ++i) {
      Number sum = 0;
      const Token token{known, p};
      for (const auto& [v, factor] :
           known.frame.signs[static_cast<std::size_t>(known.compared[i - 1])])
        sum += number(factor) * *number_of(token, v, p);
      good = (name[i] & (1 << (static_cast<int>(signum(sum)) + 1))) != 0;
    }
    if (good) return x;
  }
  return -1;
}

void Truth::find_classes(const Snapshot& known) {
  if (!known.machine) return;
  const Machine& machine = *known.machine;
  const auto stage = static_cast<int>(machine.stages.size());
  if (classes_.empty()) classes_[0] = input_.kinds;
  std::vector<int> found = {machine.begin_class};
  int state = 0;
  for (std::size_t p = known.signs.empty() ? 1 : 0; p < input_.kinds.size(); ++p)
    if (!known.signs.empty()) {
      found.resize(p);
      found.push_back(class_by_signs(known, static_cast<long>(p)));
    } else {
      const auto& [own, after] =
          machine
              .next[static_cast<std::size_t>(state)][static_cast<std::size_t>(input_.kinds[p] - 1)];
      found.push_back(own);
      state = after;
    }
  classes_[stage] = std::move(found);
}

// Atoms.

std::optional<Number> Truth::number_of(const Token& token, int v, long p) const {
  if (v == kPosition) return static_cast<Number>(p);
  if (v == kRest) return static_cast<Number>(p % input_.divisor);
  if (v == kLess)
    return static_cast<Number>(std::count(active_.begin(), active_.begin() + p + 1, true) - 1);
  if (v == kStride) return stride_;
  if (v == kBefore) return before_;
  if (v == kDivisor) return static_cast<Number>(input_.divisor);
  if (v == kUnit) return 1.0L;
  if (theorem_ != "selections") return static_cast<Number>(count(token.known, v, p));
  const auto found = value(token, token.known.frame.numbers[static_cast<std::size_t>(v)]);
  if (!found) return {};
  return *found * static_cast<Number>(p + 1);
}

std::optional<Number> Truth::of_division(const Token& token, const Atom& atom) const {
  const long p = token.p, m = input_.divisor, a = input_.arguments[static_cast<std::size_t>(p)];
  const Frame& frame = token.known.frame;
  const auto ratio = static_cast<Number>(p) / static_cast<Number>(m);
  long near = 0;
  if (atom.cell.kind == 'Y' || atom.cell.id == kNear) {
    Number best = 0;
    for (long j = 0; j <= p; ++j) {
      const Vector code = code_of("phi", number(frame.parameter), j);
      const Number score = ratio * code[0] + number(frame.parameter) * code[1];
      if (score > best) best = score, near = j;
    }
  }
  switch (atom.cell.kind) {
    case 'N':
      return number_of(token, atom.cell.id, p);
    case 'E':
      return p % m == 0 ? 1 : -1;
    case 'W':
      return 1 / static_cast<Number>(p % m + 1);
    case 'Y':
      return p % m == 0 ? 0 : signum(static_cast<Number>(near) - ratio);
    default:  // K: ids in their order
      const long places[] = {p, near, p / m, a, a / m};
      return code_of(frame.code, number(frame.parameter),
                     places[atom.cell.id])[static_cast<std::size_t>(atom.part)];
  }
}

/// Whether the letters of the last `length` positions up to one, cut off at the first, act as the label of the atom.
Number Truth::product_is(const Snapshot& known, const Atom& atom, long last, long length) const {
  const Products& products = *known.products;
  Images images = products.cells[static_cast<std::size_t>(atom.cell.id)].points;
  for (long j = std::max(last - length + 1, 0L); j <= last; ++j)
    for (int& image : images)
      image = maps_[static_cast<std::size_t>(input_.kinds[static_cast<std::size_t>(j)])]
                   [static_cast<std::size_t>(image)];
  return products.cells[static_cast<std::size_t>(atom.cell.id)].label_of.at(images) == atom.part;
}

Number Truth::label(const Token& token, const Atom& atom) const {
  const auto at = [&](Shift b) { return static_cast<long>(b.strides * stride_) + b.constant; };
  return product_is(token.known, atom, std::max(token.p - at(atom.cell.at), 0L),
                    at(lengths_.at(atom.cell.version)));
}

void Truth::find_active() {
  if (theorem_ != "levels") return;
  active_.clear();
  for (std::size_t p = 0; p < input_.kinds.size(); ++p)
    active_.push_back(input_.kinds[p] != 0 && (p + 1) % static_cast<std::size_t>(stride_) == 0);
}

std::optional<Number> Truth::of_tree(const Token& token, const Atom& atom) const {
  const long p = token.p;
  const auto active = [&](long q) { return active_[static_cast<std::size_t>(std::max(q, 0L))]; };
  const auto sign = [](bool holds) { return holds ? 1 : -1; };
  long last = p;  // the last token after an active one
  while (last >= 0 && !active(last - 1)) --last;
  const auto c = std::count(active_.begin(), active_.begin() + p + 1, true);
  switch (atom.cell.kind) {
    case 'A':
      return sign(active(p));
    case 'B':
      return sign(active(p - 1));
    case 'J':
      return sign(last >= 0);
    case 'G':
      return sign(std::max(c - 1, 0L) % 2 == 0);
    default:
      break;
  }
  long at = p;  // X
  if (atom.cell.at == Shift{0, 2}) at = std::max(p - 1, 0L);
  if (atom.cell.at == Shift{0, 1}) {
    if (last < 0) return {};
    at = std::max(last - 1, 0L);
  }
  const bool letter = input_.kinds[static_cast<std::size_t>(at)] != 0;
  const long n = letter ? at + 1 : at, s = static_cast<long>(stride_);
  const long length = active(at) ? s : n % s;
  return product_is(token.known, atom, letter ? at : at - 1, length);
}

std::optional<Number> Truth::atom(const Token& token, const Atom& atom) const {
  if (atom == kOne) return 1.0L;
  const auto& [kind, id, version, at] = atom.cell;
  const Frame& frame = token.known.frame;
  const long p = token.p;
  const auto part = static_cast<std::size_t>(atom.part);
  if (kind == 'V') return 1 / static_cast<Number>(p + 1);
  if (kind == 'D') {
    const long q = version == kArgument ? input_.arguments[static_cast<std::size_t>(p)] : p;
    Number sum = 0;
    const Weighted& weights = frame.laws.directions[static_cast<std::size_t>(id)];
    std::vector<Number> numbers;
    for (const auto& [v, weight] : weights) {
      const auto found = number_of(token, v, q);
      if (!found) return {};
      numbers.push_back(*found);
      sum += number(weight) * *found * *found;
    }
    return numbers[part] / std::sqrt(sum);
  }
  if (kind == 'M') {
    const auto found = number_of(token, id, p);
    return *found / static_cast<Number>(p + 1);
  }
  if (kind == 'Z') {
    Number sum = 0;
    for (const auto& [v, factor] : frame.signs[static_cast<std::size_t>(id)])
      sum += number(factor) * *number_of(token, v, p);
    return signum(sum);
  }
  if (kind == 'H') return code_of(frame.code, number(frame.parameter), (p + id) / version)[part];
  if (kind == 'U' || (kind == 'K' && id != 0 && theorem_ == "selections")) {
    const auto found = token.unknowns.find(atom);
    if (found == token.unknowns.end()) return {};
    return found->second;
  }
  if (theorem_ == "division") return of_division(token, atom);
  if (theorem_ == "levels" && std::string("ABJGX").find(kind) != std::string::npos)
    return of_tree(token, atom);
  if (kind == 'X') return label(token, atom);
  const long q = std::max(p - static_cast<long>(at.strides * stride_) - at.constant, 0L);
  if (kind == 'T') return input_.kinds[static_cast<std::size_t>(q)] == atom.part;
  if (kind == 'O') return (q == 0) == (atom.part == 0);
  if (kind == 'P') return q % 2 == 0 ? 1 : -1;
  return code_of(frame.code, number(frame.parameter), q).at(part);  // K
}

std::optional<Number> Truth::value(const Token& token, const Form& form) const {
  Number sum = 0;
  for (const auto& [term, factor] : form) {
    const auto found = atom(token, term);
    if (!found) return {};
    sum += number(factor) * *found;
  }
  return sum;
}

// Comparison.

/// Whether every form has the value of its number. An unknown number is what one of the forms makes it, within its bounds.
bool Truth::fits(Token& token, const Stream& stream, const Vector& h, std::string& difference) {
  const auto differs = [&](std::size_t c, const std::string& what) {
    difference = "token " + std::to_string(token.p) + ", coordinate " + std::to_string(c) + ": " +
                 what + ", found " + std::to_string(static_cast<double>(h[c])) + "; form " +
                 shown(at(stream, static_cast<int>(c)));
    return false;
  };
  std::vector<bool> done(h.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < h.size(); ++c) {
      if (done[c]) continue;
      Number sum = 0;
      std::vector<std::pair<Atom, Number>> left;
      for (const auto& [term, factor] : at(stream, static_cast<int>(c)))
        if (const auto found = atom(token, term))
          sum += number(factor) * *found;
        else
          left.emplace_back(term, number(factor));
      if (left.size() > 1) continue;
      done[c] = true;
      ++compared;
      if (left.empty()) {
        if (std::abs(sum - h[c]) > kClose * (1 + std::abs(sum)))
          return differs(c, "expected " + std::to_string(static_cast<double>(sum)));
        continue;
      }
      const auto& [unknown, factor] = left[0];
      const Number found = (h[c] - sum) / factor;
      const Laws& laws = token.known.frame.laws;
      const char kind = unknown.cell.kind;
      if (kind == 'X') continue;  // of a token that is not there
      const recheck::Unknown known =
          kind == 'U' ? laws.unknowns[static_cast<std::size_t>(unknown.cell.id)]
                      : recheck::Unknown{-laws.largest(unknown.cell), laws.largest(unknown.cell)};
      if (found < number(known.low) - kClose || found > number(known.high) + kClose)
        return differs(c, "out of bounds");
      if (kind == 'D') continue;
      token.unknowns[unknown] = found;
      more = true;
    }
  }
  return true;
}

std::string Truth::compare(const Snapshot& known, const std::vector<Vector>& h, Number stride,
                           Number before) {
  stride_ = stride, before_ = before;
  if (known.products) lengths_[known.products->version] = known.products->length;
  find_classes(known);
  find_active();
  if (known.products && maps_.empty()) find_maps(*known.products);
  for (std::size_t p = 0; p < h.size(); ++p) {
    std::string difference = "token " + std::to_string(p) + ": no class";
    bool good = false;
    for (const auto& [x, stream] : known.streams) {
      const bool candidate = theorem_ == "selections" ? (x < 0) == (p == 0)
                             : known.machine          ? x == classes_.rbegin()->second[p]
                                                      : true;
      Token token{known, static_cast<long>(p)};
      if (!good && candidate) good = fits(token, stream, h[p], difference);
    }
    if (!good) return difference;
  }
  return "";
}

}  // namespace logdepth::oracle_numbers
