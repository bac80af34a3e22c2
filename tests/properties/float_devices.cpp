// The float pass on a CUDA device beside the host: the same source, so the same bits. Where the
// program was built without CUDA or no device answers, the tests say so and are skipped.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/languages.hpp"

namespace logdepth::float_devices_tests {
namespace {

using support::compile_scan;

FloatOptions on(FloatOptions::Device device, FloatOptions::Engine engine) {
  FloatOptions options;
  options.device = device;
  options.engine = engine;
  return options;
}

bool has_device() {
  return cuda_devices() > 0;
}

/// The stream after the last layer, on one device.
FloatStream stream_on(FloatOptions::Device device, FloatOptions::Engine engine,
                      const Compiled& compiled, const Tokens& tokens, FloatStatistics& statistics) {
  FloatRunner runner(compiled.model, compiled.facts, on(device, engine));
  auto stream = runner.run(tokens);
  statistics = runner.statistics();
  return std::move(stream).value();
}

void expect_same_bits(const Compiled& compiled, const Tokens& tokens) {
  for (const auto engine : {FloatOptions::Engine::float64, FloatOptions::Engine::float32}) {
    FloatStatistics host_statistics, device_statistics;
    const FloatStream host =
        stream_on(FloatOptions::Device::cpu, engine, compiled, tokens, host_statistics);
    const FloatStream device =
        stream_on(FloatOptions::Device::cuda, engine, compiled, tokens, device_statistics);
    ASSERT_EQ(host.numbers.size(), device.numbers.size());
    for (std::size_t i = 0; i < host.numbers.size(); ++i) {
      ASSERT_EQ(host.numbers[i].value, device.numbers[i].value) << "number " << i;
      ASSERT_EQ(host.numbers[i].error, device.numbers[i].error) << "number " << i;
    }
    EXPECT_EQ(host_statistics.single, device_statistics.single);
    EXPECT_EQ(host_statistics.ties, device_statistics.ties);
    EXPECT_EQ(host_statistics.ambiguous, device_statistics.ambiguous);
    EXPECT_EQ(host_statistics.open_tests, device_statistics.open_tests);
  }
}

TEST(FloatDevices, ADeviceThatIsNotThereIsBadInputAndNotACrash) {
  if (has_device()) GTEST_SKIP() << "a CUDA device answers";
  const Model model = compile_scan(support::word_problem("Z2").action);
  const PrecisionFacts facts = no_facts(model);
  EXPECT_THROW(
      FloatRunner(model, facts, on(FloatOptions::Device::cuda, FloatOptions::Engine::float64)),
      InputError);
}

TEST(FloatDevices, GiveTheSameBitsForWords) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device answers, or built without CUDA";
  for (const auto& form : support::scan_forms()) {
    const Compiled compiled = compiled_scan(support::word_problem("A5").action, form);
    for (const std::size_t length : {1u, 2u, 31u, 32u, 33u, 500u}) {
      std::vector<std::string> word;
      for (std::size_t i = 0; i < length; ++i) word.push_back(i % 3 == 0 ? "a" : "b");
      expect_same_bits(compiled, tokens_of(compiled.model, word).value());
    }
  }
}

TEST(FloatDevices, GiveTheSameBitsForGraphs) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device answers, or built without CUDA";
  for (const ConnectivityForm form : {ConnectivityForm::compact, ConnectivityForm::paper}) {
    const Compiled compiled =
        compile(graph_connectivity_MS25_thm5_1(form, GraphInput::Padding::n3_minus_n2));
    Graph graph;
    for (const char* name : {"a", "b", "c", "d", "e"}) graph.add_vertex(name);
    graph.add_edge(0, 1);
    graph.add_edge(1, 2);
    graph.add_edge(2, 3);
    graph.add_edge(4, 4);
    expect_same_bits(compiled, tokens_of(compiled.model, graph, 0, 3).value());
    expect_same_bits(compiled, tokens_of(compiled.model, graph, 3, 4).value());
  }
}

}  // namespace
}  // namespace logdepth::float_devices_tests
