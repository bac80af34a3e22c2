#pragma once

#include <string>
#include <vector>

#include "learned/relit/relit_runs.hpp"

namespace logdepth {

/// Pictures of the report on ReLIT, section by section.

/// Accuracies by proof depth and macro step, mean halting by proof depth, how many samples halt
/// when, training samples, how the state changes.
std::string relit_figure_svg(const std::vector<RelitSection>& sections);
/// ReLIT on every language model and what is read of it, with what a linear probe finds there.
std::string relit_bottleneck_svg(const std::vector<RelitSection>& sections);
/// Answers of single samples after every macro step, and where they halted.
std::string relit_trajectories_svg(const std::vector<RelitSection>& sections);

/// A bar of the second picture.
struct BottleneckBar {
  const RelitSeries* relit = nullptr;
  const RelitSeries *probe = nullptr, *once = nullptr;  ///< the best of them; null where not run
};
/// ReLIT on everything that it was trained on, with the most samples that each was.
std::vector<BottleneckBar> bottleneck_bars(const RelitSection& section);

/// The run whose answers are shown; null where none has any.
struct ShownRun {
  const RelitSeries* series = nullptr;
  const RelitRun* run = nullptr;
};
ShownRun shown_run(const RelitSection& section);

/// The macro steps that tables and pictures have room for: all of a few, else the first ones,
/// doublings and the last. Counted from 1.
std::vector<std::size_t> shown_steps(std::size_t steps);

}  // namespace logdepth
