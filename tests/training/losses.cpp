// Losses against sums by hand, and gradients of every part against differences.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <atomic>
#include <cmath>

#include "learned/core/device.hpp"
#include "learned/core/network.hpp"
#include "learned/core/trainer.hpp"
#include "learned/core/universal_transformer.hpp"
#include "learned/word_problems/word_task.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests {
namespace {

TEST(Loss, TargetsCountFromTheLoopOnAtWhichTheyAreDue) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  Samples samples = random_samples(format, 2, 3, 25);
  samples.due = {1, 2, 3, 1, 3, 3};
  const Tensor logits = torch::randn({2, 3, 5}, torch::kFloat64);
  const auto by_hand = [&](std::int32_t loop) {
    double sum = 0;
    int asked = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (samples.due[i] > loop) continue;
      const Tensor row = logits.view({6, 5})[static_cast<std::int64_t>(i)];
      sum -= torch::log_softmax(row, 0)[samples.targets[i]].item<double>();
      ++asked;
    }
    return sum / asked;
  };
  const Batch batch = in_double(samples, format);
  for (const std::int32_t loop : {1, 2, 3})
    EXPECT_NEAR(mean_loss(logits, batch, format, {loop, 0}).item<double>(), by_hand(loop), 1e-12);
}

TEST(Loss, AnEmptyAnswerIsForgivenAsEquationEightSays) {
  TaskFormat format = letters_format(TaskFormat::View::causal);
  format.outputs = {2, 4};
  format.empty = TaskFormat::Empty{1, 3};
  const Samples samples = random_samples(format, 1, 3, 26);
  const Tensor logits = torch::randn({1, 3, 6}, torch::kFloat64);
  double expected = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    const Tensor first = torch::softmax(logits[0][i].narrow(0, 0, 2), 0);
    const Tensor second = torch::softmax(logits[0][i].narrow(0, 2, 4), 0);
    const auto at = static_cast<std::size_t>(2 * i);
    expected -= std::log(first[samples.targets[at]].item<double>()) / 3;
    expected -= std::log(second[samples.targets[at + 1]].item<double>()) *
                (1 - 0.7 * second[3].item<double>()) / 3;
  }
  EXPECT_NEAR(mean_loss(logits, in_double(samples, format), format, {0, 0.7}).item<double>(),
              expected, 1e-12);
}

/// Autograd against central differences of fourth order, for a sample of the numbers of every
/// parameter.
void check_gradients(Network& network, const Batch& batch, const PassOptions& options,
                     const TrainingConfig& training, const std::string& what) {
  const auto loss = [&] { return supervised_loss(network, batch, options, training); };
  network.parameters().gradients().zero_();
  loss().backward();
  constexpr double kStep = 1e-5;
  for (const auto& parameter_ : network.parameters().all()) {
    const Tensor flat = parameter_.tensor.detach().view(-1);
    const Tensor gradient = parameter_.tensor.grad().view(-1);
    for (std::int64_t i = 0; i < flat.numel(); i += std::max<std::int64_t>(1, flat.numel() / 3)) {
      const torch::NoGradGuard no_grad;
      const double value = flat[i].item<double>();
      const auto at = [&](double steps) {
        flat[i] = value + steps * kStep;
        return loss().item<double>();
      };
      const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
      flat[i] = value;
      EXPECT_NEAR(gradient[i].item<double>(), slope, 1e-7)
          << what << ", " << parameter_.name << "[" << i << "]";
    }
  }
}

TEST(UniversalTransformer, GradientsOfEveryPartAgreeWithDifferences) {
  const auto try_config = [](const std::string& what, const auto& change) {
    for (const auto view :
         {TaskFormat::View::causal, TaskFormat::View::everything, TaskFormat::View::given})
      for (const bool padded : {false, true}) {
        TaskFormat format = letters_format(view);
        ModelConfig config = small_config();
        TrainingConfig training;
        change(config, format, training);
        auto model = in_double(config, format);
        Samples samples = random_samples(format, 2, 4, 10, padded);
        if (training.supervision == TrainingConfig::Supervision::when_due)
          for (std::size_t i = 0; i < samples.targets.size(); ++i)
            samples.due.push_back(static_cast<std::int32_t>(1 + i % 2));
        check_gradients(model, in_double(samples, format), loops(2), training,
                        what + (padded ? ", padded" : ""));
      }
  };
  using Config = ModelConfig;
  using Training = TrainingConfig;
  try_config("plain", [](Config&, TaskFormat&, Training&) {});
  try_config("gru gate", [](Config& c, TaskFormat&, Training&) { c.gate = Config::Gate::gru; });
  try_config("step embedding", [](Config& c, TaskFormat&, Training&) {
    c.step_embedding = Config::StepEmbedding::learned;
    c.step_rows = 2;
  });
  try_config("layer scale", [](Config& c, TaskFormat&, Training&) { c.layer_scale = 0.3; });
  try_config("RMS norm",
             [](Config& c, TaskFormat&, Training&) { c.norm = Config::NormKind::rmsnorm; });
  try_config("SwiGLU with rotary positions", [](Config& c, TaskFormat&, Training&) {
    c.activation = Config::Activation::swiglu;
    c.positions = Config::Positions::rotary;
  });
  try_config("relative positions", [](Config& c, TaskFormat&, Training&) {
    c.positions = Config::Positions::relative;
    c.max_distance = 2;
  });
  try_config("disentangled positions", [](Config& c, TaskFormat&, Training&) {
    c.positions = Config::Positions::deberta;
    c.max_distance = 2;
  });
  try_config("final layers, features and the mean over steps",
             [](Config& c, TaskFormat& f, Training& t) {
               c.final = 1;
               f.features = 3;
               t.supervision = Training::Supervision::mean_steps;
             });
  try_config("several heads of answers, asked for when they are due",
             [](Config&, TaskFormat& f, Training& t) {
               f.outputs = {2, 5, 3};
               t.supervision = Training::Supervision::when_due;
             });
  try_config("a loss that forgives an empty answer", [](Config&, TaskFormat& f, Training& t) {
    f.outputs = {2, 5};
    f.empty = TaskFormat::Empty{1, 4};
    t.supervision = Training::Supervision::mean_steps;
    t.empty_discount = 0.5;
  });
  try_config("pair readout",
             [](Config&, TaskFormat& f, Training&) { f.readout = TaskFormat::Readout::pair; });
  try_config("readout of one token",
             [](Config&, TaskFormat& f, Training&) { f.readout = TaskFormat::Readout::one_token; });
}

}  // namespace

// What is taught beside the answers: losses by hand, parameters, gradients; and lengths that are
// mixed in training.

namespace {

/// Samples with random targets at every level that the format teaches.
Samples taught_samples(const TaskFormat& format, std::size_t count, std::size_t tokens) {
  Samples samples = random_samples(format, count, tokens, 41);
  for (std::uint32_t level = 0; level < format.taught; ++level)
    samples.taught.push_back(random_samples(format, count, tokens, 42 + level).targets);
  return samples;
}

TEST(TaughtReadouts, AddTheirMeanCrossEntropiesToTheLoss) {
  TaskFormat format = letters_format(TaskFormat::View::causal);
  format.taught = 3;
  const Samples samples = taught_samples(format, 2, 4);
  const Batch batch = in_double(samples, format);
  for (const bool looped : {false, true}) {
    ModelConfig model = small_config();
    if (!looped) {
      model.initial = 3;
      model.repeated = 0;
    }
    const auto network = in_double(model, format);
    PassOptions options;
    options.loops = 3;
    PassTrace trace;
    trace.take_taught = true;
    const Tensor logits = network(batch, options, &trace);
    ASSERT_EQ(trace.taught.size(), 3u);
    double expected = mean_loss(logits, batch, format).item<double>();
    for (std::size_t level = 0; level < 3; ++level)
      for (std::int64_t i = 0; i < 8; ++i) {
        const Tensor row = trace.taught[level].view({8, 5})[i];
        const std::int32_t target = samples.taught[level][static_cast<std::size_t>(i)];
        expected -= torch::log_softmax(row, 0)[target].item<double>() / 8;
      }
    EXPECT_NEAR(supervised_loss(network, batch, options, {}).item<double>(), expected, 1e-12);
    EXPECT_TRUE(torch::equal(network(batch, options), logits)) << "answers are as without them";
  }
}

TEST(TaughtReadouts, ReadTheStateAfterTheirLayer) {
  // The first level of a stack is read before the second layer: its loss knows nothing of it.
  TaskFormat format = letters_format(TaskFormat::View::causal);
  format.taught = 5;
  ModelConfig model = small_config();
  model.initial = 2;
  model.repeated = 0;
  auto network = in_double(model, format);
  const Batch batch = in_double(taught_samples(format, 2, 4), format);
  PassTrace trace;
  trace.take_taught = true;
  network(batch, {}, &trace);
  ASSERT_EQ(trace.taught.size(), 2u) << "two layers have room for two levels";
  const auto gradient_of_layer = [&](std::size_t level, const std::string& layer) {
    network.parameters().gradients().zero_();
    trace.taught[level].square().sum().backward({}, /*retain_graph=*/true);
    double sum = 0;
    for (const auto& parameter : network.parameters().all())
      if (parameter.name.starts_with(layer))
        sum += parameter.tensor.grad().abs().sum().item<double>();
    return sum;
  };
  EXPECT_GT(gradient_of_layer(0, "initial.0"), 0);
  EXPECT_EQ(gradient_of_layer(0, "initial.1"), 0);
  EXPECT_GT(gradient_of_layer(1, "initial.1"), 0);
  EXPECT_GT(gradient_of_layer(1, "taught.2"), 0);
  EXPECT_EQ(gradient_of_layer(1, "taught.1"), 0);
}

TEST(NetworkPredictors, KnowTheLoopsOfANetworkThatHasALoop) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig model = small_config();
  model.loops = {LoopRule::Kind::per_doubling, 2, 2};
  const auto looped = in_double(model, format);
  const Predictor predictor = predictor_of(looped, TrainingConfig::Precision::float32);
  EXPECT_EQ(predictor.own_loops(1), 1u);
  EXPECT_EQ(predictor.own_loops(9), 8u);
  model.initial = 1;
  model.repeated = 0;
  const auto stack = in_double(model, format);
  EXPECT_FALSE(predictor_of(stack, TrainingConfig::Precision::float32).own_loops);
}

RunConfig mixed_words() {
  RunConfig config = word_problem("Z2", WordModel::adaptive_loop, 1);
  config.model.width = 16;
  config.model.hidden = 32;
  auto& words = config.task.as<WordTaskConfig>();
  words.max_length = 8;
  words.batch_tokens = 128;
  words.validation = 200;
  words.mixed_lengths = 0.5;
  words.teach = WordTaskConfig::Teach::windows;
  config.training.steps = 120;
  config.training.warm_up = 10;
  config.training.learning_rate = 5e-3;
  config.training.curve_first = 30;
  return config;
}

TEST(MixedTraining, BatchesOfEarlierStagesDecideNothingAboutPromotion) {
  // With lengths mixed always, most readings at the last stage are of earlier ones. A model that
  // knows two letters only must not be promoted by them.
  RunConfig config = mixed_words();
  config.task.as<WordTaskConfig>().mixed_lengths = 1;
  config.training.promotion = 0.9;
  config.training.average = 0;  // one reading decides
  config.training.read_every = 1;
  Trainer trainer({config}, torch::kCPU);
  const std::atomic<bool> never = false;
  std::vector<std::size_t> stages;
  const TemporaryFolder folder;
  trainer.train(
      never, [&](const TrainingState& state) { stages.push_back(state.stage); }, [] {},
      {folder.path()});
  const auto task = config.task->make_task(config.seed);
  for (const auto& promotion : trainer.state().promotions) {
    const std::uint64_t step = promotion["step"].get<std::uint64_t>() - 1;
    const std::size_t stage = stages.at(step) - 1;
    EXPECT_FALSE(task->training_batch(stage, step).review) << "promoted at step " << step;
  }
  EXPECT_FALSE(trainer.state().promotions.empty()) << "nothing was tested";
}

TEST(MatrixKernels, AreThoseOfTheLibraryInUse) {
  // On this machine too: the folder of Debian's alternative decides.
  const MatrixLibrary library = matrix_library();
  EXPECT_FALSE(library.file.empty());
  EXPECT_EQ(library.file.find("openblas") != std::string::npos, library.name == "OpenBLAS")
      << library.file;
  EXPECT_EQ(matrix_kernels().empty(), library.name != "OpenBLAS");
}

TEST(MatrixKernels, TheLibraryOfProductsIsTheOneThatHoldsThem) {
  const std::string debian = "/usr/lib/x86_64-linux-gnu/";
  const std::string open = debian + "openblas-pthread/libopenblasp-r0.3.21.so";
  const MatrixLibrary openblas = matrix_library(open, open, false);
  EXPECT_EQ(openblas.name, "OpenBLAS");
  EXPECT_FALSE(openblas.reference);
  EXPECT_EQ(matrix_library(debian + "openblas-pthread/libblas.so.3", open, false).name, "OpenBLAS");
  // OpenBLAS is loaded by something else, and products are those of the reference.
  const MatrixLibrary reference = matrix_library(debian + "blas/libblas.so.3.11.0", open, false);
  EXPECT_EQ(reference.name, "reference BLAS");
  EXPECT_TRUE(reference.reference);
  EXPECT_EQ(matrix_library("/torch/lib/libtorch_cpu.so", "", true).name, "MKL");
  EXPECT_EQ(matrix_library("/opt/lib/libblis.so.4", "", false).name, "BLAS");
  EXPECT_FALSE(matrix_library("/opt/lib/libblis.so.4", "", false).reference);
}

TEST(MatrixKernels, AreChosenWhereTheLibraryTookNarrowerOnesThanTheProcessorHas) {
  EXPECT_EQ(wider_kernels("Prescott", VectorWidth::bits512), "SkylakeX");
  EXPECT_EQ(wider_kernels("Haswell", VectorWidth::bits512), "SkylakeX");
  EXPECT_EQ(wider_kernels("Zen", VectorWidth::bits512), "SkylakeX");
  EXPECT_EQ(wider_kernels("Cooperlake", VectorWidth::bits512), "");
  EXPECT_EQ(wider_kernels("SkylakeX", VectorWidth::bits512), "");
  EXPECT_EQ(wider_kernels("Prescott", VectorWidth::bits256), "Haswell");
  EXPECT_EQ(wider_kernels("Zen", VectorWidth::bits256), "");
  EXPECT_EQ(wider_kernels("Prescott", VectorWidth::other), "");
}

TEST(MatrixKernels, StandInTheRecordWhereTheLibraryNamesThem) {
  RunConfig config = mixed_words();
  const RunRecord record =
      Trainer({config}, torch::kCPU).record(Trainer::Stop::steps, [](std::size_t, std::size_t) {});
  EXPECT_EQ(record.machine.value("kernels", ""), matrix_kernels());
}

}  // namespace

}  // namespace logdepth::learned_tests
