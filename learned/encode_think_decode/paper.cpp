#include "learned/encode_think_decode/etd_experiment.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/encode_think_decode/report.hpp"
#include "learned/papers.hpp"

namespace logdepth::inline learned_encode_think_decode {

Paper encode_think_decode_paper() {
  Paper paper;
  paper.tasks = {LinesConfig()};
  paper.experiments = {make_experiment<EtdExperiment>};
  paper.reports = {
      {"etd",
       "report on language models with a repeated block: cut by angular distances, iterations "
       "without training, accuracy by iterations next to the published tables, adaptive depth, "
       "criteria ETD-3 to ETD-5\nExample: logdepth report etd runs --out etd",
       etd::make_report}};
  return paper;
}

}  // namespace logdepth::inline learned_encode_think_decode
