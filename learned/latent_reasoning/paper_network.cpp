// What this paper reads off trained networks.
#include "learned/core/paper_networks.hpp"
#include "learned/latent_reasoning/circuit_probes_network.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_latent_reasoning {

PaperNetworks latent_reasoning_networks() {
  return {{{"latent-reasoning",
            [](const RunRecord& record, const Network& network, const nlohmann::json&) {
              try {
                CircuitProbes probes = probe_circuits(network, record.config);
                probes.run = record.folder;
                return to_json(probes);
              } catch (const InputError& error) {
                throw InputError(record.folder + "/" + kRecordFile + ": " + error.what());
              }
            }}},
          {}};
}

}  // namespace logdepth::inline learned_latent_reasoning
