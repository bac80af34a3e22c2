#pragma once

#include <memory>

#include "learned/core/network.hpp"

namespace logdepth::inline learned_core {

/// The network that a configuration describes: a universal transformer, the one of a weights file,
/// or what a paper makes. Errors: InputError where file, task and settings do not fit.
std::unique_ptr<Network> make_network(const RunConfig& config, const TaskFormat& format,
                                      torch::Device device);
/// The networks of several seeds as one. Precondition: a universal transformer of a task that packs
/// its samples into rows (TaskSettings::packs).
std::unique_ptr<Network> make_stacked_network(const RunConfig& config, Seeds seeds,
                                              const TaskFormat& format, torch::Device device);

}  // namespace logdepth::inline learned_core
