#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/encode_think_decode/etd_report.hpp"
#include "learned/encode_think_decode/etd_verdicts.hpp"
#include "learned/encode_think_decode/published_etd.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

/// In a cell.
constexpr const char* kNothing = "–";

constexpr const char* kIntroduction =
    R"(# Encode, Think, Decode

A pretrained decoder cut into an encoder, a block that thinks and a decoder, trained on with the block passed k times:
E-TxK-D for E, T and D layers, the block K times; T+T with layers of their own that begin alike; with a router's name where every
token decides itself. Numbers are means over seeds with their standard error, changes are taken seed by seed against k = 1, which
is trained on equally long. *Published* is what the paper prints of OLMo 2; *still rising* are runs whose learning curve rose to
the end.
)";

std::vector<std::string> with_columns(std::vector<std::string> first,
                                      const std::vector<std::string>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

std::vector<std::string> group_cells(const GroupAccuracies& accuracy,
                                     const std::optional<GroupAccuracies>& relative = {}) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < accuracy.size(); ++i)
    cells.push_back(fixed_text(accuracy[i], 2) +
                    (relative ? " (" + signed_text((*relative)[i], 1) + " %)" : ""));
  return cells;
}

std::vector<std::string> group_names() {
  return {kEtdGroups.begin(), kEtdGroups.end()};
}

// --- the cut -------------------------------------------------------------------------------------

std::string knee_text(const std::optional<Knee>& knee) {
  return knee ? fmt::format("{} (parabola {})", knee->at, fixed_text(knee->exact, 2))
              : "none, the published share";
}

std::string cut_section(const std::vector<AngularDistances>& measured) {
  std::string text =
      "\n## The cut\n\nHow far each layer turns the residual stream of the last token, as a share "
      "of "
      "a half turn; encoder and decoder end at the knees of the curve from either end.\n\n";
  if (!measured.empty()) text += "![angular distances by layer](etd-angular.svg)\n\n";
  text += markdown_headings(
      {"model", "layers", "text", "knee from the first layer", "knee from the last layer", "cut"},
      1);
  for (const PublishedCut& cut : kPublishedCuts)
    text += markdown_row({std::string(cut.model) + ", published",
                          std::to_string(cut.cut.encoder + cut.cut.think + cut.cut.decoder),
                          "C4, 10000 sequences", kNothing, kNothing, cut_text(cut.cut)});
  for (const AngularDistances& one : measured) {
    const CutKnees knees = cut_knees(one.distances);
    text += markdown_row(
        {markdown_text(one.model.name), std::to_string(one.model.layers),
         markdown_text(fmt::format("{}, {} sequences", one.text.name, one.text.sequences)),
         knee_text(knees.encoder), knee_text(knees.decoder), cut_text(one.cut())});
  }
  return text + "\n" + report::criterion_markdown(cut_criterion(measured), "mean");
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

std::string loops_section(const std::vector<LoopsPicture>& pictures) {
  if (pictures.empty()) return "";
  std::string text =
      "\n## Loops without training\n\nThe loss per token in nats of a pretrained model as it is, "
      "and "
      "of a block of its layers passed several times. The paper does not measure this.\n\n"
      "![loss added by the first layer of the block](etd-loops.svg)\n";
  for (const LoopsPicture& picture : pictures) {
    const LoopsWithoutTraining& measured = picture.measured;
    text += fmt::format("\n{} on {}, {} sequences, {} tokens: {} ± {} as it is.\n\n",
                        markdown_text(measured.model.name), markdown_text(measured.text.name),
                        measured.text.sequences, measured.tokens, fixed_text(measured.loss, 3),
                        fixed_text(measured.standard_error, 3));
    text += markdown_headings({"shape", "of its block and loops", "loss", "added"}, 2);
    for (const auto& [shape, why] : named_shapes(picture))
      text +=
          markdown_row({markdown_text(looped_shape_text(*shape)), why, fixed_text(shape->loss, 3),
                        fmt::format("{} ± {}", signed_text(shape->difference, 3),
                                    fixed_text(shape->difference_error, 3))});
  }
  return text;
}

// --- mid-training --------------------------------------------------------------------------------

std::string published_loops_table() {
  std::string text = "Published, OLMo 2 1B with 7-4xk-5, per cent (change to k = 1):\n\n" +
                     markdown_headings(with_columns({"k", "layers", "passes"}, group_names()), 1);
  for (const PublishedLoops& row : published_loops())
    text += markdown_row(with_columns({std::to_string(row.loops), "16", std::to_string(row.passes)},
                                      group_cells(row.accuracy, row.relative)));
  return text;
}

/// A row for each series. `cell`: of a series and a kind.
template <class Cell>
std::string series_table(const EtdSection& section, const std::vector<const EtdSeries*>& all,
                         Cell cell) {
  std::string text = markdown_headings(
      with_columns({"shape", "layers", "passes", "seeds", "state"}, section.columns()), 5);
  for (const EtdSeries* series : all) {
    const ThinkShape& shape = series->shape;
    const std::uint32_t copies = shape.block == ThinkShape::Block::untied ? shape.passes : 1;
    std::vector<std::string> row = {
        shape.think == 0 ? "plain" : shape_name(shape),
        std::to_string(shape.encoder + shape.think * copies + shape.decoder), series->passes(),
        series->seeds(), series->state()};
    for (const std::string& kind : section.columns()) row.push_back(cell(*series, kind));
    text += markdown_row(row);
  }
  return text;
}

std::string accuracy_cell(const EtdSeries& series, const std::string& kind) {
  const auto mean = series.accuracy(kind);
  return mean ? mean_text(*mean) : kNothing;
}

std::string change_cell(const EtdSection& section, const EtdSeries& series,
                        const std::string& kind) {
  const auto change = section.change(series, kind);
  if (!change) return kNothing;
  if (!change->relative) return difference_text(change->difference);
  const auto per_cent = [](double share) { return 100 * share; };
  const report::Mean& relative = *change->relative;
  return fmt::format("{} ({}{} %)", difference_text(change->difference),
                     signed_text(per_cent(relative.mean), 1),
                     relative.error ? " ± " + fixed_text(per_cent(*relative.error), 1) : "");
}

std::string our_tables(const EtdSection& section) {
  const std::vector<const EtdSeries*> fixed = section.fixed();
  std::string text =
      fmt::format("\nOurs, {} passed k times, share of right answers:\n\n", cut_text(section.cut)) +
      series_table(section, fixed, accuracy_cell);
  if (!section.loops(1))
    return text + "\nNothing was trained on with k = 1, so there is no change to tell.\n";
  return text + "\nChange to k = 1 (and in per cent of it):\n\n" +
         series_table(section, fixed, [&](const EtdSeries& series, const std::string& kind) {
           return series.shape.passes == 1 ? kNothing : change_cell(section, series, kind);
         });
}

std::string published_shapes_table() {
  std::string text = "\nOther shapes, published:\n\n" +
                     markdown_headings(with_columns({"shape", "passes"}, group_names()), 1);
  for (const PublishedShape& shape : published_shapes())
    text += markdown_row(with_columns({markdown_text(shape.shape), std::to_string(shape.passes)},
                                      group_cells(shape.accuracy)));
  return text;
}

std::string other_shapes(const EtdSection& section) {
  std::vector<const EtdSeries*> others;
  const auto fixed = section.fixed();
  for (const EtdSeries& series : section.series)
    if (std::ranges::find(fixed, &series) == fixed.end()) others.push_back(&series);
  std::string text = published_shapes_table();
  if (others.empty()) return text + "\nNone of ours were run.\n";
  text += "\nOurs:\n\n" + series_table(section, others, accuracy_cell);
  if (section.loops(1))
    text += "\nChange to k = 1:\n\n" +
            series_table(section, others, [&](const EtdSeries& series, const std::string& kind) {
              return change_cell(section, series, kind);
            });
  return text;
}

std::string adaptive_table(const EtdSection& section) {
  const std::vector<const EtdSeries*> all = section.adaptive();
  std::string text =
      "\nAdaptive depth. The paper prints no numbers: with fewer passes on the average it is said "
      "to "
      "beat k = 5 on DROP and OpenBookQA, and to lie on the curve of fixed k elsewhere.";
  if (all.empty()) return text + " Not run here.\n";
  return text + " Ours, mean passes of the block at the tokens that answer:\n\n" +
         series_table(section, all, [](const EtdSeries& series, const std::string& kind) {
           const auto loops = series.loops(kind);
           return loops ? mean_text(*loops) : kNothing;
         });
}

/// What the cut of the runs is beside the one that the distances of their base give.
std::string cut_sentence(const EtdSection& section, const std::vector<AngularDistances>& measured) {
  for (const AngularDistances& one : measured)
    if (section.config.initial_weights.ends_with(one.model.name)) {
      const LayerCut cut = one.cut();
      const bool same = cut.encoder == section.cut.encoder && cut.think == section.cut.think;
      return fmt::format(" The distances of this base give {}, {}.", cut_text(cut),
                         same ? "the cut of these runs" : "another cut");
    }
  return "";
}

std::string section_text(const EtdSection& section, std::size_t number,
                         const std::vector<AngularDistances>& measured) {
  std::string text =
      fmt::format("\n### {}. {}\n\nFrom {}.{}\n", number, markdown_text(section.title()),
                  markdown_text(section.config.initial_weights), cut_sentence(section, measured));
  text += our_tables(section) + other_shapes(section) + adaptive_table(section);
  text += "\nCriteria:\n\n";
  for (const report::Criterion& criterion : etd_criteria(section))
    text += report::criterion_markdown(criterion, "mean");
  return text;
}

std::string training_section(const EtdFindings& found) {
  std::string text = "\n## Trained on with a loop\n\n";
  if (!found.runs.sections.empty())
    text += "![change to k = 1, and accuracy against mean passes](etd.svg)\n\n";
  text += published_loops_table();
  for (const EtdSection& base : found.runs.bases)
    text += fmt::format("\nBase before that: {}.\n\n", markdown_text(base.title())) +
            series_table(base, {&base.series.front()}, accuracy_cell);
  for (std::size_t i = 0; i < found.runs.sections.size(); ++i)
    text += section_text(found.runs.sections[i], i + 1, found.distances);
  if (found.runs.sections.empty()) text += "\nNo mid-training was run.\n";
  return text;
}

std::string published_section() {
  std::string text =
      "\n## Published, benchmark by benchmark\n\nOLMo 2 1B with 7-4xk-5, per cent:\n\n" +
      markdown_headings({"benchmark", "group", "k = 1", "k = 2", "k = 3", "k = 4", "k = 5"}, 2);
  for (const PublishedTask& task : published_tasks()) {
    std::vector<std::string> row = {task.name, kEtdGroups[task.group]};
    for (std::size_t i = 0; i < task.accuracy.size(); ++i)
      row.push_back(
          short_text(task.accuracy[i], 5) +
          (task.relative && i > 0 ? " (" + signed_text((*task.relative)[i - 1], 2) + " %)" : ""));
    text += markdown_row(row);
  }
  text += "\nOLMo 2 7B, per cent:\n\n" +
          markdown_headings(with_columns({"shape", "passes"}, group_names()), 1);
  for (const PublishedShape& shape : published_large_shapes())
    text += markdown_row(with_columns({markdown_text(shape.shape), std::to_string(shape.passes)},
                                      group_cells(shape.accuracy)));
  text += "\n";
  for (const PublishedLargeTask& task : kPublishedLargeTasks)
    text += fmt::format("{} {} once, {} twice ({} %). ", task.name, fixed_text(task.once, 2),
                        fixed_text(task.twice, 2), signed_text(task.relative, 2));
  text.back() = '\n';
  return text;
}

}  // namespace

std::string etd_markdown(const ReportRuns& runs) {
  const EtdFindings found = etd_findings(runs);
  std::string text = kIntroduction + cut_section(found.distances) + loops_section(found.loops) +
                     training_section(found) + published_section();
  text += "\n## Where the source contradicts itself or is silent\n\n";
  for (const std::string& note : etd_contradictions()) text += "- " + markdown_text(note) + "\n";
  return text;
}

}  // namespace logdepth
