// What papers make of networks and read off them; compiled where libtorch is found.
#include "learned/core/paper_networks.hpp"

#define PAPER(folder)
#define PAPER_WITH_NETWORK(folder)              \
  namespace logdepth::inline learned_##folder { \
    PaperNetworks folder##_networks();          \
  }
#include "learned/papers.list"
#undef PAPER_WITH_NETWORK

namespace logdepth::inline learned {
namespace {

template <class T>
std::vector<T> gathered(std::vector<T> PaperNetworks::*part) {
  std::vector<T> all;
  for (const PaperNetworks& paper : {
#define PAPER_WITH_NETWORK(folder) folder##_networks(),
#include "learned/papers.list"
#undef PAPER_WITH_NETWORK
#undef PAPER
       })
    all.insert(all.end(), (paper.*part).begin(), (paper.*part).end());
  return all;
}

}  // namespace
}  // namespace logdepth::inline learned

namespace logdepth::inline learned_core {

const std::vector<NetworkInspection>& network_inspections() {
  static const std::vector<NetworkInspection> kInspections = gathered(&PaperNetworks::inspections);
  return kInspections;
}

const std::vector<NetworkMaker>& network_makers() {
  static const std::vector<NetworkMaker> kMakers = gathered(&PaperNetworks::makers);
  return kMakers;
}

}  // namespace logdepth::inline learned_core
