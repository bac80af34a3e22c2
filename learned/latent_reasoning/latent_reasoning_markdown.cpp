#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/latent_reasoning/latent_reasoning_report.hpp"
#include "learned/latent_reasoning/latent_runs.hpp"
#include "learned/latent_reasoning/latent_verdicts.hpp"
#include "learned/latent_reasoning/published_latent_reasoning.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

using Generator = GraphShape::Generator;
using Range = std::optional<report::Range>;

/// Rows that iterate until nothing changes, and those that are asked to mend errors.
const std::vector<std::string> kIterating = {"no-oracle", "discrete", "corrected", "constructed"},
                               kMending = {"discrete", "corrected", "constructed"};
/// In a cell.
constexpr const char* kNothing = "–";

constexpr const char* kIntroduction =
    R"(# Latent-space reasoning on computation graphs

Modular arithmetic on graphs of N nodes, trained on small ones and measured on larger ones; a graph is solved if the values
of all its nodes are right. Numbers are medians over seeds, with the least and the most of them in brackets. They are
*measured* in the runs named here, *still rising* where the learning curve rose to the end of training, *ended* or
*diverged* where it did not make all its steps, or *published*: what "Unlocking Out-of-Distribution Generalization in
Transformers via Latent Space Reasoning" says of its own models.

![the methods by size and depth, iterations, recovery](latent-reasoning.svg)
)";

constexpr const char* kRecoveryText =
    R"(From the final state with a tenth of its known values replaced by wrong ones the loop runs again. Share of the nodes
that were hit themselves and are right in the end; in square brackets that of all nodes, most of which no error touched.

)";

std::string cell_text(const Range& range) {
  return range ? range_text(range) : kNothing;
}

std::string state_text(const LatentSeries& series) {
  if (series.constructed()) return "exact";
  std::vector<RunEnd> ends;
  for (const LatentRun& run : series.runs) ends.push_back({run.seed, run.early_end, run.trend});
  return ends_text(ends);
}

std::string seeds_cell(const LatentSeries& series) {
  if (series.constructed())
    return counted(series.runs.front().cells.front().graphs, "graph") + " each";
  std::vector<std::string> numbers;
  for (const std::uint64_t seed : series.seeds()) numbers.push_back(std::to_string(seed));
  return joined(numbers);
}

/// A row for every series, and one that says so for every method without runs. `cells`: of a
/// series; where all of them are empty the method has no such numbers, and no row. `only`: the rows
/// that a table is about; empty: all.
template <class Cells>
std::string method_table(const LatentSection& section, const std::vector<std::string>& columns,
                         const std::vector<std::string>& only, Cells cells) {
  std::vector<std::string> row = {"method", "seeds", "state"};
  row.insert(row.end(), columns.begin(), columns.end());
  std::string text = markdown_headings(row, 3);
  for (const LatentRow& method : latent_rows()) {
    if (!only.empty() && std::ranges::find(only, method.name) == only.end()) continue;
    const auto all = section.of(method.name);
    for (const LatentSeries* series : all) {
      const std::vector<std::string> numbers = cells(*series);
      if (std::ranges::count(numbers, kNothing) == std::ssize(numbers)) continue;
      row = {markdown_text(series->title()), seeds_cell(*series), state_text(*series)};
      row.insert(row.end(), numbers.begin(), numbers.end());
      text += markdown_row(row);
    }
    if (!all.empty()) continue;
    row.assign(3 + columns.size(), "");
    row[0] = method.title;
    row[2] = std::string(method.name) == "constructed" ? "not given" : "not run";
    text += markdown_row(row);
  }
  return text;
}

std::string nodes_heading(const LatentSection& section, std::uint32_t nodes) {
  const bool trained = nodes >= section.task().least_nodes && nodes <= section.task().most_nodes;
  return fmt::format("N = {}{}", nodes, trained ? " (trained)" : "");
}

std::string size_tables(const LatentSection& section) {
  std::string text;
  for (const Generator generator : {Generator::uniform, Generator::deep}) {
    const std::vector<std::uint32_t> all = section.nodes(generator);
    if (all.empty()) continue;
    std::vector<std::string> columns;
    for (const std::uint32_t nodes : all) columns.push_back(nodes_heading(section, nodes));
    const auto table = [&](auto number) {
      return method_table(section, columns, {}, [&](const LatentSeries& series) {
        std::vector<std::string> cells;
        for (const std::uint32_t nodes : all)
          cells.push_back(cell_text(number(series, GraphCell{generator, nodes})));
        return cells;
      });
    };
    const std::string graphs =
        fmt::format("graphs of the generator `{}`", graph_generator_name(generator));
    text += "\nFully solved, " + graphs + ":\n\n" +
            table([](const LatentSeries& series, const GraphCell& cell) {
              return series.solved(cell);
            }) +
            "\nRight nodes, " + graphs + ":\n\n" +
            table([](const LatentSeries& series, const GraphCell& cell) {
              return series.right_nodes(cell);
            });
  }
  return text;
}

template <class ByDepth>
std::string depth_table(const LatentSection& section, const std::vector<std::string>& only,
                        ByDepth by_depth) {
  std::set<std::uint32_t> depths;
  for (const LatentSeries& series : section.series)
    for (const auto& [depth, range] : by_depth(series)) depths.insert(depth);
  if (depths.empty()) return "Nothing of this was measured.\n";
  std::vector<std::string> columns;
  for (const std::uint32_t depth : depths) columns.push_back(std::to_string(depth));
  return method_table(section, columns, only, [&](const LatentSeries& series) {
    const auto ranges = by_depth(series);
    std::vector<std::string> cells;
    for (const std::uint32_t depth : depths) {
      const auto found = ranges.find(depth);
      cells.push_back(found == ranges.end() ? kNothing : range_text(found->second));
    }
    return cells;
  });
}

std::string depth_tables(const LatentSection& section) {
  const Generator generator = section.generator_of_depths();
  return fmt::format(
             "\nFully solved by the depth of the graph, all sizes of the generator `{}`, depths of "
             "at "
             "least {} graphs:\n\n",
             graph_generator_name(generator), kGraphsOfDepth) +
         depth_table(
             section, {},
             [&](const LatentSeries& series) { return series.solved_by_depth(generator); }) +
         "\nIterations until nothing changed, mean over solved graphs by their depth; the "
         "algorithm "
         "itself takes as many as the graph is deep:\n\n" +
         depth_table(section, kIterating,
                     [](const LatentSeries& series) { return series.iterations_by_depth(); });
}

/// Of chains of thought, how often they are right but for values; or nothing.
std::string structure_text(const LatentSection& section) {
  std::string text;
  for (const LatentSeries& series : section.series) {
    std::vector<std::string> parts;
    for (const LatentCell& first : series.runs.front().cells)
      if (const Range range = series.range([&](const LatentRun& run) {
            const LatentCell* cell = run.at(first.cell);
            return cell ? cell->structure : std::nullopt;
          }))
        parts.push_back(fmt::format("{} at N = {}{}", range_text(range), first.cell.nodes,
                                    first.cell.generator == Generator::deep ? " (deep)" : ""));
    if (!parts.empty())
      text += fmt::format("\nWithout a mistake but in values, {}: {}.\n",
                          markdown_text(series.title()), joined(parts));
  }
  return text;
}

std::string recovery_cell(const LatentSeries& series, const GraphCell& cell) {
  const Range hit = series.hit_nodes(cell);
  const Range all = series.range([&](const LatentRun& run) -> std::optional<double> {
    const LatentCell* at = run.at(cell);
    return at && at->recovery ? std::optional(at->recovery->nodes) : std::nullopt;
  });
  return all ? cell_text(hit) + " [" + fixed_text(all->median, 3) + "]" : kNothing;
}

std::string recovery_table(const LatentSection& section) {
  const Generator generator = section.task().graphs.generator;
  const std::vector<std::uint32_t> all = section.nodes(generator);
  std::vector<std::string> columns;
  for (const std::uint32_t nodes : all) columns.push_back(nodes_heading(section, nodes));
  return method_table(section, columns, kMending, [&](const LatentSeries& series) {
    std::vector<std::string> cells;
    for (const std::uint32_t nodes : all)
      cells.push_back(recovery_cell(series, {generator, nodes}));
    return cells;
  });
}

std::string constructed_text(const LatentSection& section) {
  std::string text;
  for (const LatentSeries* series : section.of("constructed")) {
    const LatentRun& run = series->runs.front();
    text += fmt::format(
        "\nConstructed: {}, not trained, {} for each unit of depth; run exactly on the first {} of "
        "each size that seed {} was measured on.\n",
        markdown_text(series->config.constructed->weights),
        counted(run.layers_per_iteration, "layer"), counted(run.cells.front().graphs, "graph"),
        run.seed);
  }
  return text;
}

std::string criteria_text(const LatentSection& section) {
  std::string text;
  for (const report::Criterion& criterion : latent_criteria(section))
    text += report::criterion_markdown(criterion, "median");
  return text;
}

std::string section_text(const LatentSection& section, std::size_t number) {
  return fmt::format("\n## {}. {}\n", number, section.title()) + size_tables(section) +
         structure_text(section) + constructed_text(section) + depth_tables(section) + "\n" +
         kRecoveryText + recovery_table(section) + "\nCriteria:\n\n" + criteria_text(section);
}

std::string published_text() {
  std::string text =
      "\n## Published\n\nThe paper trains on N up to 32 modulo 23 with 128 names and prints "
      "curves, no "
      "table: words, and sizes read off the curves.\n\n" +
      markdown_headings({"method", "nearly always solved to N", "more often than not to N",
                         "published", "where"});
  const auto nodes = [](std::uint32_t number) {
    return number == 0 ? std::string(kNothing) : fmt::format("about {}", number);
  };
  for (const PublishedMethod& method : published_latent_methods())
    text += markdown_row({method.method, nodes(method.near_perfect_to), nodes(method.usable_to),
                          markdown_text(method.says), method.source});
  const PublishedErrors& errors = kPublishedErrors;
  return text +
         fmt::format(
             "\nPublished of the best discrete model of two layers, trained on {}: {} solved "
             "beyond the training sizes; at N = 128 {} errors in {} sentences, {} of "
             "attention in the first layer, {} of copies in the second, {} of calculation.\n",
             errors.trained_on, percent_text(errors.solved), errors.total, errors.sentences,
             errors.first_attention, errors.second_copy, errors.calculation);
}

}  // namespace

std::string latent_reasoning_markdown(const std::vector<RunRecord>& records) {
  const std::vector<LatentSection> sections = latent_sections(records);
  std::string text = kIntroduction;
  for (std::size_t i = 0; i < sections.size(); ++i) text += section_text(sections[i], i + 1);
  text += published_text();
  text += "\n## Where the source contradicts itself or is silent\n\n";
  for (const std::string& note : latent_reasoning_contradictions()) text += "- " + note + "\n";
  return text;
}

}  // namespace logdepth
