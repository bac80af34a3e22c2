#pragma once

#include <string>

#include "logdepth/export.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// export_network of a weights file.
ExportReport write_export(const Model& model, const ExportSettings& settings,
                          const std::string& path);

}  // namespace logdepth::exports
