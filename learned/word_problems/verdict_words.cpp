#include "learned/word_problems/verdict_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

/// Steps of the program from one length to the next; fewer states are kept of large alphabets.
constexpr std::size_t kMostSteps = 12288;

/// One of a list, drawn by probability; the last where all are too small for a double.
template <class Arcs>
const auto& drawn(const Arcs& arcs, CounterRandom& random) {
  const double at = random.unit() * arcs.back().upto;
  const auto found =
      std::ranges::upper_bound(arcs, at, {}, [](const auto& arc) { return arc.upto; });
  return found == arcs.end() ? arcs.back() : *found;
}

template <class Arcs>
void add(Arcs& arcs, std::uint32_t from, std::uint32_t letter, double probability) {
  arcs.push_back({from, letter, probability + (arcs.empty() ? 0 : arcs.back().upto)});
}

}  // namespace

VerdictWords::VerdictWords(const CraspProgram& program, std::uint32_t longest)
    : program_(&program), longest_(std::min(longest, kLongest)) {
  levels_.emplace_back().states.push_back({1});
  runs_.emplace_back(program);
  bool seen[2] = {false, false};
  while (levels_.size() <= longest_ && !(seen[0] && seen[1])) {
    extend();
    for (const int verdict : {0, 1}) seen[verdict] |= !levels_.back().with[verdict].empty();
  }
  if (seen[0] && seen[1]) return;
  throw InputError(fmt::format(
      "{}: expected a program that accepts some words of at most {} letters and rejects some, "
      "found {} accepted",
      program.source, longest_, seen[1] ? "all" : "none"));
}

void VerdictWords::extend() const {
  const auto letters = static_cast<std::uint32_t>(program_->alphabet.size());
  const std::size_t most = std::clamp<std::size_t>(kMostSteps / letters, 16, kMostStates);
  const Level& last = levels_.back();
  std::vector<Reached> reached;
  std::vector<CraspRun> runs;
  std::map<std::pair<std::vector<std::int64_t>, bool>, std::size_t> known;
  for (std::uint32_t from = 0; from < runs_.size(); ++from)
    for (std::uint32_t letter = 0; letter < letters; ++letter) {
      CraspRun run = runs_[from];
      run.read(letter);
      const auto [at, added] = known.emplace(std::pair(run.memory(), run.accepts()), runs.size());
      if (added) {
        runs.push_back(std::move(run));
        reached.emplace_back();
      }
      Reached& state = reached[at->second];
      state.probability += last.states[from].probability / letters;
      add(state.arcs, from, letter, last.states[from].probability);
    }

  std::vector<std::uint32_t> kept(runs.size());
  std::iota(kept.begin(), kept.end(), 0u);
  if (kept.size() > most) {
    kept = CounterRandom(0, RandomStream::beginnings, levels_.size()).permutation(kept.size());
    std::ranges::stable_sort(kept, {}, [&](std::uint32_t i) { return reached[i].probability; });
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(most / 2),
               kept.end() - static_cast<std::ptrdiff_t>(most - most / 2));
  }
  Level next;
  std::vector<CraspRun> next_runs;
  for (const std::uint32_t i : kept) {
    add(next.with[runs[i].accepts()], static_cast<std::uint32_t>(next.states.size()), 0,
        reached[i].probability);
    next.states.push_back(std::move(reached[i]));
    next_runs.push_back(std::move(runs[i]));
  }
  levels_.push_back(std::move(next));
  runs_ = std::move(next_runs);
}

std::vector<std::uint32_t> VerdictWords::word_to(std::uint32_t length, bool verdict,
                                                 CounterRandom& random) const {
  std::uint32_t state = drawn(levels_[length].with[verdict], random).from;
  std::vector<std::uint32_t> word(length);
  for (std::uint32_t at = length; at > 0; --at) {
    const Arc& arc = drawn(levels_[at].states[state].arcs, random);
    word[at - 1] = arc.letter;
    state = arc.from;
  }
  return word;
}

std::vector<std::uint32_t> VerdictWords::draw(std::uint32_t length, CounterRandom& random) const {
  std::call_once(extended_, [&] {
    while (levels_.size() <= longest_) extend();
    runs_.clear();
  });
  const std::uint32_t most = std::min(length, longest_);
  std::uint32_t at = most;
  if (random.chance(0.5)) at = 1 + static_cast<std::uint32_t>(random.below(most));
  bool verdict = random.chance(0.5);
  if (levels_[at].with[verdict].empty()) verdict = !verdict;
  std::vector<std::uint32_t> word = word_to(at, verdict, random);
  while (word.size() < length)
    word.push_back(static_cast<std::uint32_t>(random.below(program_->alphabet.size())));
  return word;
}

}  // namespace logdepth::inline learned_word_problems
