// Without a fuzzer: `fuzz_replay FOLDER` reads the stored inputs, a folder of files for every
// target; `fuzz_replay TARGET FILE ...` some of one target.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/file/whole_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

namespace fs = std::filesystem;

void replay(const std::string& name, std::vector<fs::path> files) {
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    // Stands there where the reader ends us.
    std::cout << name << " " << file.filename().string() << std::endl;
    targets().at(name)(read_whole_file(file.string()));
  }
}

int replay_all(const fs::path& folder) {
  std::size_t folders = 0;
  for (const auto& [name, target] : targets()) {
    hold(fs::is_directory(folder / name), name + " has stored inputs");
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / name)) files.push_back(entry.path());
    hold(!files.empty(), name + " has stored inputs");
    replay(name, std::move(files));
  }
  for (const auto& entry : fs::directory_iterator(folder)) folders += entry.is_directory();
  hold(folders == targets().size(), "every folder is that of a target");
  return 0;
}

}  // namespace
}  // namespace logdepth::fuzz

int main(int argc, char** argv) {
  using namespace logdepth::fuzz;
  if (argc == 2 && fs::is_directory(argv[1])) return replay_all(argv[1]);
  hold(argc > 2 && targets().contains(argv[1]), "expected FOLDER, or TARGET FILE ...");
  replay(argv[1], {argv + 2, argv + argc});
  return 0;
}
