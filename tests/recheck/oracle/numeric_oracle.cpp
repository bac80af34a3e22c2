// numeric_oracle [--seed N] [--seconds N] [--files N] [--file N] BASE CERTIFICATE ...: random files, each checked as far as it
// goes. After every sublayer that the checker accepts, each form of every coordinate is evaluated at every token of runs in
// numbers, to 100 letters. Ends with 1 and the first difference if there is one. --file runs one file of a seed again.

#include <ctime>
#include <iostream>

#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"
#include "tests/recheck/oracle/random_files.hpp"
#include "tests/recheck/oracle/run.hpp"

namespace logdepth::oracle_numbers {
namespace {

using Snapshots = std::map<std::string, Snapshot>;

struct Counts {
  long files = 0, whole = 0, sublayers = 0, runs = 0, numbers = 0;
};

recheck::Theorem prove(const File& file) {
  const std::string& theorem = file.theorem;
  if (theorem == "shift-scan") return prove_shift_scan(file.weights, file.certificate);
  if (theorem == "levels") return prove_tree(file.weights, file.certificate);
  if (theorem == "division") return prove_division(file.weights, file.certificate);
  if (theorem == "resets") return prove_resets(file.weights);
  if (theorem == "counting") return prove_counting(file.weights);
  recheck::selections_of(file.weights);
  return {};
}

class Check {
 public:
  Check(const File& file, Counts& counts) : file_(file), weights_(file.weights), counts_(counts) {
    const recheck::Listener listener([&](const recheck::Accepted& accepted) {
      looped_ = looped_ || accepted.where == "loop";
      known_.erase(accepted.where);
      known_.emplace(accepted.where, Snapshot(accepted));
    });
    try {
      prove(file);
      looped_ = whole_ = true;
      ++counts.whole;
    } catch (const recheck::Refused&) {
    }
    ++counts.files;
    counts.sublayers += static_cast<long>(known_.size());
  }

  /// The first difference from a run of this input, or nothing.
  std::string run(const Input& input) {
    if (known_.empty()) return "";
    Run run(weights_, matrices_, input);
    Truth truth(weights_, file_.theorem, input);
    const std::string difference = compared(run, truth, input);
    ++counts_.runs;
    counts_.numbers += truth.compared;
    return difference;
  }

 private:
  std::string compared(Run& run, Truth& truth, const Input& input) {
    const Number factor =
        file_.certificate.has("loop")
            ? static_cast<Number>(file_.certificate.at("loop").at("factor").integer(2, 1 << 30))
            : 2;
    const long loops = loops_of(weights_, input.size);
    Number stride = 1, before = 1;
    const auto at = [&](const std::string& where) -> std::string {
      const auto found = known_.find(where);
      if (found == known_.end()) return "";
      const std::string difference = truth.compare(found->second, run.h, stride, before);
      return difference.empty()
                 ? ""
                 : where + ", stride " + std::to_string(static_cast<double>(stride)) + ", " +
                       difference;
    };
    std::string difference;
    const auto pass = [&](const std::string& block) {
      for (std::size_t n = 0; n < weights_.layers.size() && difference.empty(); ++n) {
        const recheck::Layer& layer = weights_.layers[n];
        if (layer.block != block) continue;
        const std::string where = "layer " + std::to_string(n + 1);
        run.attention(layer);
        difference = at(where + ", attention");
        run.feed_forward(layer);
        if (difference.empty()) difference = at(where + ", feed-forward");
      }
    };
    pass("initial");
    for (long i = 0; i < loops && difference.empty(); ++i) {
      pass("repeated");
      if (!looped_) return difference;  // the first pass is accepted, the induction is not
      before = stride, stride *= factor;
      if (difference.empty()) difference = at("loop");
    }
    if (difference.empty() && looped_) pass("final");
    if (file_.theorem != "levels" || !whole_ || !difference.empty()) return difference;
    stride *= 2;  // the last level is one more pass
    return at("loop");
  }

  const File& file_;
  const recheck::Weights& weights_;
  Counts& counts_;
  Matrices matrices_;
  Snapshots known_;
  bool looped_ = false, whole_ = false;
};

/// File number `index` of a seed; prints what differs.
bool good_file(const std::vector<File>& bases, std::uint64_t seed, std::uint64_t index,
               Counts& counts) {
  std::seed_seq both{seed, index};
  Random random(both);
  const std::size_t drawn = random() % (bases.size() + 3);
  File file = drawn < bases.size() ? bases[drawn] : by_hand(random);
  graft(file, random);
  Check check(file, counts);
  std::vector<long> sizes = {0, 1, 2, 3, 4, 5, static_cast<long>(6 + random() % 6)};
  if (index % 4 == 0) sizes.insert(sizes.end(), {33, 100});
  for (const long size : sizes) {
    if (const auto limit = file.weights.limit(); limit && size > *limit) continue;
    const std::string difference = check.run(draw_input(file, size, random));
    if (difference.empty()) continue;
    std::cout << "seed " << seed << ", file " << index << " (" << file.name << ", theorem "
              << file.theorem << "), " << size << " letters: " << difference << '\n';
    return false;
  }
  return true;
}

}  // namespace

int run(int count, char** arguments) {
  std::uint64_t seed = 1, files = ~0ULL, first = 0;
  long seconds = 20;
  std::vector<std::string> paths;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto number = [&] { return std::stoull(arguments[++i]); };
    if (argument == "--seed")
      seed = number();
    else if (argument == "--seconds")
      seconds = static_cast<long>(number());
    else if (argument == "--files")
      files = number();
    else if (argument == "--file")
      first = number(), files = first + 1;
    else
      paths.push_back(argument);
  }
  std::vector<File> bases;
  for (std::size_t i = 0; i + 1 < paths.size(); i += 2)
    bases.push_back(read_base(paths[i], paths[i + 1]));
  Counts counts;
  for (std::uint64_t i = first; i < files && std::clock() / CLOCKS_PER_SEC < seconds; ++i)
    if (!good_file(bases, seed, i, counts)) return 1;
  std::cout << "seed " << seed << ": " << counts.files << " files, " << counts.whole
            << " certified, " << counts.sublayers << " sublayers accepted, " << counts.runs
            << " runs, " << counts.numbers << " numbers compared\n";
  return counts.numbers > 0 ? 0 : 1;
}

}  // namespace logdepth::oracle_numbers

int main(int count, char** arguments) {
  return logdepth::oracle_numbers::run(count, arguments);
}
