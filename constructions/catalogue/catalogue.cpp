#include "constructions/catalogue/catalogue.hpp"

namespace logdepth::inline constructions_MS25 {
Construction scan_record(), tree_record(), radix_record(), uniform_radix_record(),
    compact_connectivity_record(), sized_connectivity_record(), paper_connectivity_record(),
    rows_connectivity_record(), radix_connectivity_record(), bounded_connectivity_record(),
    compact_division_record(), paper_division_record(), floor_division_record();
}
namespace logdepth::inline constructions_KR65 {
Construction cascade_record();
}
namespace logdepth::inline constructions_latent_reasoning {
Construction compact_computation_graph_record(), pairwise_computation_graph_record();
}

namespace logdepth::inline constructions_catalogue {

Construction fewest_layers_record();

const Catalogue& catalogue() {
  static const Catalogue kAll = {scan_record(),
                                 tree_record(),
                                 radix_record(),
                                 uniform_radix_record(),
                                 cascade_record(),
                                 fewest_layers_record(),
                                 compact_connectivity_record(),
                                 sized_connectivity_record(),
                                 paper_connectivity_record(),
                                 rows_connectivity_record(),
                                 radix_connectivity_record(),
                                 bounded_connectivity_record(),
                                 compact_division_record(),
                                 paper_division_record(),
                                 floor_division_record(),
                                 compact_computation_graph_record(),
                                 pairwise_computation_graph_record()};
  return kAll;
}

}  // namespace logdepth::inline constructions_catalogue
