#include "proofs-check/ledger/constructed_depths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/phrases.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/ledger/check_weights.hpp"
#include "report/figures/least_squares.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
namespace {

// Bounds of the tests. `check` and `test` go further; here every file of the table has a turn
// within seconds.
constexpr std::size_t kEveryWord = 6, kRandomWords = 50, kLongestWord = 64;
constexpr std::size_t kEveryGraph = 3, kRandomGraphs = 10, kLargestGraph = 6;
/// A network for N vertices has N heads; the largest that is counted, and the one that is tested.
constexpr std::uint64_t kLargestRows = 65;
constexpr std::uint32_t kTestedRows = 9;
/// The radix whose networks are counted, one for each length, and the length of the one that is
/// tested.
constexpr unsigned kRadix = 4;
constexpr std::uint64_t kTestedRadix = 64;

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
  if (const auto line = least_squares(points)) depths.slope = line->a;
}

std::string never_asked(const std::vector<HeadPlace>& heads) {
  return heads.empty() ? "" : "; promises never asked: " + counted(heads.size(), "head");
}

/// `all`: what was verified of all inputs up to a size; `unit`: of sizes.
template <class Input>
void judge(ConstructedDepths& depths, const Examination<Input>& found, const std::string& input,
           const std::string& of, const std::string& all, const std::string& more,
           const std::string& unit) {
  if (const auto& wrong = found.counterexample) {
    depths.failed = true;
    depths.verification = fmt::format("{}FAILED on {}: expected {}, got {}", of, input,
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

// --- words ---------------------------------------------------------------------------------------

using WordConstruction = std::function<Program(const Action&, const std::string&)>;

void test_words(ConstructedDepths& depths, const Model& model, const Action& action,
                const std::string& group, std::uint64_t seed, const std::string& of) {
  const auto oracle = make_action_oracle(action, group);
  ExactRuns runs(model);
  WordInquiry questions(model, *oracle);
  const auto found =
      examine_words(runs, questions, {kEveryWord, kRandomWords, kLongestWord, seed}, {});
  const auto& wrong = found.counterexample;
  judge(depths, found, wrong ? questions.text(wrong->input) : "", of,
        fmt::format("every word of at most {} letters", found.bounds.up_to), "random words",
        "letters");
}

ConstructedDepths word_form(const std::string& group, Form form, const std::string& name,
                            const WordConstruction& construction,
                            const ConstructedOptions& options) {
  return built(group, form, name, [&](ConstructedDepths& depths) {
    const Action action = named_monoid(group);
    const Model model = read_back(construction(action, group), name + " of " + group);
    count_file(depths, model, options.up_to);
    depths.formula = depth_formula(model);
    for (const std::uint64_t n : doublings(options.up_to))
      depths.depths.emplace_back(n, depth_at(model, n));
    verify(depths, "", [&] { test_words(depths, model, action, group, options.seed, ""); });
  });
}

/// One network per length: each is compiled and counted by itself.
ConstructedDepths radix(const std::string& group, const ConstructedOptions& options) {
  const std::string name = fmt::format("radix {} (a network per n)", kRadix);
  return built(group, Form::optimised, name, [&](ConstructedDepths& depths) {
    const Action action = named_monoid(group);
    const auto network = [&](std::uint64_t length) {
      RadixOptions radix;
      radix.radix = kRadix;
      radix.max_length = length;
      return read_back(regular_language_radix_MS25_cor4_2(action, group, radix),
                       name + " of " + group);
    };
    for (const std::uint64_t n : doublings(options.up_to)) {
      const Model model = network(n);
      count_file(depths, model, n);
      depths.file_of = n;
      depths.depths.emplace_back(n, depth_at(model, n));
    }
    depths.formula = fmt::format("ceil(log{} n)", kRadix);
    const Model tested = network(kTestedRadix);
    const std::string of = fmt::format("the network for {} letters, ", kTestedRadix);
    verify(depths, of, [&] { test_words(depths, tested, action, group, options.seed, of); });
  });
}

WordConstruction scan(ScanPositions positions) {
  return [positions](const Action& action, const std::string& name) {
    return regular_language_scan_MS25_thm4_1(action, name, {positions, ScanTable::automatic});
  };
}

/// Whether a cascade multiplies no level by a scan. True also of what cannot be built, so that the
/// form says why.
bool has_constant_depth(const std::string& group) {
  try {
    return !cascade_of(named_monoid(group)).scanned;
  } catch (const InputError&) {
  } catch (const SizeLimit&) {
  }
  return true;
}

WordConstruction cascade(ScanPositions positions) {
  return [positions](const Action& action, const std::string& name) {
    return regular_language_cascade_KR65(cascade_of(action), name, {positions});
  };
}

// --- graphs --------------------------------------------------------------------------------------

void test_graphs(ConstructedDepths& depths, const Model& model, std::uint64_t seed,
                 const std::string& of) {
  ExactRuns runs(model);
  GraphInquiry questions(model, false);
  const auto found = examine_graphs(
      runs, questions, {{kEveryGraph, kRandomGraphs, kLargestGraph, seed}, false, false}, {});
  const auto& wrong = found.counterexample;
  judge(depths, found, wrong ? questions.text(wrong->input) : "", of,
        fmt::format("every graph of at most {} vertices up to renaming", found.bounds.up_to),
        "more", "vertices");
}

ConstructedDepths connectivity(Form form, const std::string& name, ConnectivityForm connectivity,
                               const ConstructedOptions& options) {
  return built(kReachability, form, name, [&](ConstructedDepths& depths) {
    const Model model = read_back(
        graph_connectivity_MS25_thm5_1(connectivity, GraphInput::Padding::n3_minus_n2), name);
    count_file(depths, model, options.up_to + 1);
    depths.formula = depth_formula(model);
    for (const std::uint64_t h : doublings(options.up_to))
      depths.depths.emplace_back(h, depth_at(model, h + 1));
    verify(depths, "", [&] { test_graphs(depths, model, options.seed, ""); });
  });
}

/// One network per number of vertices: each is compiled and counted by itself.
ConstructedDepths rows(const ConstructedOptions& options) {
  const std::string name = "rows (a network per n)";
  return built(kReachability, Form::optimised, name, [&](ConstructedDepths& depths) {
    for (const std::uint64_t h : doublings(std::min(options.up_to, kLargestRows - 1))) {
      const auto vertices = static_cast<std::uint32_t>(h + 1);
      const Model model = read_back(graph_connectivity_rows_MS25_thm5_1(vertices), name);
      count_file(depths, model, vertices);
      depths.file_of = vertices;
      depths.depths.emplace_back(h, depth_at(model, vertices));
    }
    depths.formula = "ceil(log2(n-1))";
    const Model tested = read_back(graph_connectivity_rows_MS25_thm5_1(kTestedRows), name);
    const std::string of = fmt::format("the network for {} vertices, ", kTestedRows);
    verify(depths, of, [&] { test_graphs(depths, tested, options.seed, of); });
  });
}

}  // namespace

std::vector<ConstructedDepths> constructed_depths(const ConstructedOptions& options) {
  using Part = std::function<ConstructedDepths()>;
  std::vector<Part> parts;
  const std::vector<std::uint64_t> sizes = doublings(options.up_to);
  for (const std::string& group : options.groups) {
    parts.emplace_back(
        [&, group] { return claimed(group, statement("thm-4.1"), "Thm 4.1, uniform", sizes, 0); });
    parts.emplace_back([&, group] {
      return claimed(group, statement("cor-4.2"), "Cor. 4.2, a network per n", sizes, 0);
    });
    const auto add = [&](Form form, const std::string& name, const WordConstruction& construction) {
      parts.emplace_back([&options, group, form, name, construction] {
        return word_form(group, form, name, construction, options);
      });
    };
    add(Form::repaired, "tree", [](const Action& action, const std::string& name) {
      return regular_language_tree_MS25_thm4_1(action, name);
    });
    add(Form::optimised, "scan", scan(ScanPositions::first_flag));
    add(Form::optimised, "scan", scan(ScanPositions::two_circle));
    parts.emplace_back([&options, group] { return radix(group, options); });
    if (!has_constant_depth(group)) continue;
    add(Form::optimised, "cascade", cascade(ScanPositions::first_flag));
    add(Form::optimised, "cascade", cascade(ScanPositions::fine));
  }
  if (options.reachability) {
    parts.emplace_back(
        [&] { return claimed(kReachability, statement("thm-5.1"), "Thm 5.1", sizes, 1); });
    parts.emplace_back(
        [&] { return connectivity(Form::repaired, "paper", ConnectivityForm::paper, options); });
    parts.emplace_back([&] {
      return connectivity(Form::optimised, "compact", ConnectivityForm::compact, options);
    });
    parts.emplace_back([&] { return rows(options); });
  }
  std::vector<ConstructedDepths> result;
  for (const Part& part : parts) {
    result.push_back(part());
    if (options.progress) options.progress(result.size(), parts.size());
  }
  return result;
}

}  // namespace logdepth
