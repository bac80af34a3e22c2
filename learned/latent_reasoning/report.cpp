#include "learned/latent_reasoning/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/latent_reasoning/charts.hpp"
#include "learned/latent_reasoning/criteria.hpp"
#include "learned/latent_reasoning/published.hpp"
#include "learned/latent_reasoning/runs.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::latent {
namespace {

using report::cell_text;
using report::Column;
using report::column;
using report::Data;
using report::data_of;
using report::kNothing;
using report::Report;
using Generator = GraphShape::Generator;
using Names = std::vector<std::string>;

constexpr const char* kSchema = "logdepth/report-latent-reasoning/1";
/// Rows that iterate until nothing changes, and those that are asked to mend errors.
const Names kIterating = {"no-oracle", "discrete", "corrected", "constructed"},
            kMending = {"discrete", "corrected", "constructed"};

constexpr const char* kIntroduction =
    R"(Modular arithmetic on graphs of N nodes, trained on small ones and measured on larger ones; a graph is solved if the values
of all its nodes are right. Numbers are medians over seeds, with the least and the most of them in brackets. They are
*measured* in the runs named here, *still improving* where the learning curve rose to the end of training, *ended* or
*diverged* where it did not make all its steps, or *published* in "Unlocking Out-of-Distribution Generalization in
Transformers via Latent Space Reasoning" for its own models.)";
constexpr const char* kRecoveryText =
    R"(From the final state with a tenth of its known values replaced by wrong ones the iterations run again. Share of the nodes
that were hit themselves and are right in the end; in square brackets that of all nodes, most of which no error touched.)";

// --- a section as data ---------------------------------------------------------------------------

Data by_depth(const std::map<std::uint32_t, report::Range>& ranges) {
  Data list = Data::array();
  for (const auto& [depth, range] : ranges) {
    list.push_back({{"depth", depth}});
    list.back().update(data_of(std::optional(range)));
  }
  return list;
}

/// A number of every cell that has it. `number`: of a Cell, a number or an optional.
template <class Number>
Data by_cell(const Series& series, Number number) {
  Data list = Data::array();
  for (const Cell& first : series.runs.front().cells)
    if (const auto range = series.in_cell(first.cell, number)) {
      list.push_back({{"generator", graph_generator_name(first.cell.generator)},
                      {"nodes", first.cell.nodes},
                      {"graphs", first.graphs}});
      list.back().update(data_of(range));
    }
  return list;
}

/// A number of what was recovered of a cell's graphs, where anything was to be.
template <class Number>
Data recovered(const Series& series, Number number) {
  return by_cell(series, [&](const Cell& cell) -> std::optional<double> {
    if (!cell.recovery) return std::nullopt;
    return (*cell.recovery).*number;
  });
}

Data series_data(const Section& section, const Series& series) {
  const bool constructed = series.constructed();
  Data data = {{"row", rows()[series.row].name},
               {"title", series.title()},
               {"setting", series.setting},
               {"config", settings_of_series(series.config)},
               {"seeds", series.seeds()}};
  add_ends(data, series.ends());
  data["weights"] = constructed ? Data(series.config.constructed->weights) : Data();
  data["layers_per_iteration"] =
      constructed ? Data(series.runs.front().layers_per_iteration) : Data();
  data["solved"] = by_cell(series, [](const Cell& cell) { return cell.solved; });
  data["nodes"] = by_cell(series, [](const Cell& cell) { return cell.nodes; });
  data["structure"] = by_cell(series, [](const Cell& cell) { return cell.structure; });
  data["hit_nodes"] = recovered(series, &Cell::Recovery::hit_nodes);
  data["graphs_after_errors"] = recovered(series, &Cell::Recovery::graphs);
  data["solved_by_depth"] = by_depth(series.solved_by_depth(section.generator_of_depths()));
  data["iterations_by_depth"] = by_depth(series.iterations_by_depth());
  data["slope"] = data_of(series.slope());
  data["settled"] = data_of(series.range([](const Run& run) -> std::optional<double> {
    if (!run.settling) return std::nullopt;
    return run.settling->settled;
  }));
  return data;
}

/// A section as its tables have it.
struct SectionPage {
  const Section& section;
  std::vector<Data> series = {};     ///< in the order of the section
  std::vector<Data> all_nodes = {};  ///< of each: right after errors, whether hit or not
};

Data section_data(const SectionPage& page) {
  const Section& section = page.section;
  const GraphTaskSettings& task = section.task();
  Data data = {{"title", section.title()},
               {"trained_nodes", {task.least_nodes, task.most_nodes}},
               {"generator", graph_generator_name(task.graphs.generator)},
               {"not_run", Data::array()}};
  for (const Row& row : rows())
    if (section.of(row.name).empty()) data["not_run"].push_back(row.name);
  data["series"] = page.series;
  data["criteria"] = data_of(criteria_of(section));
  return data;
}

// --- tables --------------------------------------------------------------------------------------

/// The entry of a list that has this key; null without one.
Data entry_of(const Data& list, const Data& key) {
  for (const Data& entry : list)
    if (std::ranges::all_of(key.items(),
                            [&](const auto& item) { return entry.at(item.key()) == item.value(); }))
      return entry;
  return {};
}

Column entry_column(const std::string& heading, const char* list, const Data& key) {
  return {heading, [=](const Data& row) { return cell_text(entry_of(row.at(list), key)); }};
}

Data key_of(const GraphCell& cell) {
  return {{"generator", graph_generator_name(cell.generator)}, {"nodes", cell.nodes}};
}

/// A row for every series, and one that says so for every method without runs. `only`: the rows
/// that a table is about; empty: all.
report::Table method_table(const SectionPage& page, std::vector<Column> columns,
                           const Names& only = {}) {
  for (Column& one : columns)
    one.cell = [cell = one.cell](const Data& row) { return row.is_null() ? "" : cell(row); };
  std::vector<report::Row> all;
  for (std::size_t row = 0; row < rows().size(); ++row) {
    const Row& method = rows()[row];
    if (!only.empty() && std::ranges::find(only, method.name) == only.end()) continue;
    const bool constructed = std::string(method.name) == "constructed";
    bool any = false;
    for (std::size_t i = 0; i < page.series.size(); ++i) {
      const Series& series = page.section.series[i];
      if (series.row != row) continue;
      any = true;
      all.push_back(
          {{markdown_text(series.title()),
            constructed ? counted(series.runs.front().cells.front().graphs, "graph") + " each"
                        : series.seeds_cell(),
            constructed ? "exact" : ends_text(series.ends())},
           page.series[i]});
      all.back().data["all_nodes"] = page.all_nodes[i];
    }
    if (!any) all.push_back({{method.title, "", constructed ? "not given" : "not run"}, {}});
  }
  return report::table_of({"method", "seeds", "state"}, columns, all);
}

std::string nodes_heading(const Section& section, std::uint32_t nodes) {
  const bool trained = nodes >= section.task().least_nodes && nodes <= section.task().most_nodes;
  return fmt::format("N = {}{}", nodes, trained ? " (trained)" : "");
}

void add_sizes(Report& report, const SectionPage& page) {
  for (const Generator generator : {Generator::uniform, Generator::deep}) {
    const std::vector<std::uint32_t> all = page.section.nodes(generator);
    if (all.empty()) continue;
    for (const auto& [what, list] :
         {std::pair("Fully solved", "solved"), std::pair("Right nodes", "nodes")}) {
      std::vector<Column> columns;
      for (const std::uint32_t nodes : all)
        columns.push_back(entry_column(nodes_heading(page.section, nodes), list,
                                       key_of(GraphCell{generator, nodes})));
      report
          .add(fmt::format("{}, graphs of the generator `{}`:", what,
                           graph_generator_name(generator)))
          .add(method_table(page, columns));
    }
  }
}

void add_by_depth(Report& report, const SectionPage& page, const std::string& text,
                  const char* list, const Names& only) {
  std::set<std::uint32_t> depths;
  for (const Data& series : page.series)
    for (const Data& entry : series.at(list)) depths.insert(entry.at("depth").get<std::uint32_t>());
  report.add(text);
  if (depths.empty()) {
    report.add("Nothing of this was measured.");
    return;
  }
  std::vector<Column> columns;
  for (const std::uint32_t depth : depths)
    columns.push_back(entry_column(std::to_string(depth), list, {{"depth", depth}}));
  report.add(method_table(page, columns, only));
}

/// Of chains of thought, how often they are right but for values.
void add_structure(Report& report, const SectionPage& page) {
  for (const Data& series : page.series) {
    Names parts;
    for (const Data& entry : series.at("structure"))
      parts.push_back(fmt::format("{} at N = {}{}", cell_text(entry),
                                  entry.at("nodes").get<std::uint32_t>(),
                                  entry.at("generator") == "deep" ? " (deep)" : ""));
    if (!parts.empty())
      report.add(fmt::format("Without a mistake but in values, {}: {}.",
                             cell_text(series.at("title")), joined(parts)));
  }
}

void add_constructed(Report& report, const Section& section) {
  for (const Series* series : section.of("constructed")) {
    const Run& run = series->runs.front();
    report.add(fmt::format(
        "Constructed: {}, not trained, {} for each unit of depth; run exactly on the first {} of "
        "each size that seed {} was measured on.",
        markdown_text(series->config.constructed->weights),
        counted(run.layers_per_iteration, "layer"), counted(run.cells.front().graphs, "graph"),
        run.end.seed));
  }
}

void add_recovery(Report& report, const SectionPage& page) {
  const Generator generator = page.section.task().graphs.generator;
  std::vector<Column> columns;
  for (const std::uint32_t nodes : page.section.nodes(generator))
    columns.push_back({nodes_heading(page.section, nodes),
                       [key = key_of(GraphCell{generator, nodes})](const Data& row) -> std::string {
                         const Data all = entry_of(row.at("all_nodes"), key);
                         if (all.is_null()) return kNothing;
                         return cell_text(entry_of(row.at("hit_nodes"), key)) + " [" +
                                fixed_text(report::number_of(all), 3) + "]";
                       }});
  report.add(kRecoveryText).add(method_table(page, columns, kMending));
}

void add_section(Report& report, report::Picture& picture, const Section& section,
                 std::size_t number) {
  SectionPage page{section};
  for (const Series& series : section.series) {
    page.series.push_back(series_data(section, series));
    page.all_nodes.push_back(recovered(series, &Cell::Recovery::nodes));
  }
  report.add(report::Heading{fmt::format("{}. {}", number, section.title())});
  add_sizes(report, page);
  add_structure(report, page);
  add_constructed(report, section);
  add_by_depth(report, page,
               fmt::format("Fully solved by the depth of the graph, all sizes of the generator "
                           "`{}`, depths of at least {} graphs:",
                           graph_generator_name(section.generator_of_depths()), kGraphsOfDepth),
               "solved_by_depth", {});
  add_by_depth(report, page,
               "Iterations until nothing changed, mean over solved graphs by their depth; the "
               "algorithm itself takes as many as the graph is deep:",
               "iterations_by_depth", kIterating);
  add_recovery(report, page);
  report.add("Criteria:").add(report::Criteria{criteria_of(section), "median"});
  report.data["sections"].push_back(section_data(page));
  for (report::Strip& strip : section_strips(section, page.series, number))
    picture.strips.push_back(std::move(strip));
}

void add_published(Report& report) {
  const auto nodes = [](const char* name) {
    return [name](const Data& row) {
      const Data& number = row.at(name);
      return number == 0 ? kNothing : "about " + number.dump();
    };
  };
  const Data& published = report.data["published"];
  const PublishedErrors& errors = kPublishedErrors;
  report.add(report::Heading{"Published"})
      .add(
          "The paper trains on N up to 32 modulo 23 with 128 names and prints curves, no table: "
          "words, and sizes read off the curves.")
      .add(report::table_of(published.at("methods"),
                            {column("method", "/method"),
                             {"nearly always solved to N", nodes("near_perfect_to")},
                             {"more often than not to N", nodes("usable_to")},
                             column("published", "/says"),
                             column("where", "/source")},
                            std::string::npos))
      .add(fmt::format(
          "Published of the best discrete model of two layers, trained on {}: {} solved beyond the "
          "training sizes; at N = 128 {} errors in {} sentences, {} of attention in the first "
          "layer, {} of copies in the second, {} of calculation.",
          errors.trained_on, percent_text(errors.solved), errors.total, errors.sentences,
          errors.first_attention, errors.second_copy, errors.calculation))
      .add(report::Heading{"Where the source contradicts itself or is silent"})
      .add(report::List{published.at("contradictions")});
}

}  // namespace

Report make_report(const std::vector<RunRecord>& records) {
  Report report{"latent-reasoning", "Latent-space reasoning on computation graphs"};
  report.add(kIntroduction)
      .add(report::Figure{"latent-reasoning.svg",
                          "the methods by size and depth, iterations, recovery"});
  report::Picture picture = methods_picture();
  report.data = {{"schema", kSchema}, {"thresholds", thresholds()}, {"sections", Data::array()}};
  const std::vector<Section> sections = sections_of(records);
  for (std::size_t i = 0; i < sections.size(); ++i)
    add_section(report, picture, sections[i], i + 1);
  report.data["published"] = published();
  add_published(report);
  return report.add_picture(picture);
}

}  // namespace logdepth::latent
