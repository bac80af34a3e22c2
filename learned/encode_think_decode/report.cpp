#include "learned/encode_think_decode/report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/encode_think_decode/charts.hpp"
#include "learned/encode_think_decode/criteria.hpp"
#include "learned/encode_think_decode/published.hpp"
#include "learned/language_model/measurement_figures.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::etd {
namespace {

using report::cell_text;
using report::Column;
using report::column;
using report::Data;
using report::Heading;
using report::kNothing;
using report::Report;
using report::table_of;

constexpr const char* kSchema = "logdepth/report-etd/1";
constexpr const char* kIntroduction =
    R"(A pretrained decoder cut into an encoder, a block that thinks and a decoder, trained on with the block passed k times:
E-TxK-D for E, T and D layers, the block K times; T+T with layers of their own that begin alike; with a router's name where every
token decides itself. Numbers are means over seeds with their standard error, changes are taken seed by seed against k = 1, which
is trained on equally long. *Published* is what the paper prints of OLMo 2; *still improving* are runs whose learning curve rose to
the end.)";

/// What the report is made from.
struct Failures {
  std::vector<SectionData> bases, sections;
  std::vector<AngularDistances> distances;
  std::vector<LoopsPicture> loops;  ///< with the cut by the distances of the same model
};

Failures findings_of(const ReportRuns& runs) {
  Failures found;
  Runs own = runs_of(runs.records);
  for (Section& base : own.bases) found.bases.push_back(section_data(std::move(base)));
  for (Section& section : own.sections) found.sections.push_back(section_data(std::move(section)));
  for (const Measurement& measurement : runs.measurements)
    if (measurement.kind() == kAngularMeasurement)
      found.distances.push_back(angular_distances_from_json(measurement.json, measurement.file));
  for (const Measurement& measurement : runs.measurements) {
    if (measurement.kind() != kLoopsMeasurement) continue;
    LoopsPicture picture{loops_from_json(measurement.json, measurement.file), std::nullopt};
    for (const AngularDistances& distances : found.distances)
      if (!picture.cut && distances.model == picture.measured.model) picture.cut = distances.cut();
    found.loops.push_back(std::move(picture));
  }
  if (found.sections.empty() && found.bases.empty() && found.distances.empty() &&
      found.loops.empty())
    throw InputError(
        "RUNS: expected at least one run of the task lines, as 'train etd' leaves them, or a "
        "measurement of 'lm angular' or 'lm loops'");
  return found;
}

// --- the cut -------------------------------------------------------------------------------------

std::string knee_text(const std::optional<Knee>& knee) {
  return knee ? fmt::format("{} (parabola {})", knee->at, fixed_text(knee->exact, 2))
              : "none, the published share";
}

void add_cut(Report& page, const std::vector<AngularDistances>& measured) {
  page.add(Heading{"The cut"})
      .add(
          "How far each layer turns the residual stream of the last token, as a share of a half "
          "turn; encoder and decoder end at the knees of the curve from either end.");
  if (!measured.empty()) page.add(report::Figure{"etd-angular.svg", "angular distances by layer"});
  report::Table table{
      {"model", "layers", "text", "knee from the first layer", "knee from the last layer", "cut"},
      1};
  for (const Data& one : page.data["published"]["cuts"]) {
    const auto text = one.at("cut").get<std::string>();
    const LayerCut cut = parse_layer_cut(text, "cut");
    table.rows.push_back({one.at("model").get<std::string>() + ", published",
                          std::to_string(cut.encoder + cut.think + cut.decoder),
                          "C4, 10000 sequences", kNothing, kNothing, text});
  }
  for (const AngularDistances& one : measured) {
    const CutKnees knees = cut_knees(one.distances);
    table.rows.push_back(
        {markdown_text(one.model.name), std::to_string(one.model.layers),
         markdown_text(fmt::format("{}, {} sequences", one.text.name, one.text.sequences)),
         knee_text(knees.encoder), knee_text(knees.decoder), layer_cut_text(one.cut())});
  }
  const std::vector criteria = {cut_criterion(measured)};
  page.data["criteria"] = data_of(criteria);
  page.add(std::move(table)).add(report::Criteria{criteria, "mean"});
}

// --- loops without training ----------------------------------------------------------------------

/// The shapes that a table names: of every block and number of loops the one that costs least, the
/// one that costs most, and that of the chosen cut.
std::vector<std::pair<const LoopedShape*, std::string>> named_shapes(const LoopsPicture& picture) {
  std::vector<std::pair<const LoopedShape*, std::string>> named;
  const std::vector<LoopedShape>& all = picture.measured.shapes;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const LoopedShape& shape) {
      return shape.think != first->think || shape.loops != first->loops;
    });
    const auto [least, most] = std::minmax_element(
        first, last,
        [](const LoopedShape& a, const LoopedShape& b) { return a.difference < b.difference; });
    for (auto shape = first; shape != last; ++shape) {
      std::vector<std::string> why;
      if (shape == least) why.emplace_back("costs least");
      if (shape == most) why.emplace_back("costs most");
      if (picture.cut && shape->encoder == picture.cut->encoder &&
          shape->think == picture.cut->think)
        why.emplace_back("the chosen cut");
      if (!why.empty()) named.emplace_back(&*shape, joined(why));
    }
    first = last;
  }
  return named;
}

void add_loops(Report& page, const std::vector<LoopsPicture>& pictures) {
  if (pictures.empty()) return;
  page.add(Heading{"Iterations without training"})
      .add(
          "The loss per token in nats of an unmodified pretrained model, and of a block of its "
          "layers passed several times. The paper does not measure this.")
      .add(report::Figure{"etd-loops.svg", "loss added by the first layer of the block"});
  for (const LoopsPicture& picture : pictures) {
    const LoopsWithoutTraining& measured = picture.measured;
    report::Table table{{"shape", "of its block and iterations", "loss", "added"}, 2};
    for (const auto& [shape, why] : named_shapes(picture))
      table.rows.push_back({markdown_text(looped_shape_text(*shape)), why,
                            fixed_text(shape->loss, 3),
                            fmt::format("{} ± {}", signed_text(shape->difference, 3),
                                        fixed_text(shape->difference_error, 3))});
    page.add(fmt::format("{} on {}, {} sequences, {} tokens: {} ± {} as it is.",
                         markdown_text(measured.model.name), markdown_text(measured.text.name),
                         measured.text.sequences, measured.tokens, fixed_text(measured.loss, 3),
                         fixed_text(measured.standard_error, 3)))
        .add(std::move(table));
  }
}

// --- mid-training --------------------------------------------------------------------------------

/// Columns, and one for each group: its accuracy, and in brackets its change where there is one.
std::vector<Column> with_groups(const Report& page, std::vector<Column> columns) {
  const Data& groups = page.data.at("published").at("groups");
  for (std::size_t i = 0; i < groups.size(); ++i)
    columns.push_back({groups[i], [i](const Data& row) {
                         const std::string cell = cell_text(row.at("accuracy").at(i), {2});
                         const auto relative = row.find("relative");
                         return relative == row.end() || relative->is_null()
                                    ? cell
                                    : fmt::format("{} ({} %)", cell,
                                                  cell_text(relative->at(i), {1, true}));
                       }});
  return columns;
}

report::Table shapes_table(const Report& page, const char* shapes) {
  return table_of(page.data.at("published").at(shapes),
                  with_groups(page, {column("shape", "/shape"), column("passes", "/passes")}), 1);
}

/// A row for each series. `cell`: of a series in data and a kind.
report::Table series_table(const SectionData& all, const std::vector<const Series*>& shown,
                           std::string (*cell)(const Data& series, const std::string& kind)) {
  std::vector<Column> columns = {column("state", "/state")};
  for (const std::string& kind : all.section.columns())
    columns.push_back({kind, [=](const Data& series) { return cell(series, kind); }});
  std::vector<report::Row> rows;
  for (const Series* series : shown) rows.push_back(all.row_of(*series));
  report::Table table = table_of({"shape", "layers", "passes", "seeds"}, columns, rows);
  ++table.first_number;  // the state is a word
  return table;
}

std::string accuracy_cell(const Data& series, const std::string& kind) {
  return cell_text(of_kind(series, "accuracy", kind));
}

std::string loops_cell(const Data& series, const std::string& kind) {
  return cell_text(of_kind(series, "loops", kind));
}

std::string change_cell(const Data& series, const std::string& kind) {
  const Data& change = of_kind(series, "change", kind);
  if (change.is_null()) return kNothing;
  const std::string difference = cell_text(change.at("difference"), {.sign = true});
  Data relative = change.at("relative");
  if (relative.is_null()) return difference;
  for (const char* part : {"mean", "error"})
    if (!relative[part].is_null()) relative[part] = 100 * relative[part].get<double>();
  return fmt::format("{} ({} %)", difference, cell_text(relative, {1, true}));
}

void add_ours(Report& page, const SectionData& all) {
  const Section& section = all.section;
  const std::vector<const Series*> fixed = section.fixed();
  page.add(fmt::format("Ours, {} passed k times, share of right answers:",
                       layer_cut_text(section.cut)))
      .add(series_table(all, fixed, accuracy_cell));
  const Series* const once = section.loops(1);
  if (!once) {
    page.add("Nothing was trained on with k = 1, so there is no change to tell.");
    return;
  }
  SectionData changes = all;
  changes.rows[static_cast<std::size_t>(once - section.series.data())].data["change"].clear();
  page.add("Change to k = 1 (and in per cent of it):")
      .add(series_table(changes, changes.section.fixed(), change_cell));
}

void add_other_shapes(Report& page, const SectionData& all) {
  const Section& section = all.section;
  std::vector<const Series*> others;
  const auto fixed = section.fixed();
  for (const Series& series : section.series)
    if (std::ranges::find(fixed, &series) == fixed.end()) others.push_back(&series);
  page.add("Other shapes, published:").add(shapes_table(page, "shapes"));
  if (others.empty()) {
    page.add("None of ours were run.");
    return;
  }
  page.add("Ours:").add(series_table(all, others, accuracy_cell));
  if (section.loops(1)) page.add("Change to k = 1:").add(series_table(all, others, change_cell));
}

void add_adaptive(Report& page, const SectionData& all) {
  const std::vector<const Series*> adaptive = all.section.adaptive();
  page.add(
      std::string("Adaptive depth. The paper prints no numbers: with fewer passes on the average "
                  "adaptive depth is reported to beat k = 5 on DROP and OpenBookQA, and to lie on "
                  "the curve of "
                  "fixed k elsewhere. ") +
      (adaptive.empty() ? "Not run here."
                        : "Ours, mean passes of the block at the tokens that answer:"));
  if (!adaptive.empty()) page.add(series_table(all, adaptive, loops_cell));
}

/// What the cut of the runs is beside the one that the distances of their base give.
std::string cut_sentence(const Section& section, const std::vector<AngularDistances>& measured) {
  for (const AngularDistances& one : measured)
    if (section.config.initial_weights.ends_with(one.model.name)) {
      const LayerCut cut = one.cut();
      const bool same = cut.encoder == section.cut.encoder && cut.think == section.cut.think;
      return fmt::format(" The distances of this base give {}, {}.", layer_cut_text(cut),
                         same ? "the cut of these runs" : "another cut");
    }
  return "";
}

void add_training(Report& page, const Failures& found) {
  page.add(Heading{"Continued training with a repeated block"});
  if (!found.sections.empty())
    page.add(report::Figure{"etd.svg", "change to k = 1, and accuracy against mean passes"});
  page.add("Published, OLMo 2 1B with 7-4xk-5, per cent (change to k = 1):")
      .add(table_of(page.data["published"]["loops"],
                    with_groups(page, {column("k", "/loops"),
                                       {"layers", [](const Data&) { return std::string("16"); }},
                                       column("passes", "/passes")}),
                    1));
  for (const SectionData& base : found.bases)
    page.add(fmt::format("Base before that: {}.", markdown_text(base.section.title())))
        .add(series_table(base, {&base.section.series.front()}, accuracy_cell));
  std::size_t number = 0;
  for (const SectionData& all : found.sections) {
    const Section& section = all.section;
    page.add(Heading{fmt::format("{}. {}", ++number, markdown_text(section.title())), 3})
        .add(fmt::format("From {}.{}", markdown_text(section.config.initial_weights),
                         cut_sentence(section, found.distances)));
    add_ours(page, all);
    add_other_shapes(page, all);
    add_adaptive(page, all);
    page.add("Criteria:").add(report::Criteria{all.criteria, "mean"});
  }
  if (found.sections.empty()) page.add("No mid-training was run.");
}

// --- published -----------------------------------------------------------------------------------

void add_published(Report& page) {
  std::vector<Column> columns = {column("benchmark", "/name"), column("group", "/group")};
  for (std::size_t k = 0; k < 5; ++k)
    columns.push_back({fmt::format("k = {}", k + 1), [k](const Data& task) {
                         std::string cell =
                             cell_text(task.at("accuracy").at(k), {.digits = 5, .shortest = true});
                         for (const PublishedGain& gain : kPublishedGains)
                           if (k > 0 && task.at("name") == gain.task)
                             cell +=
                                 fmt::format(" ({} %)", signed_text(gain.relative.at(k - 1), 2));
                         return cell;
                       }});
  std::vector<std::string> large;
  for (const PublishedLargeTask& task : kPublishedLargeTasks)
    large.push_back(fmt::format("{} {} once, {} twice ({} %).", task.name, fixed_text(task.once, 2),
                                fixed_text(task.twice, 2), signed_text(task.relative, 2)));
  page.add(Heading{"Published, benchmark by benchmark"})
      .add("OLMo 2 1B with 7-4xk-5, per cent:")
      .add(table_of(page.data["published"]["tasks"], columns, 2))
      .add("OLMo 2 7B, per cent:")
      .add(shapes_table(page, "large_shapes"))
      .add(joined(large, " "))
      .add(Heading{"Where the source contradicts itself or is silent"});
  report::List notes;
  for (const Data& note : page.data["published"]["contradictions"])
    notes.items.push_back(cell_text(note));
  page.add(std::move(notes));
}

template <class Items, class Of>
Data list_of(const Items& items, Of of) {
  Data list = Data::array();
  for (const auto& item : items) list.push_back(of(item));
  return list;
}

}  // namespace

Report make_report(const ReportRuns& runs) {
  const Failures found = findings_of(runs);
  const auto data = [](const SectionData& one) { return one.data; };
  Report page{"etd", "Encode, Think, Decode"};
  page.data = {{"schema", kSchema},
               {"distances",
                list_of(found.distances, [](const AngularDistances& one) { return to_json(one); })},
               {"loops", list_of(found.loops,
                                 [](const LoopsPicture& one) { return to_json(one.measured); })},
               {"sections", list_of(found.sections, data)},
               {"bases", list_of(found.bases, data)},
               {"criteria", nullptr},
               {"published", published()}};
  page.add(kIntroduction);
  add_cut(page, found.distances);
  add_loops(page, found.loops);
  add_training(page, found);
  add_published(page);
  if (!found.sections.empty())
    page.add_picture(loops_picture(found.sections, page.data["published"]));
  if (!found.distances.empty())
    page.add_picture(angular_picture("etd-angular.svg", found.distances));
  if (!found.loops.empty()) page.add_picture(model_loops_picture("etd-loops.svg", found.loops));
  return page;
}

}  // namespace logdepth::etd
