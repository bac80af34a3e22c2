// What papers read off trained networks; compiled where libtorch is found.
#include "learned/core/inspection.hpp"

namespace logdepth {

#define PAPER(folder)
#define PAPER_WITH_NETWORK(folder) NetworkInspection folder##_inspection();
#include "learned/papers.list"
#undef PAPER_WITH_NETWORK

const std::vector<NetworkInspection>& network_inspections() {
  static const std::vector<NetworkInspection> kInspections = {
#define PAPER_WITH_NETWORK(folder) folder##_inspection(),
#include "learned/papers.list"
#undef PAPER_WITH_NETWORK
#undef PAPER
  };
  return kInspections;
}

}  // namespace logdepth
