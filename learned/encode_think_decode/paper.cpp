#include "learned/encode_think_decode/etd_experiment.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/papers.hpp"

namespace logdepth {

Paper encode_think_decode_paper() {
  Paper paper;
  paper.tasks = {LinesConfig()};
  paper.experiments = {make_experiment<EtdExperiment>};
  return paper;
}

}  // namespace logdepth
