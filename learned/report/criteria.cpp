#include "learned/report/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "report/report.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_report {
namespace {

using Json = nlohmann::ordered_json;

using Number = std::optional<double>;

/// The mean of the readings that have the number, with their samples as weights.
template <class Value>
Number weighted(const RunReadings& readings, Value RunReading::*value) {
  double sum = 0, samples = 0;
  for (const RunReading& one : readings)
    if (const Number number = one.*value) {
      sum += *number * one.samples;
      samples += one.samples;
    }
  return samples > 0 ? Number(sum / samples) : std::nullopt;
}

Number least_score(const RunReadings& readings) {
  return std::ranges::min(readings, {}, &RunReading::score).score;
}
Number most_score(const RunReadings& readings) {
  return std::ranges::max(readings, {}, &RunReading::score).score;
}
/// The most that a score is away from that of a coin.
Number from_half(const RunReadings& readings) {
  double most = 0;
  for (const RunReading& one : readings) most = std::max(most, std::fabs(one.score - 0.5));
  return most;
}
/// The largest size that is solved at some number of iterations.
Number largest(const RunReadings& readings) {
  double most = 0;
  for (const RunReading& one : readings)
    if (one.score >= 0.95 - kScoreRounding) most = std::max(most, one.at);
  return most;
}
/// The most that a score of one size loses from fewer iterations to more.
Number fall(const RunReadings& readings) {
  RunReadings ordered = readings;
  std::ranges::stable_sort(ordered, {},
                           [](const RunReading& one) { return one.iterations.value_or(0); });
  std::map<double, double> best;  // by size, so far
  double worst = 0;
  for (const RunReading& one : ordered) {
    double& highest = best.emplace(one.at, one.score).first->second;
    highest = std::max(highest, one.score);
    worst = std::max(worst, highest - one.score);
  }
  return worst;
}
/// The largest mean of all that was asked.
Number most_iterations(const RunReadings& readings) {
  std::map<std::string, RunReadings> asked;
  for (const RunReading& one : readings) asked[one.what].push_back(one);
  Number most;
  for (const auto& [what, some] : asked)
    most = std::max(most, weighted(some, &RunReading::iterations));
  return most;
}
/// Correlation of the ranks of iterations and sizes; 0 where all iterations are the same.
Number rank_of_iterations(const RunReadings& readings) {
  std::vector<WeightedPoint> ranks;
  for (const RunReading& one : readings) {
    WeightedPoint& rank = ranks.emplace_back();
    for (const RunReading& other : readings) {  // those that are equal share theirs
      rank.x += (other.at < one.at) + 0.5 * (other.at == one.at);
      rank.y += (other.iterations < one.iterations) + 0.5 * (other.iterations == one.iterations);
    }
  }
  const auto line = weighted_line(ranks);
  return line ? Number(line->slope == 0 ? 0 : std::copysign(std::sqrt(line->r2), line->slope))
              : std::nullopt;
}
/// Slope of the iterations on the size, right samples as weights.
Number iterations_on_size(const RunReadings& readings) {
  std::vector<WeightedPoint> points;
  for (const RunReading& one : readings)
    if (one.iterations) points.push_back({one.at, *one.iterations, one.samples * one.score});
  const auto line = weighted_line(points);
  return line ? Number(line->slope) : std::nullopt;
}

/// A run's readings to a number, as papers/NAME.json may name it; absent where they have none. Precondition: there are
/// readings.
using Statistic = Number (*)(const RunReadings& readings);
const std::map<std::string, Statistic>& statistics() {
  static const std::map<std::string, Statistic> kStatistics = {
      {"mean", [](const RunReadings& all) { return weighted(all, &RunReading::score); }},
      {"least", least_score},
      {"most", most_score},
      {"from half", from_half},
      {"n*", [](const RunReadings& all) { return Number(reached(all)); }},
      {"largest", largest},
      {"fall", fall},
      {"iterations", [](const RunReadings& all) { return weighted(all, &RunReading::iterations); }},
      {"most iterations", most_iterations},
      {"rank of iterations", rank_of_iterations},
      {"iterations on size", iterations_on_size}};
  return kStatistics;
}

/// An object whose members are known, and may be left out.
class Members : public RecordFields {
 public:
  Members(const Json& json, const std::string& place, std::initializer_list<const char*> known)
      : RecordFields(json, place) {
    if (!json.is_object()) throw InputError(place_ + ": expected an object");
    for (const auto& [name, value] : json.items())
      if (std::ranges::find(known, name) == known.end())
        throw InputError(fmt::format("{}.{}: unknown member, expected one of {}", place_,
                                     printable(name, kMostPrinted),
                                     joined({known.begin(), known.end()})));
  }

  const Json& operator[](const char* name) const { return json_.at(name); }
  std::string place(const char* name) const { return place_ + "." + name; }
  std::string text(const char* name) const { return has(name) ? RecordFields::text(name) : ""; }
  double number(const char* name, double otherwise) const {
    return has(name) ? RecordFields::number(name) : otherwise;
  }
  /// What the word there stands for; absent where there is none.
  template <class Value>
  std::optional<Value> word(const char* name, const std::map<std::string, Value>& known) const {
    if (!has(name)) return std::nullopt;
    if (const auto found = known.find(text(name)); found != known.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [word, value] : known) names.push_back(word);
    refuse(name, "one of " + joined(names));
  }
  /// What it makes of each item of a list, and of its place; nothing where there is no list.
  template <class Make>
  auto list(const char* name, const Make& make) const {
    std::vector<decltype(make(json_, place_))> items;
    if (!has(name)) return items;
    for (const Json& item : RecordFields::list(name))
      items.push_back(make(item, fmt::format("{}[{}]", place(name), items.size())));
    return items;
  }
  std::vector<std::string> texts(const char* name) const {
    return list(name, [](const Json& item, const std::string& at) {
      if (!item.is_string()) throw InputError(at + ": expected a word");
      return item.get<std::string>();
    });
  }
  std::vector<double> numbers(const char* name) const {
    return has(name) ? RecordFields::numbers(name) : std::vector<double>();
  }
};

Conditions conditions_of(const Members& of, const char* member) {
  Conditions conditions;
  if (!of.has(member)) return conditions;
  if (!of[member].is_object()) of.refuse(member, "an object of conditions");
  for (const auto& [name, wanted] : of[member].items()) {
    if (wanted.is_object())
      of.refuse(std::string(member) + "." + name, "a value, a comparison or a list");
    conditions.emplace_back(name, wanted);
  }
  return conditions;
}

/// A number is compared by `is`; "contains" and "excludes" are about the interval of a line.
Bound bound_of(const Members& of, bool line) {
  const std::string text = of.text("is");
  const std::size_t blank = text.find(' ');
  const std::string sign = text.substr(0, blank);
  const auto limit = blank == std::string::npos ? std::nullopt : number_in(text.substr(blank + 1));
  const bool known = line ? sign == "contains" || sign == "excludes"
                          : sign == "within" || comparison_of(text).has_value();
  if (!known || !limit)
    of.refuse("is",
              line ? "\"contains 4.8\" or \"excludes 4.8\"" : "as \">= 0.9\" or \"within 0.1\"");
  return {sign, *limit};
}

constexpr std::initializer_list<const char*> kAskMembers = {
    "text", "runs", "readings", "line",        "statistic",     "seeds",   "against",
    "as",   "is",   "equal",    "least_seeds", "least_samples", "settled", "errors"};

Ask ask_from(const Json& json, const std::string& place) {
  static const std::map<std::string, Ask::Seeds> kSeeds = {{"median", Ask::Seeds::median},
                                                           {"every", Ask::Seeds::every},
                                                           {"best", Ask::Seeds::best},
                                                           {"apart", Ask::Seeds::apart},
                                                           {"paired", Ask::Seeds::paired}};
  const Members of(json, place, kAskMembers);
  Ask ask;
  ask.text = of.text("text");
  ask.runs = conditions_of(of, "runs");
  ask.readings = conditions_of(of, "readings");
  if (of.has("line")) ask.line = conditions_of(of, "line");
  if (of.word("statistic", statistics())) ask.statistic = of.text("statistic");
  ask.seeds = of.word("seeds", kSeeds).value_or(ask.seeds);
  ask.errors = of.number("errors", 0);
  if (of.has("against")) {
    const Members against(of["against"], of.place("against"), {"runs", "readings"});
    ask.against = {against.has("runs"), conditions_of(against, "runs"),
                   conditions_of(against, "readings")};
  }
  ask.ratio = of.word<bool>("as", {{"ratio", true}}).value_or(false);
  ask.is = bound_of(of, ask.line.has_value());
  ask.equal = of.texts("equal");
  ask.least_seeds = static_cast<std::size_t>(of.number("least_seeds", 3));
  ask.least_samples = of.number("least_samples", 0);
  ask.settled = of.has("settled") && of["settled"] == true;
  const bool paired = ask.seeds == Ask::Seeds::paired;
  if ((ask.ratio || ask.seeds == Ask::Seeds::apart || paired) && !ask.against)
    of.refuse("against", "runs or readings to compare with");
  if (of.has("errors") && !paired) of.refuse("errors", "seeds that are paired");
  return ask;
}

/// One object over another.
Json over(Json below, const Json& above) {
  if (above.is_object())
    for (const auto& [name, value] : above.items()) below[name] = value;
  return below;
}

PaperCriterion criterion_from(const Json& json, const std::string& place) {
  if (!json.is_object()) throw InputError(place + ": expected an object");
  const std::initializer_list<const char*> own = {"id",   "text",      "asks",   "only_if",
                                                  "says", "published", "held_by"};
  Json mine = Json::object(), shared = Json::object();  // of the criterion; of every ask
  for (const auto& [name, value] : json.items())
    (std::ranges::find(own, name) == own.end() ? shared : mine)[name] = value;
  const Members of(mine, place, own);
  PaperCriterion criterion;
  criterion.id = of.text("id");
  criterion.text = of.text("text");
  if (criterion.id.empty() || criterion.text.empty())
    of.refuse("id", "a name, and a text beside it");
  if (of.has("published")) {
    const Members published(of["published"], of.place("published"), {"value", "place"});
    criterion.published = published.text("value");
    criterion.place = published.text("place");
  }
  if (of.has("says")) {
    const std::vector<std::string> says = of.texts("says");
    if (says.size() != 2) of.refuse("says", "two words");
    criterion.yes = says[0];
    criterion.no = says[1];
  }
  if (of.has("asks")) {
    criterion.asks = of.list("asks", [&](const Json& item, const std::string& at) {
      return ask_from(over(shared, item), at);
    });
  } else if (!shared.empty()) {
    criterion.asks = {ask_from(shared, place)};
  }
  criterion.held_by = of.text("held_by");
  if (criterion.asks.empty() == criterion.held_by.empty())
    of.refuse("asks", "conditions, or a member held_by alone");
  Json context = Json::object();
  for (const char* name : {"runs", "least_seeds"})
    if (shared.contains(name)) context[name] = shared[name];
  criterion.only_if = of.list("only_if", [&](const Json& item, const std::string& at) {
    return ask_from(over(context, item), at);
  });
  return criterion;
}

TablePart table_part_from(const Json& json, const std::string& place) {
  using Show = TablePart::Show;
  static const std::map<std::string, Show> kWords = {{"iterations", Show::iterations},
                                                     {"all iterations", Show::all_iterations},
                                                     {"n*", Show::n_star}};
  const Members of(json, place, {"of", "pooled", "readings", "show", "columns"});
  TablePart part;
  part.of = of.text("of");
  part.pooled = of.text("pooled");
  if (part.of.empty() == part.pooled.empty()) of.refuse("of", "a difficulty, or pooled ones");
  part.readings = conditions_of(of, "readings");
  part.columns = of.numbers("columns");
  if (of.has("show") && of["show"].is_number()) {
    part.show = Show::fewest_iterations;
    part.share = of.number("show", 0);
  } else {
    part.show = of.word("show", kWords).value_or(Show::score);
  }
  return part;
}

ReadingTable table_from(const Json& json, const std::string& place) {
  const Members of(
      json, place,
      {"name", "title", "where", "parts", "of", "pooled", "readings", "show", "columns"});
  Json shared = json;  // of every part
  for (const char* own : {"name", "title", "where", "parts"}) shared.erase(own);
  ReadingTable table{of.text("name"), of.text("title"), conditions_of(of, "where"), {}};
  table.parts = of.list("parts", [&](const Json& item, const std::string& at) {
    return table_part_from(over(shared, item), at);
  });
  if (table.parts.empty()) table.parts = {table_part_from(shared, place)};
  return table;
}

PublishedNumbers published_from(const Json& json, const std::string& place) {
  const Members of(json, place, {"table", "label", "at", "score", "line", "from", "to", "groups"});
  PublishedNumbers published;
  published.table = of.text("table");
  published.label = of.text("label");
  published.at = of.numbers("at");
  published.score = of.list("score", [](const Json& item, const std::string& at) {
    if (!item.is_number() && !item.is_null()) throw InputError(at + ": expected a number or null");
    return item.is_null() ? std::optional<double>() : std::optional(item.get<double>());
  });
  if (published.score.size() != published.at.size()) of.refuse("score", "a number for each of at");
  if (of.has("line")) {
    const std::vector<double> line = of.numbers("line");
    if (line.size() != 2) of.refuse("line", "a slope and an intercept");
    published.line = {line[0], line[1], 0};
  }
  published.from = of.number("from", 0);
  published.to = of.number("to", 0);
  published.groups = of.texts("groups");
  return published;
}

}  // namespace

PaperFile paper_from_json(const std::string& name, const std::string& text,
                          const std::string& place) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError(place + ": expected a JSON object");
  const Members of(json, place,
                   {"paper", "about", "runs", "layers", "scheduled", "scheduled_label", "label",
                    "say", "tables", "criteria", "published", "notes", "presets"});
  PaperFile paper;
  paper.name = name;
  paper.title = of.text("paper");
  paper.about = of.text("about");
  paper.runs = conditions_of(of, "runs");
  if (of.has("layers")) paper.layers = conditions_of(of, "layers");
  if (of.has("scheduled")) paper.scheduled = conditions_of(of, "scheduled");
  paper.scheduled_label = of.text("scheduled_label");
  paper.label = of.text("label");
  if (of.has("say"))
    for (const auto& [word, other] : conditions_of(of, "say")) {
      if (!other.is_string()) of.refuse("say", "words for words");
      paper.say[word] = other.get<std::string>();
    }
  paper.tables = of.list("tables", table_from);
  paper.criteria = of.list("criteria", criterion_from);
  paper.published = of.list("published", published_from);
  paper.notes = of.texts("notes");
  return paper;
}

void apply_preset(RunConfig& config, const std::string& paper, const std::string& name) {
  Json changes = Json::parse(paper_texts().at(paper)).at("presets").at(name);
  for (const Json& base : changes.value("after", Json::array())) apply_preset(config, paper, base);
  changes.erase("after");
  changes.erase("why");
  change_settings(config, changes, paper + ".json, presets." + name);
}

RunConfig preset(const std::string& paper, const std::string& name) {
  RunConfig config;
  apply_preset(config, paper, name);
  return config;
}

PaperFile paper_named(const std::string& name) {
  if (const auto found = paper_texts().find(name); found != paper_texts().end())
    return paper_from_json(name, found->second, name + ".json");
  if (name.ends_with(".json"))
    return paper_from_json(std::filesystem::path(name).stem().string(), read_json_file(name), name);
  std::vector<std::string> names;
  for (const auto& [known, text] : paper_texts()) names.push_back(known);
  throw InputError(fmt::format("--paper: expected one of {}, or a file NAME.json, found {}",
                               joined(names), in_quotes(name)));
}

namespace {

/// The numbers of the seeds of a series.
using SeedNumbers = std::map<std::uint64_t, double>;

std::vector<double> values_of(const SeedNumbers& numbers) {
  std::vector<double> values;
  for (const auto& [seed, value] : numbers) values.push_back(value);
  return values;
}

/// Seed by seed; without `theirs` the numbers themselves.
std::vector<double> differences(const SeedNumbers& ours, const SeedNumbers& theirs) {
  if (theirs.empty()) return values_of(ours);
  std::vector<double> values;
  for (const auto& [seed, value] : ours)
    if (const auto found = theirs.find(seed); found != theirs.end())
      values.push_back(value - found->second);
  return values;
}

/// Of differences, and its standard error; that of one is not known, and 0.
std::pair<double, double> mean_and_error(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : 0};
}

/// Whether readings have every one of these values, as "iterations": [1, 2, 3] names them one by one.
bool has_all(const RunReadings& readings, const std::string& name,
             const nlohmann::ordered_json& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& value) {
    return std::ranges::any_of(readings, [&](const RunReading& one) {
      return (name == "iterations" ? one.iterations : one.at) == value.template get<double>();
    });
  });
}

/// Of every seed that has all readings that the ask names one by one, of enough samples.
SeedNumbers seed_numbers(const RunSeries& series, const Ask& ask, const Conditions& where) {
  SeedNumbers numbers;
  for (const auto& [seed, run] : series.runs) {
    RunReadings readings = picked(run, where);
    const bool whole = std::ranges::all_of(where, [&](const auto& condition) {
      const auto& [name, wanted] = condition;
      return !wanted.is_array() || wanted.empty() || !wanted[0].is_number() ||
             has_all(readings, name, wanted);
    });
    std::erase_if(readings, [&](const RunReading& one) { return one.samples < ask.least_samples; });
    if (!whole || readings.empty()) continue;
    if (const auto number = statistics().at(ask.statistic)(readings)) numbers[seed] = *number;
  }
  return numbers;
}

/// One number of the seeds, of the difference to `theirs` where there are any, or of the ratio. Absent without a seed
/// in common, where seeds are compared one by one, and where the ratio has no divisor.
Number over_seeds(const SeedNumbers& ours, const SeedNumbers& theirs, const Ask& ask) {
  const auto median_of = [](const SeedNumbers& numbers) {
    return report::median(values_of(numbers)).value_or(0);
  };
  if (ask.ratio) {
    const double divisor = median_of(theirs);
    return divisor == 0 ? std::nullopt : std::optional(median_of(ours) / divisor);
  }
  const bool at_most = ask.is.sign.starts_with('<');
  if (ask.seeds == Ask::Seeds::median)
    return median_of(ours) - (theirs.empty() ? 0 : median_of(theirs));
  if (ask.seeds == Ask::Seeds::apart) {  // our worst less their best
    const auto [low, high] = std::ranges::minmax(values_of(ours));
    const auto [their_low, their_high] = std::ranges::minmax(values_of(theirs));
    return at_most ? high - their_low : low - their_high;
  }
  const std::vector<double> values = differences(ours, theirs);
  if (values.empty()) return std::nullopt;
  if (ask.seeds == Ask::Seeds::paired) {
    const auto [mean, error] = mean_and_error(values);
    return mean - ask.errors * error;
  }
  const auto [low, high] = std::ranges::minmax(values);
  return at_most == (ask.seeds == Ask::Seeds::every) ? high : low;  // the worst, or the best
}

/// "0.9 (0.7–1)": median, least and most.
std::string told(const SeedNumbers& numbers) {
  const auto range = report::range_of(values_of(numbers));
  const auto text = [](double value) {
    std::string digits = fixed_text(value, 3);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return digits;
  };
  if (!range) return "–";
  const std::string low = text(range->least), high = text(range->most);
  return low == high ? low : fmt::format("{} ({}–{})", text(range->median), low, high);
}

/// "+0.004 ± 0.001": the mean of differences, and its standard error.
std::string told(const std::vector<double>& differences) {
  if (differences.empty()) return "no seed in common";
  const auto [mean, error] = mean_and_error(differences);
  return fmt::format("{:+.3f}", mean) +
         (error > kScoreRounding ? fmt::format(" ± {:.3f}", error) : "");
}

/// Verdicts on fewer seeds are called preliminary.
constexpr std::size_t kSeedsOfAVerdict = 3;

using AllSeries = std::vector<const RunSeries*>;
using Name = std::function<std::string(const RunSeries&)>;

/// Of one ask; without a verdict it is undecided, and the remark says why.
struct Settled {
  std::optional<bool> verdict;
  std::string found = "–", remark = {};
};

std::string conditions_text(const Conditions& conditions) {
  std::vector<std::string> parts;
  for (const auto& [name, wanted] : conditions)
    parts.push_back(name + " " + (wanted.is_string() ? wanted.get<std::string>() : wanted.dump()));
  return joined(parts);
}

bool passes(double value, const Bound& is) {
  if (is.sign == "within") return std::fabs(value) < is.limit - kScoreRounding;
  const double rounding = is.sign == "<=" ? kScoreRounding : is.sign == ">=" ? -kScoreRounding : 0;
  return compares(value, is.sign, is.limit + rounding);
}

/// Whether the interval of the slope through the seeds' medians has a number.
Settled settle_line(const Ask& ask, const AllSeries& series) {
  const auto fit = layers_fit(among(series, *ask.line));
  if (!fit) return {{}, "–", "no three depths of " + conditions_text(*ask.line)};
  const std::string found = fmt::format("{} ({} to {}), r² {}", fixed_text(fit->doubling.slope, 1),
                                        fixed_text(fit->low, 1), fixed_text(fit->high, 1),
                                        fixed_text(fit->doubling.r2, 2));
  if (ask.settled && 2 * fit->improving > fit->networks)
    return {{}, found, share_text(fit->improving, fit->networks) + " networks still improve"};
  const bool inside = fit->low <= ask.is.limit && ask.is.limit <= fit->high;
  return {inside == (ask.is.sign == "contains"), found, ""};
}

/// A budget that all runs of a series had, or one of its settings; of steps and tokens the least.
nlohmann::ordered_json budget(const RunSeries& series, const std::string& name) {
  if (name != "steps" && name != "tokens") return series.setting(name);
  double least = HUGE_VAL;
  for (const auto& [seed, run] : series.runs)
    least = std::min(least, name == "steps" ? run.steps : run.tokens);
  return least;
}

/// The series that is compared, and its numbers.
using Rival = std::pair<const RunSeries*, SeedNumbers>;

/// The series to compare with at equal budgets; none, and a remark, where there is none.
std::vector<Rival> rivals_of(const Ask& ask, const RunSeries& judged, const AllSeries& series,
                             std::string& remark) {
  Conditions readings = ask.readings;
  for (const auto& condition : ask.against->readings) {
    std::erase_if(readings, [&](const auto& one) { return one.first == condition.first; });
    readings.push_back(condition);
  }
  AllSeries all = {&judged};
  if (ask.against->other_runs) {
    all = among(series, ask.against->runs);
    std::erase(all, &judged);
  }
  if (all.empty()) {
    remark = "no runs of " + conditions_text(ask.against->runs);
    return {};
  }
  std::vector<Rival> rivals;
  for (const RunSeries* one : all)
    if (std::ranges::all_of(ask.equal, [&](const std::string& name) {
          return budget(*one, name) == budget(judged, name);
        }))
      rivals.emplace_back(one, seed_numbers(*one, ask, readings));
  if (!rivals.empty()) return rivals;
  std::vector<std::string> unlike;
  for (const std::string& name : ask.equal)
    if (std::ranges::all_of(
            all, [&](const RunSeries* one) { return budget(*one, name) != budget(judged, name); }))
      unlike.push_back(fmt::format("{} {} against {}", name, budget(judged, name).dump(),
                                   budget(*all.front(), name).dump()));
  remark = "budgets differ: " + joined(unlike);
  return {};
}

/// Settles one ask for one series.
Settled settle_series(const Ask& ask, const RunSeries& judged, const AllSeries& series,
                      const Name& name) {
  const SeedNumbers ours = seed_numbers(judged, ask, ask.readings);
  std::vector<Rival> rivals = {{&judged, {}}};
  std::string remark;
  if (ask.against) rivals = rivals_of(ask, judged, series, remark);
  if (!remark.empty()) return {{}, "–", remark};
  const bool measured =
      !ours.empty() && (!ask.against || std::ranges::none_of(rivals, [](const Rival& one) {
        return one.second.empty();
      }));
  if (!measured) return {{}, "–", "not measured"};

  std::string found = told(ours);
  std::vector<std::string> theirs;
  const bool paired = ask.seeds == Ask::Seeds::paired;
  if (paired) {
    for (const auto& [one, numbers] : rivals)
      theirs.push_back(told(differences(ours, numbers)) +
                       (rivals.size() > 1 ? " against " + name(*one) : ""));
    found = joined(theirs, "; ");
  } else if (ask.against) {
    for (const auto& [one, numbers] : rivals)
      theirs.push_back((rivals.size() > 1 ? name(*one) + " " : "") + told(numbers));
    found += " against " + joined(theirs);
  } else if (ask.seeds == Ask::Seeds::every || ask.seeds == Ask::Seeds::best) {
    const auto good =
        std::ranges::count_if(ours, [&](const auto& one) { return passes(one.second, ask.is); });
    found += fmt::format("; {} of {} seeds", good, ours.size());
  }

  // It has to hold against every one of them.
  std::size_t seeds = ours.size();
  bool holds = true;
  for (const auto& [one, numbers] : rivals) {
    if (ask.against) seeds = std::min(seeds, numbers.size());
    if (paired) seeds = std::min(seeds, differences(ours, numbers).size());
    const auto value = over_seeds(ours, numbers, ask);
    if (!value) return {{}, found, "not measured"};
    holds &= passes(*value, ask.is);
  }
  if (seeds < ask.least_seeds) return {{}, found, share_text(seeds, ask.least_seeds) + " seeds"};
  if (!holds && judged.ended_early())
    return {{},
            found,
            fmt::format("training ended at {:.0f} % of its steps", 100 * judged.share_of_steps())};
  return {holds, found, seeds < kSeedsOfAVerdict ? "preliminary" : ""};
}

Settled settle(const Ask& ask, const AllSeries& series, const Name& name, bool with_others) {
  if (ask.line) return settle_line(ask, series);
  const AllSeries candidates = among(series, ask.runs);
  if (candidates.empty()) return {{}, "–", "no runs of " + conditions_text(ask.runs)};
  const auto size = [&](const RunSeries* one) {
    return std::tuple(std::min(one->runs.size(), ask.least_seeds), one->first().parameters,
                      one->first().tokens);
  };
  const RunSeries& judged = **std::ranges::max_element(candidates, {}, size);
  Settled settled = settle_series(ask, judged, series, name);
  if (!settled.verdict || !with_others || ask.against) return settled;
  for (const RunSeries* one : candidates) {
    if (one == &judged || one->runs.size() < ask.least_seeds) continue;
    const Settled other = settle_series(ask, *one, series, name);
    if (other.verdict && *other.verdict != *settled.verdict)
      settled.remark += (settled.remark.empty() ? "" : ", ") +
                        fmt::format("not of {}: {}", name(*one), other.found);
  }
  return settled;
}

void add_once(std::vector<std::string>& texts, const std::string& text) {
  if (!text.empty() && text != "–" && std::ranges::find(texts, text) == texts.end())
    texts.push_back(text);
}

}  // namespace

Verdict judge(const PaperCriterion& criterion, const std::vector<const RunSeries*>& series,
              const std::function<std::string(const RunSeries&)>& name) {
  if (!criterion.held_by.empty()) return {"held by tests", "–", criterion.held_by};
  std::vector<std::string> found, remarks;
  bool no = false, open = false;
  for (const Ask& ask : criterion.asks) {
    const Settled settled = settle(ask, series, name, true);
    add_once(found, settled.found);
    add_once(remarks, settled.remark);
    no |= settled.verdict == false;
    open |= !settled.verdict;
  }
  for (const Ask& ask : criterion.only_if) {
    const Settled settled = settle(ask, series, name, false);
    if (settled.verdict == true) continue;
    no = false;
    open = true;
    remarks = {ask.text + ": " + (settled.verdict ? settled.found : settled.remark)};
    break;
  }
  Verdict verdict;
  verdict.word = no ? criterion.no : open ? "undecided" : criterion.yes;
  verdict.found = found.empty() ? "–" : joined(found, "; ");
  verdict.remark = joined(remarks, "; ");
  return verdict;
}

}}  // namespace logdepth::learned_report
