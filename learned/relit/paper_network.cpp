// The networks of this paper, and what it reads off trained ones.
#include "learned/core/language_model.hpp"
#include "learned/core/paper_networks.hpp"
#include "learned/language_model/model_file.hpp"
#include "learned/relit/relit_network.hpp"
#include "learned/relit/relit_probe_network.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

/// Runs that differ in their seed read the same states. It is no seed of a run, whose model began
/// with just these weights.
constexpr std::uint64_t kSeedOfRandomWeights = ~std::uint64_t{0};

Backbone open_backbone(const RelitSettings& settings, torch::Device device) {
  const LanguageModelFile file(settings.backbone);
  Backbone backbone{file.path(), file.digest(), file.model(), nullptr};
  if (settings.states == RelitSettings::States::random) {
    file.expect_memory();
    backbone.digest += "-random";
    backbone.model = std::make_unique<UniversalTransformer>(
        file.model(), language_format(file.vocabulary()), kSeedOfRandomWeights, device,
        torch::kFloat32, Purpose::frozen);
  } else {
    backbone.model = open_language_model(file, device);
  }
  return backbone;
}

std::unique_ptr<Network> make_relit(const RunConfig& config, const TaskFormat& format,
                                    torch::Device device) {
  const auto& settings = config.network->as<RelitSettings>();
  Backbone backbone = open_backbone(settings, device);
  if (settings.probe == RelitSettings::Probe::linear)
    return std::make_unique<LinearProbe>(settings, std::move(backbone), format, config.seed,
                                         device);
  return std::make_unique<RelitNetwork>(settings, std::move(backbone), format, config.seed, device);
}

}  // namespace

PaperNetworks relit_networks() {
  return {{{"relit",
            [](const RunRecord& record, const Network& network, const nlohmann::json&) {
              try {
                return probe_relit(record, network);
              } catch (const InputError& error) {
                throw InputError(record.folder + "/" + kRecordFile + ": " + error.what());
              }
            }}},
          {{"relit", make_relit}}};
}

}  // namespace logdepth::inline learned_relit
