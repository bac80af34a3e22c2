#include "learned/report/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace learned_report {

namespace {

using AllSeries = std::vector<const RunSeries*>;
using Cells =
    std::map<double, std::vector<std::optional<double>>>;  // by size: a number of each seed

constexpr std::size_t kPanels = 3;       // of the figure
constexpr std::size_t kDrawnSeries = 8;  // of a panel
constexpr std::size_t kDefaultTables = 3;

std::string number_text(double value) {
  return value >= 2 || value == std::floor(value) ? short_text(value, 3) : fixed_text(value, 2);
}

/// Readings of one size to the number that a table shows.
std::optional<double> shown(const RunReadings& readings, const TablePart& part) {
  using Show = TablePart::Show;
  if (part.show == Show::n_star) return reached(readings);
  std::optional<double> fewest;
  double sum = 0, total = 0;
  for (const RunReading& one : readings) {
    if (one.score >= part.share - kScoreRounding && one.iterations &&
        (!fewest || *one.iterations < *fewest))
      fewest = one.iterations;
    const double weight = part.show == Show::iterations ? one.samples * one.score : one.samples;
    if (part.show != Show::score && !one.iterations) continue;
    sum += weight * (part.show == Show::score ? one.score : *one.iterations);
    total += weight;
  }
  if (part.show == Show::fewest_iterations) return fewest;
  return total > 0 ? std::optional(sum / total) : std::nullopt;
}

/// What a part shows of a series, by size; of sizes together under 0.
Cells cells_of(const RunSeries& series, const TablePart& part) {
  Cells cells;
  const bool together = !part.pooled.empty();
  for (const auto& [seed, run] : series.runs) {
    std::map<double, RunReadings> by_size;
    for (const RunReading& one : picked(run, part.readings)) {
      const bool column =
          part.columns.empty() || std::ranges::find(part.columns, one.at) != part.columns.end();
      if (together || (one.of == part.of && column)) by_size[together ? 0 : one.at].push_back(one);
    }
    for (const auto& [size, readings] : by_size) cells[size].push_back(shown(readings, part));
  }
  std::erase_if(cells, [&](const auto& entry) {
    return part.show == TablePart::Show::iterations &&
           std::ranges::none_of(entry.second, [](const auto& v) { return v.has_value(); });
  });
  return cells;
}

std::vector<double> numbers_of(const std::vector<std::optional<double>>& values) {
  std::vector<double> numbers;
  for (const auto& value : values)
    if (value) numbers.push_back(*value);
  return numbers;
}

/// "0.81 (0.80–0.83)": median, least and most of the values that are there; "12, 1 never" where some are not.
std::string range_cell(const std::vector<std::optional<double>>& values) {
  const std::vector<double> numbers = numbers_of(values);
  const std::size_t none = values.size() - numbers.size();
  if (2 * none > values.size() || numbers.empty()) return report::kNothing;
  const auto range = report::range_of(numbers);
  if (none > 0) return fmt::format("{}, {} never", number_text(range->median), none);
  const std::string low = number_text(range->least), high = number_text(range->most);
  return low == high ? low : fmt::format("{} ({}–{})", number_text(range->median), low, high);
}

std::string range_cell(const std::vector<double>& values) {
  return range_cell(std::vector<std::optional<double>>(values.begin(), values.end()));
}

/// "12 k", "3.5 M".
std::string count_text(double value) {
  if (value >= 1e6) return fixed_text(value / 1e6, 1) + " M";
  if (value >= 1e4) return fixed_text(value / 1e3, 0) + " k";
  return fixed_text(value, 0);
}

/// "3440", "600 to 2000".
std::string span_text(const std::vector<double>& values) {
  if (values.empty()) return report::kNothing;
  const auto [low, high] = std::ranges::minmax(values);
  const std::string first = count_text(low), last = count_text(high);
  return first == last ? first : first + " to " + last;
}

/// "plateaued", "1 of 3 still improve", "ended at 73 %": what became of the training of a series.
std::string state_text(const RunSeries& series) {
  const bool settled = std::ranges::all_of(
      series.runs, [](const auto& run) { return run.second.trend == LearningCurve::Trend::flat; });
  if (const double done = series.share_of_steps(); series.ended_early())
    return done > 0.005 ? fmt::format("ended at {:.0f} %", 100 * done) : "ended by its seconds";
  if (series.improving() > 0)
    return share_text(series.improving(), series.runs.size()) + " still improve";
  return settled ? "plateaued" : "measured";
}

/// The series of a comparison, and what each is called.
struct NamedSeries {
  std::vector<const RunSeries*> series;
  std::vector<std::string> names;

  std::string name_of(const RunSeries& one) const {
    return names[static_cast<std::size_t>(std::ranges::find(series, &one) - series.begin())];
  }
};

/// Named by the paper's words, or by the settings in which they differ; by their steps too where two names are equal.
NamedSeries named_series(const std::vector<RunSeries>& all, const PaperFile& paper) {
  NamedSeries named;
  for (const RunSeries& one : all) named.series.push_back(&one);
  named.series = among(named.series, paper.runs);
  std::set<std::string> settings, apart;
  for (const RunSeries* one : named.series)
    for (const auto& [name, value] : one->settings)
      if (!differs_in_series(name)) settings.insert(name);
  for (const std::string& name : settings)
    if (std::ranges::any_of(named.series, [&](const RunSeries* one) {
          return one->setting(name) != named.series.front()->setting(name);
        }))
      apart.insert(name);
  std::map<std::string, int> times;
  for (const RunSeries* one : named.series) {
    std::vector<std::string> parts;
    for (const std::string& name : apart)
      parts.push_back(name.substr(name.find('.') + 1) + " {" + name + "}");
    const std::string pattern = paper.label.empty() ? joined(parts) : paper.label;
    named.names.push_back(label_of(*one, pattern, paper.say));
    ++times[named.names.back()];
  }
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    std::string& name = named.names[i];
    const bool twice = times[name] > 1;
    if (name.empty()) name = "all runs";
    if (twice) name += fmt::format(", {} steps", span_text({named.series[i]->first().steps}));
  }
  return named;
}

/// Absent where the paper has none of this size.
std::optional<double> score_at(const PublishedNumbers& published, double size) {
  const auto at = std::ranges::find(published.at, size);
  if (at == published.at.end()) return std::nullopt;
  return published.score[static_cast<std::size_t>(at - published.at.begin())];
}

/// A curve of a panel.
struct PanelRow {
  std::string name;
  Cells cells;
};
struct Panel {
  std::string title, of;
  std::vector<PanelRow> rows;
  std::vector<const PublishedNumbers*> published;
};

/// Adds the table, and returns what may be drawn of its first part.
Panel add_table(report::Report& page, const NamedSeries& named, const ReadingTable& spec,
                const PaperFile& paper) {
  Panel panel{spec.title, spec.parts.front().of, {}, {}};
  const AllSeries chosen = among(named.series, spec.where);
  std::vector<std::vector<Cells>> found;  // by series and part
  std::vector<std::set<double>> sizes(spec.parts.size());
  for (const RunSeries* one : chosen) {
    std::vector<Cells>& row = found.emplace_back();
    for (std::size_t i = 0; i < spec.parts.size(); ++i) {
      row.push_back(cells_of(*one, spec.parts[i]));
      for (const auto& [size, values] : row.back()) sizes[i].insert(size);
    }
  }
  report::Table table{{"series", "seeds", "steps", "state"}, 4};
  for (std::size_t i = 0; i < spec.parts.size(); ++i)
    for (const double size : sizes[i]) {
      const std::string& pooled = spec.parts[i].pooled;
      table.headings.push_back(markdown_text(pooled.empty() ? number_text(size) : pooled));
    }
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    if (std::ranges::all_of(found[row], &Cells::empty)) continue;
    std::vector<double> steps;
    for (const auto& [seed, run] : chosen[row]->runs)
      if (run.steps > 0) steps.push_back(run.steps);
    std::vector<std::string> line = {markdown_text(named.name_of(*chosen[row])),
                                     std::to_string(chosen[row]->runs.size()), span_text(steps),
                                     state_text(*chosen[row])};
    for (std::size_t i = 0; i < spec.parts.size(); ++i)
      for (const double size : sizes[i]) {
        const auto cell = found[row][i].find(size);
        line.push_back(cell == found[row][i].end() ? report::kNothing : range_cell(cell->second));
      }
    table.rows.push_back(std::move(line));
    panel.rows.push_back({named.name_of(*chosen[row]), found[row].front()});
  }
  for (const PublishedNumbers& one : paper.published) {
    if (one.at.empty() || one.table != spec.name || spec.parts.size() > 1) continue;
    std::vector<std::string> line = {markdown_text(one.label), report::kNothing, report::kNothing,
                                     report::kNothing};
    for (const double size : sizes.front()) {
      const auto score = score_at(one, size);
      line.push_back(score ? number_text(*score) : report::kNothing);
    }
    table.rows.push_back(std::move(line));
    panel.published.push_back(&one);
  }
  std::string title = spec.title + ":";
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  report::Data data = {{"title", spec.title}, {"headings", table.headings}, {"rows", table.rows}};
  page.data["tables"].push_back(std::move(data));
  page.add(title).add(table);
  const bool drawn = spec.parts.front().show == TablePart::Show::score && sizes.front().size() > 1;
  if (!drawn) panel.rows.clear();
  return panel;
}

/// Without a paper: the score by size of each difficulty that was asked, and n*.
std::vector<ReadingTable> default_tables(const AllSeries& series) {
  std::map<std::string, std::size_t> counts;
  for (const RunSeries* one : series)
    for (const auto& [seed, run] : one->runs)
      for (const RunReading& reading : run.readings) counts[reading.of] += reading.what == "right";
  std::vector<std::pair<std::size_t, std::string>> most;
  for (const auto& [of, count] : counts)
    if (count > 0) most.emplace_back(count, of);
  std::ranges::stable_sort(most, std::greater(), &std::pair<std::size_t, std::string>::first);
  if (most.size() > kDefaultTables) most.resize(kDefaultTables);
  std::vector<ReadingTable> tables;
  for (const auto& [count, of] : most) {
    TablePart scores, solved;
    scores.of = of;
    solved.show = TablePart::Show::n_star;
    solved.pooled = "n*";
    solved.readings = {{of, ">= 0"}};
    tables.push_back({of, of, {}, {scores, solved}});
  }
  return tables;
}

LineChart chart_of(const Panel& panel) {
  LineChart chart{panel.title.substr(0, panel.title.find_first_of("(:,")), {}, share_axis("score")};
  chart.width = 300;
  SeriesLooks looks;
  std::size_t drawn = 0;
  for (const PanelRow& row : panel.rows) {
    if (drawn == kDrawnSeries) break;
    report::Curve curve{row.name, looks.next({kHues[drawn++ % kHues.size()]}), {}};
    for (const auto& [size, values] : row.cells)
      if (const auto range = report::range_of(numbers_of(values)))
        curve.points.push_back(
            {size, *range,
             fmt::format("{}, {}: {}", row.name, number_text(size), range_cell(values))});
    report::add_curve(chart, curve);
  }
  for (const PublishedNumbers* one : panel.published) {
    report::Curve curve{one->label, looks.next({kInk, "5 4"}), {}, MarkShape::ring};
    for (std::size_t i = 0; i < one->at.size(); ++i)
      if (const auto score = one->score[i])
        curve.points.push_back({one->at[i], {*score, *score, *score, 1}, one->label});
    report::add_curve(chart, curve);
  }
  chart.x = counting_axis(report::largest(chart, {1, 1}).first, panel.of);
  return chart;
}

void add_heading(report::Report& page, const NamedSeries& named, const PaperFile& paper) {
  if (!paper.about.empty()) page.add(paper.about);
  std::vector<double> steps, tokens, parameters;
  std::map<std::string, std::size_t> machines;
  double seconds = 0;
  for (const RunSeries* one : named.series)
    for (const auto& [seed, run] : one->runs) {
      if (run.steps == 0) continue;  // a measurement
      steps.push_back(run.steps);
      tokens.push_back(run.tokens);
      parameters.push_back(run.parameters);
      seconds += run.seconds;
      ++machines[run.machine];
    }
  const auto trained = std::ranges::count_if(
      named.series, [](const RunSeries* one) { return one->first().steps > 0; });
  std::vector<std::string> on;
  for (const auto& [machine, count] : machines)
    on.push_back(fmt::format("{} ({})", machine, count));
  page.add(fmt::format(
      "{} in {} series (runs that differ in the seed only); {} steps, {} tokens and {} parameters "
      "each; {} hours of training on {}. Cells are medians of the seeds (least–largest).",
      counted(steps.size(), "run"), trained, span_text(steps), span_text(tokens),
      span_text(parameters), fixed_text(seconds / 3600, 1), markdown_text(joined(on))));
  for (std::size_t i = 0; i < named.series.size(); ++i) {
    report::Data seeds = report::Data::array();
    for (const auto& [seed, run] : named.series[i]->runs) seeds.push_back(seed);
    page.data["series"].push_back(
        {{"name", named.names[i]}, {"seeds", seeds}, {"state", state_text(*named.series[i])}});
  }
}

/// NAME.svg: panels beside each other, the legend of each below it. Nothing without panels.
void add_figure(report::Report& page, const std::vector<LineChart>& panels) {
  if (panels.empty()) return;
  constexpr double kMargin = 16;
  double below = 0, right = kMargin;
  for (const LineChart& chart : panels) below = std::max(below, 2 * kMargin + chart_height(chart));
  double bottom = below;
  std::string charts, legends;
  for (const LineChart& chart : panels) {
    charts += draw_chart(chart, {right, kMargin});
    legends += draw_legend(chart.series, {right + kMargin, below});
    bottom = std::max(bottom, below + legend_height(chart.series));
    right += chart_width(chart) + kMargin;
  }
  const std::string file = page.name + ".svg";
  page.pictures.push_back(
      {file, svg_document(right, bottom + kMargin, page.title, charts + legends)});
  page.add("![" + page.title + "](" + file + ")");
}

void add_verdicts(report::Report& page, const NamedSeries& named, const PaperFile& paper) {
  if (paper.criteria.empty()) return;
  report::Table table{{"criterion", "required", "here", "published", "verdict"}};
  for (const PaperCriterion& criterion : paper.criteria) {
    const Verdict verdict =
        judge(criterion, named.series, [&](const RunSeries& one) { return named.name_of(one); });
    const std::string published = criterion.published.empty()
                                      ? report::kNothing
                                      : criterion.published + " (" + criterion.place + ")";
    table.rows.push_back(
        {criterion.id, markdown_text(criterion.text), markdown_text(verdict.found),
         markdown_text(published),
         "**" + verdict.word + "**" +
             (verdict.remark.empty() ? "" : " (" + markdown_text(verdict.remark) + ")")});
    page.data["criteria"].push_back({{"id", criterion.id},
                                     {"required", criterion.text},
                                     {"found", verdict.found},
                                     {"published", criterion.published},
                                     {"verdict", verdict.word},
                                     {"remark", verdict.remark}});
  }
  page.add(table);
  page.add(
      "Judged is the series with enough seeds and the most parameters; preliminary: fewer than "
      "three seeds. Undecided: too few seeds, budgets that differ, not learned, or a failure of "
      "training that ended early.");
}

void add_notes(report::Report& page, const PaperFile& paper) {
  std::vector<std::string> notes;
  for (const PublishedNumbers& one : paper.published)
    if (one.at.empty() && !one.line) notes.push_back(markdown_text(one.label) + ".");
  for (const std::string& note : paper.notes) notes.push_back(markdown_text(note));
  if (!notes.empty()) page.add_list(notes);
}

}  // namespace

report::Report comparison(const std::vector<RunSeries>& all, const PaperFile& paper) {
  const NamedSeries named = named_series(all, paper);
  if (named.series.empty())
    throw InputError("expected runs of " + (paper.title.empty() ? "one kind" : paper.title) +
                     ", found none among " + counted(all.size(), "series", "series"));
  report::Report page{paper.name, paper.title};
  page.data = {{"schema", "logdepth/compare/1"}, {"paper", paper.title}};
  add_heading(page, named, paper);
  add_verdicts(page, named, paper);
  std::vector<LineChart> charts;
  for (const ReadingTable& table :
       paper.tables.empty() ? default_tables(named.series) : paper.tables)
    if (const Panel panel = add_table(page, named, table, paper);
        !panel.rows.empty() && charts.size() < kPanels)
      charts.push_back(chart_of(panel));
  add_notes(page, paper);
  add_figure(page, charts);
  return page;
}

namespace {

using report::Data, report::LayerCurve;

/// Lengths whose reach is counted.
constexpr double kLengths[] = {4, 8, 16, 32};

double depth_at(const LayerCurve& curve, std::uint64_t size) {
  for (const auto& [at, depth] : curve.depths)
    if (at == size) return static_cast<double>(depth);
  return HUGE_VAL;
}

/// Of curves that differ in the encoding of positions the one of the fewest layers at the largest size.
std::vector<LayerCurve> best_encodings(const std::vector<LayerCurve>& curves) {
  std::vector<LayerCurve> best;
  for (const LayerCurve& curve : curves) {
    const auto known = std::ranges::find_if(best, [&](const LayerCurve& one) {
      return one.problem == curve.problem && one.label == curve.label &&
             one.construction == curve.construction;
    });
    if (known == best.end()) {
      best.push_back(curve);
    } else if (!curve.depths.empty() && depth_at(curve, curve.depths.back().first) <
                                            depth_at(*known, curve.depths.back().first)) {
      *known = curve;
    }
  }
  return best;
}

/// A row a form and its depths; problems that have the same stand in one row.
void add_constructed(report::Report& page, const std::vector<LayerCurve>& curves,
                     const std::vector<PublishedNumbers>& published) {
  std::set<std::uint64_t> sizes;
  for (const LayerCurve& curve : curves)
    for (const auto& [size, depth] : curve.depths) sizes.insert(size);
  report::Table table{{"problem", "form", "construction", "positions"}, 4};
  for (const std::uint64_t size : sizes) table.headings.push_back(fmt::format("n = {}", size));
  table.headings.emplace_back("per doubling");
  std::vector<bool> shown(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (shown[i]) continue;
    const LayerCurve& curve = curves[i];
    std::vector<std::string> problems;
    for (std::size_t k = i; k < curves.size(); ++k)
      if (curves[k].label == curve.label && curves[k].construction == curve.construction &&
          curves[k].depths == curve.depths) {
        shown[k] = true;
        problems.push_back(curves[k].problem);
      }
    std::vector<std::string> row = {markdown_text(joined(problems)), curve.label,
                                    markdown_text(curve.construction),
                                    markdown_text(curve.encoding)};
    for (const std::uint64_t size : sizes)
      row.push_back(std::isinf(depth_at(curve, size)) ? report::kNothing
                                                      : fixed_text(depth_at(curve, size), 0));
    row.push_back(curve.slope ? fixed_text(*curve.slope, 2) : report::kNothing);
    table.rows.push_back(std::move(row));
  }
  for (const PublishedNumbers& one : published) {
    if (one.groups.empty()) continue;
    std::vector<std::string> row = {joined(one.groups), "published", markdown_text(one.label),
                                    report::kNothing};
    for (const std::uint64_t size : sizes) {
      const auto n = static_cast<double>(size);
      std::optional<double> layers = score_at(one, n);
      if (one.line && n >= one.from && n <= one.to)
        layers = one.line->slope * std::log2(n) + one.line->intercept;
      row.push_back(layers ? fixed_text(*layers, one.line ? 1 : 0) : report::kNothing);
    }
    row.push_back(one.line ? fixed_text(one.line->slope, 1) : report::kNothing);
    table.rows.push_back(std::move(row));
  }
  page.add("## Constructed and published");
  page.add(
      "Layers for n letters, of reachability for distances up to n, of induction hops for n hops. "
      "Constructed ones are counted "
      "on compiled weights that were compared with a test oracle; claimed ones are formulas of the "
      "paper, which are not built.");
  page.add(table);
  page.data["constructed"] = Data::array();
  for (const LayerCurve& curve : curves) {
    Data depths = Data::array();
    for (const auto& [size, depth] : curve.depths)
      depths.push_back({{"size", size}, {"depth", depth}});
    page.data["constructed"].push_back({{"problem", curve.problem},
                                        {"form", curve.label},
                                        {"construction", curve.construction},
                                        {"encoding", curve.encoding},
                                        {"formula", curve.formula},
                                        {"depths", depths},
                                        {"slope", report::or_null(curve.slope)},
                                        {"width", curve.width},
                                        {"weights", curve.numbers},
                                        {"verification", curve.verification}});
  }
}

/// Runs of one problem at one budget, by their depth.
struct Budget {
  std::string problem;
  double steps = 0;
  std::map<double, std::vector<NetworkReach>> by_layers;
  AllSeries series;
};

std::string problem_of(const RunSeries& series) {
  const auto& monoid = series.setting("task.monoid");
  if (monoid.is_string() && monoid != "") return monoid.get<std::string>();
  return series.first().language.value("monoid", "words");
}

/// The problems of budgets or of curves, in their order.
template <class Part>
std::vector<std::string> problems_of(const std::vector<Part>& parts) {
  std::vector<std::string> problems;
  for (const Part& part : parts)
    if (std::ranges::find(problems, part.problem) == problems.end())
      problems.push_back(part.problem);
  return problems;
}

/// In the order of the constructed problems, then of names; a problem's budgets growing.
std::vector<Budget> budgets_of(const AllSeries& series,
                               const std::vector<LayerCurve>& constructed) {
  const std::vector<std::string> order = problems_of(constructed);
  std::map<std::tuple<std::ptrdiff_t, std::string, double>, Budget> found;
  for (const RunSeries* one : series) {
    const std::string problem = problem_of(*one);
    const auto& asked = one->setting("training.steps");
    const double steps = asked.is_number() ? asked.get<double>() : 0;
    Budget& budget = found[{std::ranges::find(order, problem) - order.begin(), problem, steps}];
    budget.problem = problem;
    budget.steps = steps;
    budget.series.push_back(one);
    for (const NetworkReach& network : network_reaches({one}))
      budget.by_layers[network.layers].push_back(network);
  }
  std::vector<Budget> budgets;
  for (auto& [key, budget] : found) budgets.push_back(std::move(budget));
  return budgets;
}

std::vector<double> reaches_of(const std::vector<NetworkReach>& networks) {
  std::vector<double> reaches;
  for (const NetworkReach& one : networks) reaches.push_back(one.n_star);
  return reaches;
}

void add_learned(report::Report& page, const std::vector<Budget>& budgets) {
  if (budgets.empty()) return;
  report::Table table{{"problem", "steps", "layers", "n\\*", "seeds"}, 1};
  for (const double length : kLengths) table.headings.push_back(fmt::format("reach {}", length));
  table.headings.insert(table.headings.end(), {"still improve", "at the end of the range"});
  page.data["learned"] = Data::array();
  for (const Budget& budget : budgets)
    for (const auto& [layers, networks] : budget.by_layers) {
      const std::vector<double> reaches = reaches_of(networks);
      std::vector<std::string> row = {markdown_text(budget.problem), count_text(budget.steps),
                                      short_text(layers, 3), range_cell(reaches),
                                      std::to_string(networks.size())};
      for (const double length : kLengths)
        row.push_back(
            std::to_string(std::ranges::count_if(reaches, [&](double n) { return n >= length; })));
      row.push_back(std::to_string(std::ranges::count_if(networks, &NetworkReach::improving)));
      row.push_back(std::to_string(std::ranges::count_if(networks, &NetworkReach::at_end)));
      table.rows.push_back(std::move(row));
      page.data["learned"].push_back({{"problem", budget.problem},
                                      {"steps", budget.steps},
                                      {"layers", layers},
                                      {"n_star", reaches}});
    }
  page.add("## Trained with a fixed depth and a free length");
  page.add(
      "n\\*: the largest length up to which every letter is answered right in 95 % of the words. "
      "Of the seeds, so many reach a length of 4, 8, 16 and 32 letters. In the figure a band above "
      "its number of layers is as high as the share of seeds that reach a length.");
  page.add(table);
}

/// One line a budget through the medians of its depths, and the straight line that is its rival.
void add_fits(report::Report& page, const std::vector<Budget>& budgets) {
  std::vector<std::string> items;
  page.data["fits"] = Data::array();
  for (const Budget& budget : budgets) {
    const auto fit = layers_fit(budget.series);
    if (!fit) continue;
    const FittedLine &doubling = fit->doubling, &straight = fit->straight;
    const auto interval = [](double low, double high, int digits) {
      const auto text = [&](double value) {
        return std::isinf(value) ? std::string("∞") : fixed_text(value, digits);
      };
      return text(low) + " to " + text(high);
    };
    items.push_back(fmt::format(
        "{}, {} steps: d = {} log₂ n\\* {}, 95 % {}, r² {}; a straight line d = {} n\\* {}, 95 % "
        "{}, r² {}; {} networks still improve, {} are at the end of the range.",
        markdown_text(budget.problem), count_text(budget.steps), fixed_text(doubling.slope, 1),
        signed_text(doubling.intercept, 1), interval(fit->low, fit->high, 1),
        fixed_text(doubling.r2, 2), fixed_text(straight.slope, 2),
        signed_text(straight.intercept, 1), interval(fit->straight_low, fit->straight_high, 2),
        fixed_text(straight.r2, 2), share_text(fit->improving, fit->networks), fit->at_end));
    page.data["fits"].push_back({{"problem", budget.problem},
                                 {"steps", budget.steps},
                                 {"slope", doubling.slope},
                                 {"low", fit->low},
                                 {"high", fit->high},
                                 {"r2", doubling.r2},
                                 {"straight_r2", straight.r2},
                                 {"networks", fit->networks},
                                 {"improving", fit->improving},
                                 {"at_end", fit->at_end}});
  }
  if (items.empty()) return;
  page.add(
      fmt::format("Layers d on the median n\\* at one budget. Whole seeds are resampled {} times.",
                  kResamples));
  page.add_list(items);
}

/// Networks whose iterations a schedule prescribes: what they reach after each.
void add_scheduled(report::Report& page, const NamedSeries& named, const PaperFile& paper) {
  if (!paper.scheduled) return;
  std::vector<std::string> items;
  for (const RunSeries* one : among(named.series, *paper.scheduled)) {
    std::vector<std::string> seeds;
    std::vector<double> steps;
    for (const auto& [seed, run] : one->runs) {
      std::map<double, RunReadings> after;  // by iterations
      for (const RunReading& reading : run.readings)
        if (reading.what == "right" && reading.iterations)
          after[*reading.iterations].push_back(reading);
      std::vector<std::string> reaches;
      for (const auto& [iterations, readings] : after)
        reaches.push_back(fixed_text(reached(readings), 0));
      seeds.push_back(joined(reaches, " "));
      steps.push_back(run.steps);
    }
    items.push_back(fmt::format("{}, {} steps: {}",
                                markdown_text(label_of(*one, paper.scheduled_label, paper.say)),
                                span_text(steps), joined(seeds, "; ")));
  }
  if (items.empty()) return;
  page.add("## Trained with ⌈log₂ n⌉ iterations prescribed");
  page.add(
      "n\\* after 1, 2, … iterations, seed by seed. That they grow with n is the schedule's "
      "doing.");
  page.add_list(items);
}

/// A panel a problem: constructed and published layers; of trained networks the share of seeds that reach a length, and
/// the median.
LineChart chart_of(const std::string& problem, const std::vector<Budget>& budgets,
                   const std::vector<LayerCurve>& constructed,
                   const std::vector<PublishedNumbers>& published) {
  LineChart chart{problem, {}, {}};
  chart.width = 200;
  chart.height = 380;
  constexpr double kMostLayers = 16, kLongest = 6;  // 64 letters
  constexpr double kBand = 0.8;                     // height of what all seeds reach, in layers
  chart.x = doubling_axis(1, kLongest, "length n");
  chart.y = counting_axis(kMostLayers, "layers");
  SeriesLooks looks;
  for (const LayerCurve& curve : constructed) {
    if (curve.problem != problem) continue;
    PlotSeries line{curve.label + ", " + curve.construction,
                    looks.next({curve.label == "as claimed" ? "#999999"
                                : curve.label == "repaired" ? kPurple
                                                            : kBlue})};
    for (const auto& [size, depth] : curve.depths)
      line.line.push_back({std::log2(static_cast<double>(size)), static_cast<double>(depth)});
    chart.series.push_back(std::move(line));
  }
  for (const PublishedNumbers& one : published) {
    if (!one.line || std::ranges::find(one.groups, problem) == one.groups.end()) continue;
    PlotSeries line{one.label, looks.next({kInk, "5 4"})};
    for (const double n : {one.from, one.to})
      line.line.push_back({std::log2(n), one.line->slope * std::log2(n) + one.line->intercept});
    chart.series.push_back(std::move(line));
  }
  std::size_t hue = 0;
  for (const Budget& budget : budgets) {
    if (budget.problem != problem) continue;
    constexpr const char* kLearned[] = {kVermilion, kOrange, kGreen};
    const SeriesStyle style = looks.next({kLearned[hue++ % 3]});
    PlotSeries medians{fmt::format("trained, {} steps: share and median", count_text(budget.steps)),
                       style};
    const auto log = [&](double n) { return std::clamp(std::log2(n), 1.0, kLongest); };
    for (const auto& [layers, networks] : budget.by_layers) {
      std::vector<double> reaches = reaches_of(networks);
      const double median = report::median(reaches).value_or(2);
      medians.line.push_back({log(median), layers});
      medians.marks.push_back(
          {{log(median), layers}, fmt::format("{} layers: median n* {}", layers, median)});
      // Above the line of these layers, as high at a length as is the share of seeds that reach it.
      std::ranges::sort(reaches);
      PlotArea share{{{log(2), layers}}, style.colour, 0.4};
      for (std::size_t i = 0; i < reaches.size(); ++i) {
        if (i > 0 && reaches[i] == reaches[i - 1]) continue;
        const std::size_t reach = reaches.size() - i;
        const double from = i == 0 ? 2 : reaches[i - 1];
        const double top =
            layers + kBand * static_cast<double>(reach) / static_cast<double>(reaches.size());
        share.corners.insert(share.corners.end(), {{log(from), top}, {log(reaches[i]), top}});
        share.title += fmt::format("{}{} of {} seeds reach {}", i == 0 ? "" : ", ", reach,
                                   reaches.size(), reaches[i]);
      }
      share.corners.emplace_back(log(reaches.back()), layers);
      share.title = fmt::format("{} layers, {} steps: {}", layers, budget.steps, share.title);
      chart.areas.push_back(std::move(share));
    }
    chart.series.push_back(std::move(medians));
  }
  return chart;
}

/// A panel for each of the first problems that were trained, else of all.
std::vector<LineChart> panels_of(const std::vector<Budget>& budgets,
                                 const std::vector<LayerCurve>& constructed,
                                 const std::vector<PublishedNumbers>& published) {
  constexpr std::size_t kMostPanels = 5;
  std::vector<LineChart> panels;
  for (const std::string& problem :
       budgets.empty() ? problems_of(constructed) : problems_of(budgets))
    if (panels.size() < kMostPanels)
      panels.push_back(chart_of(problem, budgets, constructed, published));
  return panels;
}

}  // namespace

report::Report layers_page(const std::vector<RunSeries>& runs, const PaperFile& paper,
                           const std::vector<LayerCurve>& constructed, const std::string& command) {
  const NamedSeries named = named_series(runs, paper);
  const std::vector<LayerCurve> best = best_encodings(constructed);
  report::Report page{"depth", paper.title};
  std::size_t count = 0;
  for (const RunSeries* one : named.series) count += one->runs.size();
  page.data = {{"schema", "logdepth/compare-depth/2"}, {"command", command}, {"runs", count}};
  page.add("Made by `" + command + "`.");
  if (!named.series.empty()) {
    add_heading(page, named, paper);
    add_verdicts(page, named, paper);
  }
  add_constructed(page, best, paper.published);
  const std::vector<Budget> budgets =
      budgets_of(among(named.series, paper.layers.value_or(Conditions())), best);
  add_learned(page, budgets);
  add_fits(page, budgets);
  add_scheduled(page, named, paper);
  add_notes(page, paper);
  add_figure(page, panels_of(budgets, best, paper.published));
  return page;
}

}}  // namespace logdepth::learned_report
