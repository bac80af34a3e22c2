#include "tests/support/scan_moments.hpp"

#include <algorithm>

namespace logdepth::support {

ScanReach::ScanReach(const Action& action)
    : monoid_(*enumerate_monoid(action.generators, action.points, 1000)),
      table_(monoid_.product_table()) {
  Doubling now;
  now.exactly = {monoid_.generator.begin(), monoid_.generator.end()};
  now.up_to = now.exactly;
  now.up_to.insert(0);  // element 0 is the identity
  now.below = {0};
  // The next one is a function of this one: when it returns, every length has been seen.
  while (std::find(steps_.begin(), steps_.end(), now) == steps_.end()) {
    steps_.push_back(now);
    Doubling next;
    next.exactly = times(now.exactly, now.exactly);
    next.up_to = now.up_to;
    next.up_to.merge(times(now.exactly, now.up_to));
    next.below = now.below;
    next.below.merge(times(now.exactly, now.below));
    now = std::move(next);
  }
  returns_to_ =
      static_cast<std::size_t>(std::find(steps_.begin(), steps_.end(), now) - steps_.begin());
}

Elements ScanReach::times(const Elements& left, const Elements& right) const {
  Elements found;
  for (const auto a : left)
    for (const auto b : right) found.insert(product(a, b));
  return found;
}

std::vector<const ScanReach::Doubling*> ScanReach::at_step(std::size_t step) const {
  std::vector<const Doubling*> found;
  if (step == kAnyStep) {
    for (const Doubling& at : steps_) found.push_back(&at);
    return found;
  }
  if (step >= steps_.size())
    step = returns_to_ + (step - returns_to_) % (steps_.size() - returns_to_);
  return {&steps_[step]};
}

std::set<Pair> ScanReach::pairs(std::size_t step) const {
  std::set<Pair> found;
  for (const Doubling* at : at_step(step)) {
    for (const auto u : at->up_to)
      for (const auto v : at->exactly) found.insert({u, v});
    for (const auto v : at->below) found.insert({0, v});
  }
  return found;
}

Elements ScanReach::owned(std::size_t step) const {
  Elements found;
  for (const Doubling* at : at_step(step)) found.insert(at->up_to.begin(), at->up_to.end());
  return found;
}

Elements ScanReach::products() const {
  const Elements letters(monoid_.generator.begin(), monoid_.generator.end());
  Elements found = letters;
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    found.merge(times(found, letters));
  }
  return found;
}

void ScanReach::simulate(const Word& word, std::size_t loops,
                         const std::function<void(std::size_t, const Pair&)>& visit) const {
  std::vector<std::uint32_t> now = {0};
  for (const Letter letter : word) now.push_back(monoid_.generator[letter]);
  for (std::size_t step = 0, s = 1; step < loops; ++step, s *= 2) {
    const auto before = now;
    for (std::size_t p = 0; p < now.size(); ++p) {
      const auto fetched = before[p >= s ? p - s : 0];
      visit(step, {fetched, before[p]});
      now[p] = product(fetched, before[p]);
    }
  }
}

void ScanReach::spell(const Program& program, const std::string& cell, std::uint32_t element,
                      FiniteValues& values) const {
  for (CellId id = 0; id < program.cells.size(); ++id) {
    const std::string& name = program.cells[id].name;
    if (name == cell) values[id] = element;
    if (!name.starts_with(cell + ".")) continue;
    const auto& labels = std::get<OneHotType>(program.cells[id].type).labels;
    const State image = monoid_.elements[element].at(std::stoul(name.substr(cell.size() + 1)));
    values[id] = static_cast<std::uint32_t>(
        std::find(labels.begin(), labels.end(), std::to_string(image)) - labels.begin());
  }
}

namespace {

class MomentBuilder {
 public:
  MomentBuilder(const Program& program, const Model& model, const ScanReach& reach)
      : p_(program), model_(model), reach_(reach), ranges_(program, model) {}

  Moments build() {
    const auto limit = model_.unroll.max_length;
    if (flag_) add_initial_layer();
    const std::size_t loops = model_.layers.size() - moments_.layers.size();
    for (std::size_t loop = 0; loop < loops; ++loop) {
      const std::size_t step = limit ? loop : kAnyStep;
      auto& layer = moments_.layers.emplace_back();
      if (limit && !flag_) {
        add_positions(layer, step, *limit);
      } else {
        for (const auto element : reach_.owned(step))
          add(layer.attention, element, {{}, {}, codes_});
        for (const auto& pair : reach_.pairs(step)) {
          RangeBuilder::Holding holding{{}, {}, codes_};
          holding.filled.merge(cells_named(p_, {"sE"}));
          add(layer.feedforward, pair, std::move(holding));
        }
      }
      moments_.finite_combinations += reach_.pairs(step).size();
    }
    const Elements products = reach_.products();
    for (std::uint32_t element = 0; element < reach_.monoid().size(); ++element) {
      add(moments_.verdicts, element, {{}, {}, codes_});
      if (products.contains(element)) add(moments_.prefixes, element, {{}, {}, codes_});
    }
    return std::move(moments_);
  }

 private:
  using Holding = RangeBuilder::Holding;

  /// The first token holds the identity and, like no other, the flag.
  void finish(std::vector<TokenRanges>& to, Holding holding, bool may_be_first) {
    if (flag_) holding.values[*flag_] = 0;
    to.push_back(ranges_.build(holding));
    if (!flag_ || !may_be_first) return;
    holding.values[*flag_] = 1;
    to.push_back(ranges_.build(holding));
  }
  void add(std::vector<TokenRanges>& to, std::uint32_t element, Holding holding) {
    reach_.spell(p_, "d", element, holding.values);
    finish(to, std::move(holding), element == 0);
  }
  void add(std::vector<TokenRanges>& to, const Pair& pair, Holding holding) {
    reach_.spell(p_, "sd", pair.first, holding.values);
    reach_.spell(p_, "d", pair.second, holding.values);
    finish(to, std::move(holding), pair == Pair{0, 0});
  }

  void add_initial_layer() {
    auto& layer = moments_.layers.emplace_back();
    Elements letters(reach_.monoid().generator.begin(), reach_.monoid().generator.end());
    letters.insert(0);
    for (const auto element : letters) {
      add(layer.attention, element, {});
      add(layer.feedforward, element, {{}, {}, cells_named(p_, {"a"})});
    }
  }

  /// Step L of a model with a limit: token p holds its own code and that of max(p - 2^L, 0), and
  /// fetches from there.
  void add_positions(Moments::Layer& layer, std::size_t step, std::uint64_t limit) {
    const std::uint64_t s = std::uint64_t{1} << step;
    const auto back = [&](std::uint64_t p) { return p >= s ? p - s : 0; };
    std::set<CellId> finite;
    for (CellId cell = 0; cell < p_.cells.size(); ++cell)
      if (p_.cells[cell].name.starts_with("d")) finite.insert(cell);
    for (std::uint64_t p = 0; p <= limit; ++p) {
      const Positions own{{*p_.find("I"), p}, {*p_.find("E"), back(p)}};
      layer.positions.push_back(ranges_.build({{}, own, finite}));
      for (const auto element : reach_.owned(step)) {
        add(layer.attention, element, {{}, own, {}});
        if (p + s <= limit || p == 0) add(layer.selected, element, {{}, own, {}});
      }
      Positions both = own;
      both[*p_.find("sE")] = back(back(p));
      for (const auto& pair : reach_.pairs(step)) add(layer.feedforward, pair, {{}, both, {}});
    }
  }

  const Program& p_;
  const Model& model_;
  const ScanReach& reach_;
  const RangeBuilder ranges_;
  const std::optional<CellId> flag_ = p_.find("fst");
  const std::set<CellId> codes_ = cells_named(p_, {"a", "I", "E"});
  Moments moments_;
};

}  // namespace

Moments scan_moments(const Program& program, const Model& model, const ScanReach& reach) {
  return MomentBuilder(program, model, reach).build();
}

}  // namespace logdepth::support
