#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learned/language_model/model_measurements.hpp"
#include "report/picture.hpp"

namespace logdepth::inline learned_language_model {

// Pictures of what is measured without training, a chart for each model, one below another.

/// The distances by layer over their three parts, with the parabolas that Kneedle reads instead of
/// them and the knees. Precondition: at least one measurement.
report::Picture angular_picture(const std::string& file,
                                const std::vector<AngularDistances>& measured);

/// Losses of looped blocks, and the cut of their model where it is known.
struct LoopsPicture {
  LoopsWithoutTraining measured;
  std::optional<LayerCut> cut;
};
/// How much loss looping a block adds, by its first layer: a line for each size of the block and
/// number of loops. The layers of the chosen block are coloured, the chosen cut is a ring.
/// Precondition: at least one measurement.
report::Picture model_loops_picture(const std::string& file,
                                    const std::vector<LoopsPicture>& pictures);

}  // namespace logdepth::inline learned_language_model
