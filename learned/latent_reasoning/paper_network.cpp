// What this paper reads off trained networks.
#include "learned/core/inspection.hpp"
#include "learned/latent_reasoning/circuit_probes_network.hpp"
#include "objects/input_error.hpp"

namespace logdepth {

NetworkInspection latent_reasoning_inspection() {
  return {"latent-reasoning", [](const RunRecord& record, const Network& network) {
            try {
              CircuitProbes probes = probe_circuits(network, record.config);
              probes.run = record.folder;
              return to_json(probes);
            } catch (const InputError& error) {
              throw InputError(record.folder + "/" + kRecordFile + ": " + error.what());
            }
          }};
}

}  // namespace logdepth
