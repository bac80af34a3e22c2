// Pages and figures of bench/ are what the scripts write from the stored results beside them.
#include <gtest/gtest.h>

#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::bench_pages_tests {
namespace {

namespace fs = std::filesystem;

const fs::path kBench = fs::path(support::source_dir()) / "bench";

/// Runs a script of bench/ in `folder`, without leaving compiled modules in the source tree.
support::Finished bench(const support::TemporaryFolder& folder, const std::string& script,
                        const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {support::python(), "-B", (kBench / script).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return support::run_process(std::move(command), folder.path());
}

TEST(BenchPages, AreThoseOfTheStoredResults) {
  const support::TemporaryFolder folder;
  fs::create_directories(folder.path() / "results");
  for (const std::string name :
       {"exact_cost", "float_throughput", "learned_edges", "learned_patching", "from_compiled"}) {
    const std::string results = "results/" + name + ".json";
    fs::copy_file(kBench / results, folder.path() / results);
    const auto written = bench(folder, name + ".py", {"--report", folder.path().string()});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(folder.read(name + ".md"), read_whole_file((kBench / (name + ".md")).string()));
  }
  std::size_t figures = 0;
  for (const auto& entry : fs::directory_iterator(folder.path() / "results")) {
    if (entry.path().extension() != ".svg") continue;
    ++figures;
    EXPECT_EQ(read_whole_file(entry.path().string()),
              read_whole_file((kBench / "results" / entry.path().filename()).string()))
        << entry.path();
  }
  EXPECT_EQ(figures, 7u);
}

TEST(BenchPages, ScriptsSayWhatTheyExpect) {
  const support::TemporaryFolder folder;
  for (const std::string name : {"exact_cost", "float_throughput"}) {
    const auto without = bench(folder, name + ".py", {});
    EXPECT_EQ(without.status, 2);
    EXPECT_NE(without.err.find("expected the build folder"), std::string::npos) << without.err;
    const auto unknown = bench(folder, name + ".py", {"--only", "nothing", "--quick"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.err.find("invalid choice: 'nothing'"), std::string::npos) << unknown.err;
  }
  EXPECT_NE(bench(folder, "learned_edges.py", {}).err.find("folder with finished runs"),
            std::string::npos);
  EXPECT_NE(bench(folder, "compile_sizes.py", {}).err.find("LOGDEPTH"), std::string::npos);
  EXPECT_NE(bench(folder, "training_throughput.py", {}).err.find("--program"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::bench_pages_tests
