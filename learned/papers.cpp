#include "learned/papers.hpp"

namespace logdepth { inline namespace learned_word_problems {
Paper word_problems_paper();
}}  // namespace logdepth::learned_word_problems
namespace logdepth { inline namespace learned_depth_recurrent {
Paper depth_recurrent_paper();
}}  // namespace logdepth::learned_depth_recurrent
namespace logdepth { inline namespace learned_reachability {
Paper reachability_paper();
}}  // namespace logdepth::learned_reachability
namespace logdepth { inline namespace learned_latent_reasoning {
Paper latent_reasoning_paper();
}}  // namespace logdepth::learned_latent_reasoning

namespace logdepth { inline namespace learned {

const std::vector<Paper>& papers() {
  // Their order is that of the kinds of tasks in messages and of the commands in the help.
  static const std::vector<Paper> kPapers = {word_problems_paper(), depth_recurrent_paper(),
                                             reachability_paper(), latent_reasoning_paper()};
  return kPapers;
}

}}  // namespace logdepth::learned

namespace logdepth { inline namespace learned_records {

const std::vector<TaskConfig>& known_tasks() {
  static const std::vector<TaskConfig> kKinds = [] {
    std::vector<TaskConfig> all;
    for (const Paper& paper : papers())
      all.insert(all.end(), paper.tasks.begin(), paper.tasks.end());
    return all;
  }();
  return kKinds;
}

}}  // namespace logdepth::learned_records
