// Every construction with every option of its own, the examples and the own programs of the tests:
// each line of weights_hashes.txt is the hash of a weights file and what `compile` was told for it.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/file/sha256.hpp"
#include "tests/support/command_line.hpp"

namespace logdepth::weights_hashes_tests {
namespace {

class WeightsHashes : public support::CommandLine {};

TEST_F(WeightsHashes, WeightsOfEveryExampleAreTheBytesTheyWere) {
  std::ifstream list(support::source_dir() + "/tests/claims/weights_hashes.txt");
  std::set<std::string> commands;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string hash;
    words >> hash;
    std::vector<std::string> arguments = {support::program(), "compile"};
    for (std::string word; words >> word;) arguments.push_back(word);
    commands.insert(line.substr(hash.size()));
    arguments.insert(arguments.end(), {"-o", folder.file("weights.json")});
    const auto finished = support::run_process(arguments, support::source_dir());
    ASSERT_EQ(finished.status, 0) << line << '\n' << finished.err;
    EXPECT_EQ(sha256(folder.read("weights.json")), hash) << line;
  }
  EXPECT_EQ(commands.size(), 315u) << "commands, no two of them the same";
}

}  // namespace
}  // namespace logdepth::weights_hashes_tests
