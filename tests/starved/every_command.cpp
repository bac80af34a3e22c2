// Every command, with little of what a machine has.
#include <gtest/gtest.h>

#include <set>

#include "base/shell_word.hpp"
#include "tests/starved/commands.hpp"
#include "tests/support/places.hpp"

namespace logdepth::starved {
namespace {

class StarvedCommands : public Starved {
 protected:
  /// KiB of address space without which the program does not even say its version.
  std::size_t least_room() const {
    std::size_t room = std::size_t{1} << 14;
    while (support::run_process({"bash", "-c",
                                 "ulimit -v " + std::to_string(room) + "; exec " +
                                     shell_word(support::program()) + " --version"},
                                folder.path())
               .status != 0)
      room += room / 16;
    return room;
  }

  void starve_all(const std::string& before, bool trainings) const {
    for (const Use& use : uses())
      if (trainings || !use.trains) starve(before, words_of(use));
  }
};

TEST_F(StarvedCommands, AreAllCommandsThatHelpLists) {
  std::set<std::string> used;
  for (const Use& use : uses()) used.insert(use.command);
  EXPECT_EQ(used, commands());
}

TEST_F(StarvedCommands, EndWellWithoutAThreadOrAProcess) {
  const std::string preload = "LD_PRELOAD=" + shell_word(support::few_processes()) + " ";
  for (const char* threads : {"0", "1"})
    starve_all("export ASAN_OPTIONS=verify_asan_link_order=0 STARVED_THREADS=" +
                   std::string(threads) + " " + preload + ";",
               true);
}

TEST_F(StarvedCommands, EndWellWhereNoByteCanBeWrittenToAFile) {
  starve_all("ulimit -f 0;", true);
}

TEST_F(StarvedCommands, EndWellWithLittleMemory) {
  // The sanitizers reserve terabytes of addresses.
  if (support::sanitized()) return;
  const std::size_t least = least_room();
  // Some memory makes Fontconfig, which draws letters for rsvg-convert, ask again for ever.
  for (const std::size_t percent : {100, 102, 105, 112, 120, 130, 180, 300})
    starve_all("ulimit -t 20 -v " + std::to_string(least * percent / 100) + ";", true);
}

TEST_F(StarvedCommands, EndWellWithoutATemporaryFolder) {
  starve_all("export TMPDIR=/none/such;", false);
}

TEST_F(StarvedCommands, EndWellWhereTheDiskIsFull) {
  for (const Use& use : uses()) {
    if (use.trains) continue;
    const auto finished = starve("", words_of(use), "> /dev/full");
    // What has something to say there says why it cannot.
    EXPECT_TRUE(finished.err.find("standard output") == std::string::npos ||
                finished.err.find("No space left on device") != std::string::npos)
        << finished.err;
  }
}

}  // namespace
}  // namespace logdepth::starved
