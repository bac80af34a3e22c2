#include "learned/report/line_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/phrases.hpp"
#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr double kLowPercentile = 0.025, kHighPercentile = 0.975;
/// Sums of squares that differ by less than this share of the variance of d are rounding.
constexpr double kRounding = 1e-9;

/// What the choice makes of sorted reaches.
double chosen(const std::vector<double>& sorted, SeedChoice choice) {
  const std::size_t half = sorted.size() / 2;
  if (choice == SeedChoice::best) return sorted.back();
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// Whether the choice could be larger than `reach`: an open seed may get anywhere beyond its own.
template <class Open>
bool could_grow(const std::vector<DepthPoint>& seeds, double reach, SeedChoice choice,
                const Open& open) {
  if (choice == SeedChoice::best)
    return std::ranges::any_of(
        seeds, [&](const DepthPoint& seed) { return open(seed) && seed.reach == reach; });
  std::vector<double> moved;
  for (const DepthPoint& seed : seeds)
    moved.push_back(open(seed) ? std::numeric_limits<double>::infinity() : seed.reach);
  std::ranges::sort(moved);
  return chosen(moved, choice) != reach;
}

/// Whether the choice could be smaller than `reach`: an absent seed has at most what it is counted with.
bool could_shrink(const std::vector<DepthPoint>& seeds, double reach, SeedChoice choice) {
  std::vector<double> least;
  for (const DepthPoint& seed : seeds)
    least.push_back(seed.absent ? -std::numeric_limits<double>::infinity() : seed.reach);
  std::ranges::sort(least);
  return chosen(least, choice) != reach;
}

DepthCell cell_of(double depth, std::vector<DepthPoint> seeds, SeedChoice choice) {
  std::sort(seeds.begin(), seeds.end(),
            [](const DepthPoint& a, const DepthPoint& b) { return a.reach < b.reach; });
  DepthCell cell;
  cell.depth = depth;
  std::vector<double> all;
  for (const DepthPoint& seed : seeds) {
    all.push_back(seed.reach);
    if (seed.absent) {
      ++cell.absent_seeds;
    } else {
      cell.reaches.push_back(seed.reach);
      cell.censored_seeds += seed.censored ? 1 : 0;
      cell.unsettled_seeds += seed.unsettled ? 1 : 0;
    }
  }
  cell.reach = chosen(all, choice);
  cell.censored = could_grow(seeds, cell.reach, choice,
                             [](const DepthPoint& seed) { return seed.censored && !seed.absent; });
  cell.unsettled = !cell.censored && could_grow(seeds, cell.reach, choice, [](const DepthPoint& p) {
    return p.censored || p.unsettled;
  });
  cell.undetermined = could_shrink(seeds, cell.reach, choice);
  cell.at_least = std::ranges::any_of(seeds, [&](const DepthPoint& seed) {
    return !seed.absent && !seed.censored && !seed.unsettled && seed.reach >= cell.reach;
  });
  return cell;
}

std::map<double, std::vector<DepthPoint>> by_depth(const std::vector<DepthPoint>& points) {
  std::map<double, std::vector<DepthPoint>> depths;
  for (const DepthPoint& point : points) depths[point.depth].push_back(point);
  return depths;
}

/// Reaches and depths of the cells that may be fitted.
PlotLine usable(const std::vector<DepthCell>& cells) {
  PlotLine line;
  for (const DepthCell& cell : cells)
    if (cell.fitted()) line.emplace_back(cell.reach, cell.depth);
  return line;
}

PlotLine with_logarithm(PlotLine line) {
  for (auto& point : line) point.first = std::log2(point.first);
  return line;
}

/// Precondition: two different x.
CurveFit fit_both_ways(const PlotLine& line) {
  CurveFit fit;
  fit.direct = least_squares(line).value();
  PlotLine turned;
  for (const auto& [x, d] : line) turned.emplace_back(d, x);
  const auto inverse = least_squares(turned);
  // x = a' d + b', so d = x / a' - b' / a'.
  if (inverse && inverse->a != 0) fit.inverse = {1 / inverse->a, -inverse->b / inverse->a};
  return fit;
}

/// A sum of squares, without what rounding left of it. `d` has to be explained.
double rounded_residual(const LeastSquares& fit, const PlotLine& line) {
  double mean = 0, total = 0;
  for (const auto& [x, d] : line) mean += d / static_cast<double>(line.size());
  for (const auto& [x, d] : line) total += (d - mean) * (d - mean);
  return fit.residual <= kRounding * total ? 0 : fit.residual;
}

void compare_curves(DepthFit& fit, const PlotLine& line) {
  const double of_log = rounded_residual(fit.logarithmic.direct, line);
  const double of_line = rounded_residual(fit.linear.direct, line);
  if (std::fabs(of_log - of_line) <= kRounding * std::max(of_log, of_line)) return;
  fit.preferred = of_log < of_line ? GrowthCurve::logarithmic : GrowthCurve::linear;
  // AICc = m log(residual / m) + 2 k m / (m - k - 1) with the same m and k.
  fit.aic_difference = static_cast<double>(line.size()) * (std::log(of_line) - std::log(of_log));
}

std::string refusal_of(const DepthFit& fit, const PlotLine& line) {
  std::vector<std::string> parts = {
      fmt::format("{} of {} censored", fit.censored_depths, fit.cells.size())};
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(fit.unsettled_depths, "not plateaued");
  add(fit.undetermined_depths, "that too few seeds were trained for");
  add(fit.zero_depths, "reaching less than 1");
  const std::string open = " (" + joined(parts) + ")";
  if (line.size() < kFewestDepths)
    return fmt::format("no law: {}, expected at least {} that are settled{}",
                       counted(line.size(), "depth"), kFewestDepths, open);
  if (std::all_of(line.begin(), line.end(),
                  [&](const auto& point) { return point.first == line.front().first; }))
    return "no law: every settled depth reaches the same" + open;
  return "";
}

/// Linear interpolation between the sorted values.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

}  // namespace

Percentiles percentiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {percentile(values, kLowPercentile), percentile(values, kHighPercentile)};
}

namespace {

void set_intervals(CurveFit& fit) {
  std::vector<double> a, b;
  for (const auto& [slope, constant] : fit.resampled) {
    a.push_back(slope);
    b.push_back(constant);
  }
  fit.a = percentiles(a);
  fit.b = percentiles(b);
}

/// The curves of these cells; refused where they cannot be fitted.
DepthFit fit_cells(std::vector<DepthCell> cells, SeedChoice choice) {
  DepthFit fit;
  fit.choice = choice;
  fit.cells = std::move(cells);
  for (const DepthCell& cell : fit.cells) {
    fit.censored_points += cell.censored_seeds;
    fit.unsettled_points += cell.unsettled_seeds;
    if (cell.censored) {
      ++fit.censored_depths;
    } else if (cell.unsettled) {
      ++fit.unsettled_depths;
    } else if (cell.undetermined) {
      ++fit.undetermined_depths;
    } else if (!cell.fitted()) {
      ++fit.zero_depths;
    }
    if (cell.seeds() > 1) ++fit.several_seeds;
  }
  const PlotLine line = usable(fit.cells);
  fit.fitted_depths = line.size();
  fit.refusal = refusal_of(fit, line);
  if (!fit.fitted()) return fit;
  fit.logarithmic = fit_both_ways(with_logarithm(line));
  fit.linear = fit_both_ways(line);
  compare_curves(fit, line);
  return fit;
}

}  // namespace

const char* growth_curve_name(GrowthCurve curve) {
  return curve == GrowthCurve::logarithmic ? "logarithmic"
         : curve == GrowthCurve::linear    ? "linear"
                                           : "undecided";
}

std::optional<Percentiles> CurveFit::depths_at(double x) const {
  if (resampled.empty()) return std::nullopt;
  std::vector<double> depths;
  for (const auto& [slope, constant] : resampled) depths.push_back(slope * x + constant);
  return percentiles(std::move(depths));
}

std::vector<DepthCell> depth_cells(const std::vector<DepthPoint>& points, SeedChoice choice) {
  std::vector<DepthCell> cells;
  for (const auto& [depth, seeds] : by_depth(points))
    cells.push_back(cell_of(depth, seeds, choice));
  return cells;
}

namespace {

/// The points of each network, the networks that have the same depths side by side.
std::vector<std::vector<std::vector<DepthPoint>>> strata(const std::vector<DepthPoint>& points) {
  std::map<std::size_t, std::vector<DepthPoint>> networks;
  std::map<std::vector<double>, std::vector<std::vector<DepthPoint>>> by_depths;
  for (const DepthPoint& point : points)
    if (point.network) {
      networks[*point.network].push_back(point);
    } else {
      by_depths[{point.depth}].push_back({point});
    }
  for (auto& [network, its_points] : networks) {
    std::vector<double> depths;
    for (const DepthPoint& point : its_points) depths.push_back(point.depth);
    std::ranges::sort(depths);
    by_depths[depths].push_back(std::move(its_points));
  }
  std::vector<std::vector<std::vector<DepthPoint>>> result;
  for (auto& [depths, alike] : by_depths) result.push_back(std::move(alike));
  return result;
}

}  // namespace

DepthFit fit_depth(const std::vector<DepthPoint>& points, SeedChoice choice, std::uint64_t seed) {
  DepthFit fit = fit_cells(depth_cells(points, choice), choice);
  if (!fit.fitted() || fit.several_seeds == 0) return fit;
  const auto networks = strata(points);
  for (std::uint64_t sample = 0; sample < kResamples; ++sample) {
    std::vector<DepthPoint> drawn;
    for (std::size_t stratum = 0; stratum < networks.size(); ++stratum) {
      const auto& alike = networks[stratum];
      CounterRandom random(seed, RandomStream::bootstrap, sample, stratum);
      for (std::size_t i = 0; i < alike.size(); ++i) {
        const auto& network = alike[random.below(alike.size())];
        drawn.insert(drawn.end(), network.begin(), network.end());
      }
    }
    std::vector<DepthCell> cells = depth_cells(drawn, choice);
    const DepthFit again = fit_cells(std::move(cells), choice);
    if (!again.fitted()) continue;
    ++fit.resamples;
    if (again.preferred == GrowthCurve::logarithmic) ++fit.logarithmic_wins;
    for (auto curve : {&DepthFit::logarithmic, &DepthFit::linear})
      (fit.*curve).resampled.emplace_back((again.*curve).direct.a, (again.*curve).direct.b);
  }
  if (fit.resamples > 0) {
    set_intervals(fit.logarithmic);
    set_intervals(fit.linear);
  }
  return fit;
}

WidthFit fit_width(const std::vector<DepthPoint>& points, SeedChoice choice) {
  WidthFit fit;
  fit.cells = depth_cells(points, choice);
  PlotLine line;
  for (const DepthCell& cell : fit.cells) {
    if (cell.censored) {
      ++fit.censored_widths;
    } else if (cell.unsettled) {
      ++fit.unsettled_widths;
    } else {
      line.emplace_back(cell.depth, cell.reach);
    }
  }
  if (line.size() < kFewestDepths) {
    fit.refusal = fmt::format(
        "no law: {}, expected at least {} that are settled ({} of {} censored{})",
        counted(line.size(), "width"), kFewestDepths, fit.censored_widths, fit.cells.size(),
        fit.unsettled_widths > 0 ? fmt::format(", {} not plateaued", fit.unsettled_widths) : "");
    return fit;
  }
  fit.line = least_squares(line).value();
  return fit;
}

}  // namespace logdepth::inline learned_report
