// Without a fuzzer: `fuzz_replay FOLDER` reads the stored inputs, a folder of files for every
// target; `fuzz_replay TARGET FILE ...` some of one target. With `--changes N` first: N changed copies
// of the files of each target, the same on every machine (LOGDEPTH_SEED sets other ones).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/file/whole_file.hpp"
#include "tests/fuzz/changed_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

namespace fs = std::filesystem;

using Files = std::vector<fs::path>;

void replay(const std::string& name, const Files& files) {
  for (const fs::path& file : files) {
    // Printed first, for a reader that ends the program.
    std::cout << name << " " << file.filename().string() << std::endl;
    targets().at(name)(read_whole_file(file.string()));
  }
}

/// The stored inputs of every target.
std::map<std::string, Files> stored(const fs::path& folder) {
  std::map<std::string, Files> all;
  for (const auto& [name, target] : targets()) {
    hold(fs::is_directory(folder / name), name + " has stored inputs");
    Files& files = all[name];
    for (const auto& entry : fs::directory_iterator(folder / name)) files.push_back(entry.path());
    hold(!files.empty(), name + " has stored inputs");
    std::sort(files.begin(), files.end());
  }
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(folder)) folders += entry.is_directory();
  hold(folders == targets().size(), "every folder is that of a target");
  return all;
}

/// The copy that is read lies in a file while it is read: whatever ends the program leaves it there.
void replay_changes(std::size_t count, const std::string& name, const Files& files) {
  const char* const given = std::getenv("LOGDEPTH_SEED");
  const std::uint64_t seed = given ? std::stoull(given) : 1;
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(read_whole_file(file.string()));
  const std::string kept = fs::absolute("changed-" + name).string();
  for (std::size_t i = 0; i < count; ++i) {
    std::mt19937_64 random(seed * 1000003 + i);
    const std::string changed = changed_text(texts[i % texts.size()], random);
    write_whole_file(kept, changed);
    targets().at(name)(changed);
  }
  fs::remove(kept);
  std::cout << name << ": " << count << " changed copies, seed " << seed << std::endl;
}

}  // namespace
}  // namespace logdepth::fuzz

int main(int argc, char** argv) {
  using namespace logdepth::fuzz;
  std::vector<std::string> given(argv + 1, argv + argc);
  std::size_t changes = 0;
  if (given.size() > 2 && given[0] == "--changes") {
    changes = std::stoull(given[1]);
    given.erase(given.begin(), given.begin() + 2);
  }
  std::map<std::string, Files> inputs;
  if (given.size() == 1 && fs::is_directory(given[0])) {
    inputs = stored(given[0]);
  } else {
    hold(given.size() > 1 && targets().contains(given[0]),
         "expected [--changes N] FOLDER, or [--changes N] TARGET FILE ...");
    inputs[given[0]] = {given.begin() + 1, given.end()};
  }
  for (const auto& [name, files] : inputs)
    if (changes > 0)
      replay_changes(changes, name, files);
    else
      replay(name, files);
  return 0;
}
