// Random files against their oracles: `grafted_runs columns|floats [--seed FIRST] [--files N] [--seconds S]`, from
// FIRST on, N files or as many as S seconds allow. A file that is wrong is stored beside; exit status 1.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/grafts/oracles.hpp"

namespace logdepth::grafts { namespace {

using Clock = std::chrono::steady_clock;

struct TooSlow {};

struct Settings {
  std::uint64_t seed = 1, files = 200;
  double seconds = 0;  ///< in place of a number of files
};

/// Exact numbers of some files grow without end.
constexpr std::chrono::seconds kOneFile{5};

int run(const std::string& what, const Settings& settings) {
  const auto oracle = what == "columns" ? wrong_column : wrong_float;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Counts counts;
  std::uint64_t seed = settings.seed, wrong = 0;
  for (; settings.seconds > 0 ? passed() < settings.seconds : seed < settings.seed + settings.files;
       ++seed) {
    const auto end = Clock::now() + kOneFile;
    const Interruption limit([end] {
      if (Clock::now() > end) throw TooSlow();
    });
    try {
      if (const auto found = oracle(seed, counts)) {
        ++wrong;
        std::cout << "seed " << seed << ": " << found->sentence << std::endl;
        save_weights(found->model, what + "-" + std::to_string(seed) + ".json");
      }
    } catch (const TooSlow&) {
      ++counts["files that take too long"];
    } catch (const SizeLimit&) {
      ++counts["files that take too much memory"];
    }
  }
  std::cout << what << ": seeds " << settings.seed << " to " << seed - 1 << ", " << wrong
            << " wrong\n";
  for (const auto& [event, times] : counts) std::cout << "  " << event << ": " << times << '\n';
  // Nothing is shown by files that end in no run.
  const char* const least =
      what == "columns" ? "inputs run to the end by columns" : "answers certified";
  return wrong > 0 || 4 * counts[least] < counts["files"] ? 1 : 0;
}

}}  // namespace logdepth::grafts

int main(int argc, char** argv) {
  using namespace logdepth::grafts;
  const std::vector<std::string> given(argv + 1, argv + argc);
  Settings settings;
  bool known = given.size() % 2 == 1 && (given[0] == "columns" || given[0] == "floats");
  for (std::size_t i = 1; known && i < given.size(); i += 2) {
    const std::string& value = given[i + 1];
    if (given[i] == "--seed") {
      settings.seed = std::stoull(value);
    } else if (given[i] == "--files") {
      settings.files = std::stoull(value);
    } else if (given[i] == "--seconds") {
      settings.seconds = std::stod(value);
    } else {
      known = false;
    }
  }
  if (known) return run(given[0], settings);
  std::cerr << "usage: grafted_runs columns|floats [--seed FIRST] [--files N] [--seconds S]\n";
  return 2;
}
