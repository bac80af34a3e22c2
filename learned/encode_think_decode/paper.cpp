#include "learned/encode_think_decode/etd_experiment.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/encode_think_decode/report.hpp"
#include "learned/papers.hpp"

namespace logdepth::inline learned_encode_think_decode {

Paper encode_think_decode_paper() {
  Paper paper;
  paper.tasks = {LinesConfig()};
  paper.experiments = {make_experiment<EtdExperiment>};
  paper.reports = {{"etd",
                    "models trained on with a block of layers passed several times: the cut by "
                    "angular distances, "
                    "loops without training, accuracy by passes beside the published tables, "
                    "adaptive depth, the "
                    "criteria ETD-3 to ETD-5\n"
                    "Example: logdepth report etd runs --out etd",
                    etd::make_report}};
  return paper;
}

}  // namespace logdepth::inline learned_encode_think_decode
