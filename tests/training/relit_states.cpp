// The states of a frozen language model: kept in memory and as files; whole runs on them.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "learned/core/inspection.hpp"
#include "learned/core/language_model.hpp"
#include "learned/core/make_network.hpp"
#include "learned/core/paper_networks.hpp"
#include "learned/core/trainer.hpp"
#include "learned/relit/presets.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/relit_models.hpp"

namespace logdepth::relit_states_tests {
namespace {

using namespace learned_tests;
namespace fs = std::filesystem;

constexpr auto kFloat = TrainingConfig::Precision::float32;

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    count += entry.is_regular_file();
  return count;
}

/// What the language model itself gives, with zeros at padding.
Tensor recomputed(const Backbone& backbone, const Batch& batch) {
  const torch::NoGradGuard no_grad;
  const Tensor states = backbone.model->hidden(batch, loops(1));
  return states * batch.real_tokens(torch::kFloat64).unsqueeze(-1);
}

TEST(KeptStates, AreThoseOfTheLanguageModelWhetherComputedRememberedOrRead) {
  const TemporaryFolder folder;
  const Backbone backbone = small_backbone();
  const Batch batch = prompts(7), other = prompts(3, 6);
  const KeptStates first(backbone, folder.path(), 3);
  const Tensor computed = first(batch, kFloat);
  EXPECT_LT(largest_difference(computed, recomputed(backbone, batch)), 1e-6);
  EXPECT_LT(largest_difference(first(other, kFloat), recomputed(backbone, other)), 1e-6);
  EXPECT_EQ(first.computed(), 10U);
  EXPECT_EQ(files_in(folder.path()), 10U);
  EXPECT_TRUE(torch::equal(first(batch, kFloat), computed));
  EXPECT_EQ(first.computed(), 10U);
  const KeptStates second(backbone, folder.path(), 5);
  EXPECT_TRUE(torch::equal(second(batch, kFloat), computed));
  EXPECT_EQ(second.computed(), 0U);
  // What is in memory is not looked for on the disk.
  fs::remove_all(folder.path());
  EXPECT_TRUE(torch::equal(second(batch, kFloat), computed));
  EXPECT_EQ(second.computed(), 0U);
}

TEST(KeptStates, AreReadAgainWhereMemoryIsFull) {
  const TemporaryFolder folder;
  const Backbone backbone = small_backbone();
  const Batch batch = prompts(4);
  const KeptStates kept(backbone, folder.path(), 8, /*most_bytes=*/0);
  const Tensor computed = kept(batch, kFloat);
  EXPECT_TRUE(torch::equal(kept(batch, kFloat), computed));
  EXPECT_EQ(kept.computed(), 4U);
  fs::remove_all(folder.path());
  kept(batch, kFloat);
  EXPECT_EQ(kept.computed(), 8U);
}

TEST(KeptStates, OfADamagedFileAreComputedAnewAndWrittenAgain) {
  const TemporaryFolder folder;
  const Backbone backbone = small_backbone();
  const Batch batch = prompts(4);
  const Tensor computed = KeptStates(backbone, folder.path(), 4)(batch, kFloat);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) {
      std::string bytes = read_whole_file(entry.path());
      bytes.back() = static_cast<char>(bytes.back() ^ 64);
      write_whole_file(entry.path(), bytes);
      break;
    }
  for (const std::uint64_t expected : {1U, 0U}) {
    const KeptStates again(backbone, folder.path(), 4);
    EXPECT_TRUE(torch::equal(again(batch, kFloat), computed));
    EXPECT_EQ(again.computed(), expected);
  }
}

TEST(KeptStates, OfAnotherLanguageModelOrPrecisionAreOthers) {
  const TemporaryFolder folder;
  const Backbone one = small_backbone(3), two = small_backbone(4);
  const Batch batch = prompts(4);
  const KeptStates first(one, folder.path(), 4), second(two, folder.path(), 4);
  EXPECT_GT(largest_difference(first(batch, kFloat), second(batch, kFloat)), 1e-3);
  EXPECT_EQ(second.computed(), 4U);
  const KeptStates rounded(one, folder.path(), 4);
  rounded(batch, TrainingConfig::Precision::bfloat16);
  EXPECT_EQ(rounded.computed(), 4U);
}

TEST(EmbeddingStates, AreTheRowsOfTheEmbedding) {
  const Backbone backbone = small_backbone();
  const Batch batch = prompts(3);
  const Tensor states = EmbeddingStates(backbone)(batch, kFloat);
  const Tensor table = parameter(*backbone.model, "embedding.0");
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t i = 0; i < 6; ++i)
      EXPECT_TRUE(torch::equal(states[b][i], table[batch.indices[b][i][0].item<std::int64_t>()]));
}

/// A language model of rule text as the run of a folder, and runs on top of it.
class Runs : public testing::Test {
 protected:
  Runs() : base_(folder_.path() + "/base") {
    RunConfig config = relit_base(RulesTaskConfig::Set::rules, RuleWorld::closed, false);
    config.model.initial = 2;
    config.model.width = 16;
    config.model.heads = 2;
    config.model.hidden = 24;
    fs::create_directories(base_);
    write_whole_file(base_ + "/config.json", to_json(config).dump());
    RunRecord record;
    record.config = config;
    write_run_record(record, base_ + "/" + kRecordFile);
    const auto model = make_network(config, config.task->make_task(1)->format(), torch::kCPU);
    write_tensor_file({named_tensors(model->parameters()), {}}, base_ + "/" + kWeightsFile);
  }

  RunConfig config(std::uint64_t seed = 1) const {
    RunConfig config = relit_preset(RulesTaskConfig::Set::rules, RuleWorld::closed, false);
    config.seed = seed;
    auto& task = config.task.as<RulesTaskConfig>();
    task.depths = {0, 1};
    task.training_samples = 12;
    task.test_samples = 8;
    task.batch = 4;
    auto& network = config.network->as<RelitSettings>();
    network.backbone = base_;
    network.states_folder = folder_.path() + "/states";
    network.heads = 2;
    network.hidden = 24;
    config.training.steps = 6;
    config.training.warm_up = 2;
    config.training.curve_first = 3;
    return config;
  }

  static Trainer::Stop train(Trainer& trainer, const std::string& folder,
                             std::uint64_t until = 1000) {
    std::atomic<bool> interrupted = false;
    return trainer.train(
        interrupted, [&](const TrainingState& state) { interrupted = state.step >= until; }, [] {},
        folder);
  }

  const TemporaryFolder folder_;
  const std::string base_;
};

TEST_F(Runs, AnInterruptedRunGoesOnToTheSameBits) {
  for (const RelitMethod method : {RelitMethod::relit, RelitMethod::trainable_head,
                                   RelitMethod::adapters, RelitMethod::linear_probe}) {
    RunConfig config = this->config();
    set_relit_method(config, method);
    SCOPED_TRACE(config.preset);
    config.training.read_every = 1;
    Trainer whole(config, torch::kCPU);
    EXPECT_EQ(train(whole, folder_.path()), Trainer::Stop::steps);
    const std::string run = folder_.path() + "/run";
    fs::create_directories(run);
    {
      Trainer first(config, torch::kCPU);
      EXPECT_EQ(train(first, run, 3), Trainer::Stop::interrupted);
      first.save_checkpoint(run + "/" + kCheckpointFile);
    }
    Trainer rest(config, torch::kCPU);
    rest.resume(run);
    EXPECT_EQ(rest.state().step, 3U);
    EXPECT_EQ(train(rest, run), Trainer::Stop::steps);
    EXPECT_TRUE(
        torch::equal(whole.network().parameters().values(), rest.network().parameters().values()));
    fs::remove_all(run);
  }
}

TEST_F(Runs, AreInspected) {
  const RunConfig config = this->config();
  Trainer trainer(config, torch::kCPU);
  const std::string run = folder_.path() + "/run";
  fs::create_directories(run);
  train(trainer, run);
  trainer.save_weights(run + "/" + kWeightsFile);
  write_run_record(trainer.record(Trainer::Stop::steps, {}), run + "/" + kRecordFile);
  const auto probed = inspect_run("relit", {}, run, torch::kCPU);
  EXPECT_EQ(probed["backbone"]["file"], base_);
  EXPECT_EQ(probed["backbone"]["before"], probed["backbone"]["after"]);
  const auto& relit = dynamic_cast<const RelitNetwork&>(trainer.network());
  EXPECT_EQ(probed["backbone"]["before"], relit.backbone().fingerprint());
  EXPECT_EQ(probed["backbone"]["parameters"], relit.backbone().model->parameters().count());
  ASSERT_EQ(probed["convergence"].size(), 24U);
  EXPECT_EQ(probed["convergence"][23]["step"], 24);
  EXPECT_LT(probed["convergence"][23]["change"], probed["convergence"][0]["change"]);
  ASSERT_EQ(probed["spectral_radius"].size(), 4U);
  for (const auto& entry : probed["spectral_radius"]) {
    EXPECT_GT(entry["trained"], 0);
    EXPECT_GT(entry["far"], 0);
    EXPECT_NE(entry["far"], entry["trained"]);
  }
}

TEST_F(Runs, OfALinearProbeHaveNothingToInspect) {
  RunConfig config = this->config();
  set_relit_method(config, RelitMethod::linear_probe);
  const auto network = make_network(config, config.task->make_task(1)->format(), torch::kCPU);
  RunRecord record;
  record.config = config;
  for (const NetworkInspection& one : network_inspections())
    if (std::string(one.name) == "relit") {
      EXPECT_THROW(one.inspect(record, *network, {}), InputError);
    }
}

TEST_F(Runs, ReadTheStatesThatTheyAreToldTo) {
  const auto task = config().task->make_task(1);
  const Batch batch =
      to_batch(task->training_batch(0, 0), task->format(), torch::kCPU, torch::kFloat32);
  const auto states = [&](const char* kind, std::uint64_t seed) {
    RunConfig config = this->config(seed);
    set_by_path(config, std::string("network.states=") + kind);
    const auto network = make_network(config, task->format(), torch::kCPU);
    return dynamic_cast<const RelitNetwork&>(*network).states(batch, kFloat);
  };
  const Tensor last = states("last", 1), random = states("random", 1),
               embedding = states("embedding", 1);
  const LanguageModelFile file(base_);
  const auto model = open_language_model(file);
  const Tensor expected =
      model->hidden(batch, loops(1)) * batch.real_tokens(torch::kFloat32).unsqueeze(-1);
  EXPECT_LT(largest_difference(last, expected), 1e-4);
  EXPECT_GT(largest_difference(last, random), 0.1);
  EXPECT_GT(largest_difference(last, embedding), 0.1);
  EXPECT_TRUE(torch::equal(states("random", 2), random));  // shared by runs of other seeds
}

}  // namespace
}  // namespace logdepth::relit_states_tests
