// A transformer for other programs: export.hpp.
#include "logdepth/export.hpp"

#include "library/exports/write_export.hpp"
#include "library/transformer_inside.hpp"

namespace logdepth {

ExportReport export_network(const Transformer& transformer, const ExportSettings& settings,
                            const std::string& path) {
  return exports::write_export(transformer.hidden().model, settings, path);
}

}  // namespace logdepth
