// What tables read from the result of the task `words`.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learned/report/share_interval.hpp"
#include "learned/word_problems/n_star.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/radix_circuit.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/subgroups.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

/// Whether all groups of the monoid that the letters generate are solvable; absent where it is too large.
std::optional<bool> is_solvable(const Action& action) {
  const auto all = enumerate_monoid(action.generators, action.points, kMostElements);
  if (!all) return std::nullopt;
  return examine_subgroups(*all).derived_length.has_value();
}

/// The same of a name; absent of an unknown one.
std::optional<bool> is_solvable(const std::string& monoid) {
  static std::map<std::string, std::optional<bool>> known;  // records ask for few, each many times
  if (const auto found = known.find(monoid); found != known.end()) return found->second;
  std::optional<bool> solvable;
  try {
    solvable = is_solvable(named_monoid(monoid, NamedLetters::generators));
  } catch (const InputError&) {  // a record of another version's monoid
  }
  return known[monoid] = solvable;
}

/// The same of an automaton, by the name that is its own.
std::optional<bool> is_solvable_automaton(const std::string& name, const Dfa& automaton) {
  static std::map<std::string, std::optional<bool>> known;
  const auto found = known.find(name);
  return found != known.end() ? found->second : known[name] = is_solvable(to_action(automaton));
}

std::optional<Dfa> automaton_of_result(const RecordFields& result) {
  const RecordFields own = result.object("automaton");
  return automaton_from_json({{"letters", own.list("letters")},
                              {"initial", own.count("initial", 0)},
                              {"accepting", own.list("accepting")},
                              {"next", own.list("next")}});
}

/// Words that were measured at each index: `words`, or what the result has of words of many lengths.
std::vector<double> asked_of(const RecordFields& result) {
  std::vector<double> asked;
  if (!result.has("asked"))
    return std::vector<double>(result.has("accuracy") ? result.shares("accuracy").size() : 0,
                               result.has("words") ? result.number("words") : 0);
  for (const nlohmann::ordered_json& count : result.list("asked"))
    asked.push_back(count.is_number() ? count.get<double>() : 0);
  return asked;
}

/// How far a network got, from the fields that a result has for one number of loops. `asked`: words at each
/// index.
DepthReading::Point point_of(const RecordFields& fields, const std::vector<double>& asked,
                             double threshold) {
  DepthReading::Point point{fields.number("strict"), fields.truth("censored")};
  if (fields.has("loose")) point.loose = fields.number("loose");
  if (!fields.has("accuracy")) return point;
  const std::vector<double> accuracy = fields.shares("accuracy");
  if (accuracy.size() != asked.size() || accuracy.empty() || asked.back() < 1) return point;
  std::vector<double> low, high;
  for (std::size_t i = accuracy.size(); i-- > 0;) {
    if (asked[i] < 1) {  // as good as the next
      low.push_back(low.back());
      high.push_back(high.back());
      continue;
    }
    const ShareInterval interval = share_interval(accuracy[i], asked[i]);
    low.push_back(interval.low);
    high.push_back(interval.high);
  }
  std::ranges::reverse(low);
  std::ranges::reverse(high);
  const auto reach = [&](const std::vector<double>& bounds) {
    return static_cast<double>(n_star(bounds, threshold).strict);
  };
  point.interval = {reach(low), reach(high)};
  return point;
}

}  // namespace

std::optional<DepthReading> WordTaskConfig::depth_reading(const RecordFields& result) const {
  DepthReading reading;
  reading.problem = monoid.empty() ? result.text("monoid") : monoid;
  reading.reach = "n*";
  reading.unit = "letters";
  reading.threshold = threshold;
  reading.size = result.number("length");
  const char* const trained = result.has("trained_length") ? "trained_length" : "length";
  reading.unfinished = result.number(trained) < max_length;
  const std::vector<double> asked = asked_of(result);
  reading.points = {point_of(result, asked, threshold)};
  if (result.has("accuracy")) reading.accuracy = result.shares("accuracy");
  if (monoid.empty()) {
    if (result.has("automaton"))
      if (const std::optional<Dfa> own = automaton_of_result(result))
        reading.solvable = is_solvable_automaton(reading.problem, *own);
  } else {
    reading.solvable = is_solvable(monoid);
  }
  if (result.has("by_loops"))
    for (const nlohmann::ordered_json& item : result.list("by_loops")) {
      const RecordFields entry = result.entry("by_loops", item);
      reading.points.push_back(point_of(entry, asked, threshold));
      reading.points.back().loops = entry.count("loops");
    }
  reading.free_settings = {"max_length", "validation"};
  if (result.has("circuit")) {
    const RecordFields circuit = result.object("circuit");
    for (const nlohmann::ordered_json& item : circuit.list("levels"))
      reading.circuit.push_back(circuit.entry("levels", item).share(kDoublingShare));
  }
  reading.controls = {{"shuffled_labels", "shuffled labels"}, {"edges", "imposed edges"}};
  return reading;
}

}  // namespace logdepth::inline learned_word_problems
