#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/training_plan.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// The ablations of the specification of depth-recurrent transformers (section 6): what is changed
/// about a preset, one thing at a time.
enum class RecurrentAblation {
  supervision,     ///< a loss after every loop
  gate,            ///< none, and other initial biases
  layer_scale,     ///< none, and other initial values
  step_embedding,  ///< the other kinds
  mask,            ///< everybody reads all; edges are features of identities (graphs only)
  loops,           ///< a fixed number in place of a random one: the least, the most
  untied           ///< as many different layers as the most loops, without gate and step embedding
};

/// All of them, and the word for one on the command line and in reports.
inline constexpr std::array kRecurrentAblations = {
    RecurrentAblation::supervision,    RecurrentAblation::gate, RecurrentAblation::layer_scale,
    RecurrentAblation::step_embedding, RecurrentAblation::mask, RecurrentAblation::loops,
    RecurrentAblation::untied};
const char* ablation_name(RecurrentAblation ablation);

/// Whether the task has the part that an ablation changes: only graphs have a mask.
bool has_ablation(const TaskConfig& task, RecurrentAblation ablation);

/// The preset, called "last", then a run for each other value, as in "gate-none". Errors: InputError
/// where the task has no such part.
TrainingPlan ablation_runs(RecurrentAblation ablation, const RunConfig& preset);

/// The ablations that these differences to a base are made of: none for the base itself, one for a
/// run of a series of ablation_runs, whatever its folder is called. Absent where something else
/// differs as well; `other` is then told the first such difference.
std::optional<std::vector<RecurrentAblation>> ablations_of(
    const std::vector<SettingDifference>& differences, SettingDifference* other = nullptr);
/// What was changed, as in "model.gate=none"; of untied layers without what follows from them.
std::string ablation_label(const std::vector<SettingDifference>& differences);

}  // namespace logdepth::inline learned_depth_recurrent
