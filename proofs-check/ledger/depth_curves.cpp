#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/phrases.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/induction_hops_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/svg_elements.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth { inline namespace proofs_check_ledger {
namespace {

constexpr double kLegendWidth = 250, kLegendTop = 28;

struct Subject {
  std::string name, unit;
  std::vector<std::uint64_t> sizes;
};

/// Sizes on both sides of every step of the depths that occur.
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"regular languages", "letters", {1,  2,  3,  4,   5,   8,   9,   16,  17,  32,
                                        33, 64, 65, 128, 129, 256, 257, 512, 513, 1024}},
      {"graph connectivity", "vertices", {1, 2, 3, 4, 5, 6, 8, 9, 10, 16, 17, 18, 32, 33, 34, 64}}};
  return kSubjects;
}

/// Counted on the file for everything up to n, or absent where no file is that large.
std::optional<std::uint64_t> counted_depth(const Model& model, std::uint64_t n) {
  if (n > largest_size(model).value_or(n)) return std::nullopt;
  return depth_at(model, n);
}

DepthSeries claimed_series(const Claim& claim, const std::vector<std::uint64_t>& sizes) {
  DepthSeries series;
  series.name = claim.id + " claimed";
  series.claimed = true;
  series.formula = claim.claimed.text;
  for (const std::uint64_t n : sizes) series.depths.emplace_back(claim.claimed.depth(n));
  return series;
}

DepthSeries measured_series(const Claim& claim, const std::vector<std::uint64_t>& sizes) {
  DepthSeries series;
  series.name = full_name(claim);
  series.form = claim.form;
  if (!claim.family) {
    const Model model = compile(claim.instances.front().program()).model;
    series.formula = depth_formula(model);
    for (const std::uint64_t n : sizes) series.depths.push_back(counted_depth(model, n));
    return series;
  }
  series.formula = "one network per n";
  for (const std::uint64_t n : sizes) {
    std::optional<std::uint64_t> depth;
    try {
      depth = counted_depth(compile(claim.family(n)).model, n);
    } catch (const SizeLimit&) {  // absent
    }
    series.depths.push_back(depth);
  }
  return series;
}

std::string form_of(const DepthSeries& series) {
  return series.claimed ? "claimed" : form_name(series.form);
}

std::string depth_text(const std::optional<std::uint64_t>& depth) {
  return depth ? std::to_string(*depth) : "–";
}

// --- the figure ----------------------------------------------------------------------------------

PlotSeries drawn_series(const DepthCurve& curve, const DepthSeries& series,
                        const SeriesStyle& style) {
  PlotSeries drawn{series.name, style};
  for (std::size_t i = 0; i < curve.sizes.size(); ++i) {
    if (!series.depths[i]) continue;
    const PlotPoint at = {std::log2(static_cast<double>(curve.sizes[i])),
                          static_cast<double>(*series.depths[i])};
    drawn.line.push_back(at);
    drawn.marks.push_back(
        {at, fmt::format("{}, n = {}: {}", series.name, curve.sizes[i], *series.depths[i])});
  }
  return drawn;
}

}  // namespace

std::vector<DepthCurve> depth_curves(const std::vector<const Claim*>& claims) {
  std::vector<DepthCurve> curves;
  for (const Subject& subject : subjects()) {
    DepthCurve curve{subject.name, subject.unit, subject.sizes, {}};
    std::set<std::string> claimed;
    for (const Claim* claim : claims) {
      if (claim->curve != subject.name) continue;
      if (claim->claimed.depth && claimed.insert(claim->id).second)
        curve.series.push_back(claimed_series(*claim, curve.sizes));
    }
    for (const Claim* claim : claims)
      if (claim->curve == subject.name && (claim->family || !claim->instances.empty()))
        curve.series.push_back(measured_series(*claim, curve.sizes));
    if (!curve.series.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::string depth_curve_markdown(const DepthCurve& curve) {
  std::vector<std::string> cells = {"", "form", "depth"};
  const std::size_t first_number = cells.size();
  for (const std::uint64_t n : curve.sizes) cells.push_back(std::to_string(n));
  std::string text = markdown_headings(cells, first_number);
  for (const DepthSeries& series : curve.series) {
    cells = {series.name, form_of(series), series.formula};
    for (const auto& depth : series.depths) cells.push_back(depth_text(depth));
    for (std::string& cell : cells) cell = markdown_text(cell);
    text += markdown_row(cells);
  }
  return text;
}

std::string depth_curve_svg(const DepthCurve& curve) {
  LineChart chart;
  chart.width = 520;
  chart.height = 360;
  std::vector<PlotSeries> legend;
  double deepest = 1;
  SeriesLooks looks;
  std::vector<const DepthSeries*> lines;  // that are drawn
  for (const DepthSeries& series : curve.series) {
    if (std::ranges::any_of(lines,
                            [&](const DepthSeries* line) { return line->depths == series.depths; }))
      continue;
    PlotSeries drawn = drawn_series(
        curve, series,
        looks.next({kHues[lines.size() % kHues.size()], series.claimed ? "6 4" : "", 2}));
    lines.push_back(&series);
    legend.push_back(drawn);
    // Lines that coincide are drawn once, and the legend has their names below each other.
    for (const DepthSeries& other : curve.series)
      if (&other != &series && other.depths == series.depths) legend.push_back({other.name, {}});
    for (const PlotMark& mark : drawn.marks) deepest = std::max(deepest, mark.at.second);
    chart.series.push_back(std::move(drawn));
  }
  const auto largest = static_cast<double>(curve.sizes.back());
  chart.x = doubling_axis(0, std::log2(largest), curve.unit + " n (logarithmic)");
  chart.y = counting_axis(deepest, "layers", 10);
  const double width = chart_width(chart);
  return svg_document(width + kLegendWidth, std::max(chart_height(chart), legend_height(legend)),
                      "Depth against size: " + curve.subject,
                      draw_chart(chart, {0, 0}) + draw_legend(legend, {width, kLegendTop}));
}

namespace {

// Bounds of the tests. `check` and `test` go further; here every file of the table has a turn
// within seconds.
constexpr std::size_t kEveryWord = 6, kRandomWords = 50, kLongestWord = 64;
constexpr std::size_t kEveryGraph = 3, kRandomGraphs = 10, kLargestGraph = 6;

/// As a reader of the file sees it: what the compiler wrote, parsed again.
Model read_back(const Program& program, const std::string& name) {
  return parse_weights(write_weights(with_derived(compile(program))), name);
}

/// 2, 4, 8, ...
std::vector<std::uint64_t> doublings(std::uint64_t up_to) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 2; size <= up_to; size *= 2) sizes.push_back(size);
  return sizes;
}

void count_file(ConstructedDepths& depths, const Model& model, std::uint64_t size) {
  const Measures counted = measure(model, size);
  depths.encoding = position_name(model.position);
  depths.width = counted.width;
  depths.numbers = counted.nonzeros;
}

void fit_slope(ConstructedDepths& depths) {
  PlotLine points;
  for (const auto& [size, depth] : depths.depths)
    points.emplace_back(std::log2(static_cast<double>(size)), static_cast<double>(depth));
  depths.slope = least_squares_slope(points);
}

std::string never_asked(const std::vector<HeadPlace>& heads) {
  return heads.empty() ? ""
                       : "; selection contracts never exercised: " + counted(heads.size(), "head");
}

/// `all`: what was verified of all inputs up to a size; `unit`: of sizes.
template <class Input>
void judge(ConstructedDepths& depths, const Examination<Input>& found, const std::string& input,
           const std::string& of, const std::string& all, const std::string& more,
           const std::string& unit) {
  if (const auto& wrong = found.counterexample) {
    depths.failed = true;
    depths.verification = fmt::format("{}FAILED on {}: expected {}, found {}", of, input,
                                      expected_text(wrong->finding), got_text(wrong->finding));
    return;
  }
  depths.verification = fmt::format("{}verified: {} ({}); sampled: {} {} of at most {} {}{}", of,
                                    all, found.exhaustive, found.random, more,
                                    found.bounds.max_size, unit, never_asked(found.unevaluated));
}

/// `test` runs the file and reports; beyond a limit of a run the file is counted all the same.
template <class Test>
void verify(ConstructedDepths& depths, const std::string& of, const Test& test) {
  try {
    test();
  } catch (const SizeLimit& limit) {
    depths.unverified = true;
    depths.verification = of + "not verified: " + limit.what();
  }
}

ConstructedDepths claimed(const std::string& problem, const Claim& claim, const std::string& name,
                          const std::vector<std::uint64_t>& sizes, std::uint64_t more) {
  ConstructedDepths depths;
  depths.problem = problem;
  depths.form = Form::as_written;
  depths.label = "as claimed";
  depths.construction = name;
  depths.encoding = kFirstFlag;  // all that MS25 Def. 2.1 asks of positions
  depths.formula = claim.claimed.text;
  depths.verification = "claimed (not built)";
  for (const std::uint64_t size : sizes)
    depths.depths.emplace_back(size, claim.claimed.depth(size + more));
  fit_slope(depths);
  return depths;
}

/// The first claim with this id that says how depth grows; all of them say the same.
const Claim& statement(const std::string& id) {
  const std::vector<Claim>& claims = all_claims();
  return *std::ranges::find_if(claims,
                               [&](const Claim& c) { return c.id == id && c.claimed.depth; });
}

/// Calls `build`, which fills everything but problem, form and name.
template <class Build>
ConstructedDepths built(const std::string& problem, Form form, const std::string& name,
                        const Build& build) {
  ConstructedDepths depths;
  depths.problem = problem;
  depths.form = form;
  depths.label = form_name(form);
  depths.construction = name;
  try {
    build(depths);
    depths.built = true;
    fit_slope(depths);
  } catch (const SizeLimit& error) {
    depths.verification = std::string("not built: ") + error.what();
  } catch (const InputError& error) {
    depths.verification = std::string("not built: ") + error.what();
  }
  return depths;
}

void test_words(ConstructedDepths& depths, const Model& model, const LanguageOracle& oracle,
                std::uint64_t seed, const std::string& of) {
  WordDomain questions(model, oracle);
  const auto found = examine_words(questions, {kEveryWord, kRandomWords, kLongestWord, seed}, {});
  const auto& wrong = found.counterexample;
  judge(depths, found, wrong ? questions.text(wrong->input) : "", of,
        fmt::format("every word of at most {} letters", found.bounds.up_to), "random words",
        "letters");
}

void test_graphs(ConstructedDepths& depths, const Model& model, std::uint64_t seed,
                 const std::string& of) {
  GraphDomain questions(model, false);
  const auto found = examine_graphs(
      questions, {{kEveryGraph, kRandomGraphs, kLargestGraph, seed}, false, false}, {});
  const auto& wrong = found.counterexample;
  judge(depths, found, wrong ? questions.text(wrong->input) : "", of,
        fmt::format("every graph of at most {} vertices up to renaming", found.bounds.up_to),
        "more", "vertices");
}

Action action_of(const std::string& problem, const ConstructedOptions& options) {
  const auto own = options.automata.find(problem);
  return own == options.automata.end() ? named_monoid(problem) : own->second;
}

/// A row of the table for this group, or for graphs: one network, or one per size, each compiled and
/// counted by itself.
ConstructedDepths constructed(const Construction& construction, const DepthRow& row,
                              const std::string& group, const ConstructedOptions& options) {
  const bool words = construction.problem == Problem::words;
  const bool hops = construction.problem == Problem::hops;
  const std::string problem = words ? group : hops ? kHops : kReachability;
  const Form form = row.repaired ? Form::repaired : Form::optimised;
  return built(problem, form, row.title, [&](ConstructedDepths& depths) {
    std::optional<Action> action;
    if (words) action = action_of(group, options);
    const auto network = [&](const Values& values) {
      const Program program = construction.make({values, action ? &*action : nullptr, group});
      return read_back(program, words ? row.title + " of " + group : row.title);
    };
    const std::uint64_t more = words || hops ? 0 : 1;  // a distance of h takes h + 1 vertices
    const bool one_per_size = !row.per_size.empty();
    const auto network_for = [&](std::uint64_t size) {
      Values values = row.values;
      values[row.per_size] = size;
      return network(values);
    };
    Model model;
    std::string of;
    if (!one_per_size) {
      model = network(row.values);
      count_file(depths, model, options.up_to + more);
      depths.formula = depth_formula(model);
    }
    for (const std::uint64_t n : doublings(std::min(options.up_to, row.largest - more))) {
      if (one_per_size) {
        depths.file_of = n + more;
        model = network_for(n + more);
        count_file(depths, model, n + more);
      }
      depths.depths.emplace_back(n, depth_at(model, n + more));
    }
    if (one_per_size) {
      depths.formula = row.formula;
      model = network_for(row.tested);
      of = fmt::format("the network for {} {}, ", row.tested,
                       words  ? "letters"
                       : hops ? "hops"
                              : "vertices");
    }
    verify(depths, of, [&] {
      if (words)
        test_words(depths, model, *make_action_oracle(*action, group), options.seed, of);
      else if (hops)
        test_words(depths, model,
                   *make_induction_hops_oracle(Alphabet(model.alphabet), row.tested, kHops),
                   options.seed, of);
      else
        test_graphs(depths, model, options.seed, of);
    });
  });
}

/// The network of a C-RASP program, whose depth is that of its comparisons and tables at every length.
ConstructedDepths counting(const std::string& problem, const CraspProgram& program,
                           const ConstructedOptions& options) {
  return built(problem, Form::optimised, "counting program", [&](ConstructedDepths& depths) {
    const Model model =
        read_back(counting_program(program, "counting program of " + problem), "counting program");
    count_file(depths, model, options.up_to);
    depths.formula = depth_formula(model);
    for (const std::uint64_t n : doublings(options.up_to))
      depths.depths.emplace_back(n, depth_at(model, n));
    verify(depths, "", [&] {
      test_words(depths, model, *make_crasp_oracle(program, problem), options.seed, "");
    });
  });
}

/// Whether the row speaks of this group. True also of what cannot be built, so that the row says why.
bool holds(const DepthRow& row, const std::string& group, const ConstructedOptions& options) {
  try {
    return !row.holds || row.holds(action_of(group, options));
  } catch (const InputError&) {
  } catch (const SizeLimit&) {
  }
  return true;
}

}  // namespace

std::vector<ConstructedDepths> constructed_depths(const ConstructedOptions& options,
                                                  const Catalogue& constructions) {
  using Part = std::function<ConstructedDepths()>;
  std::vector<Part> parts;
  const std::vector<std::uint64_t> sizes = doublings(options.up_to);
  const auto add_built = [&](Problem problem, const std::string& group) {
    for (const bool repaired : {true, false})
      for (const Construction& construction : constructions)
        for (const DepthRow& row : construction.depths)
          if (construction.problem == problem && row.repaired == repaired &&
              holds(row, group, options))
            parts.emplace_back(
                [&, group] { return constructed(construction, row, group, options); });
  };
  std::vector<std::string> languages = options.groups;
  for (const auto& automaton : options.automata) languages.push_back(automaton.first);
  for (const std::string& group : languages) {
    parts.emplace_back(
        [&, group] { return claimed(group, statement("thm-4.1"), "Thm 4.1, uniform", sizes, 0); });
    parts.emplace_back([&, group] {
      return claimed(group, statement("cor-4.2"), "Cor. 4.2, a network per n", sizes, 0);
    });
    add_built(Problem::words, group);
  }
  for (const auto& one : options.counting)
    parts.emplace_back([&] { return counting(one.first, one.second, options); });
  if (options.reachability) {
    parts.emplace_back(
        [&] { return claimed(kReachability, statement("thm-5.1"), "Thm 5.1", sizes, 1); });
    add_built(Problem::graphs, "");
    add_built(Problem::hops, "");
  }
  std::vector<ConstructedDepths> result;
  for (const Part& part : parts) {
    result.push_back(part());
    if (options.progress) options.progress(result.size(), parts.size());
  }
  return result;
}

}}  // namespace logdepth::proofs_check_ledger
