// Deliberate faults: random single changes of compiled weights, and of what one compiler pass hands
// to the next. Each must be told from the original, or be proved to compute the same on every input
// by an argument that the machine finds (tests/support/equivalence.hpp).

#include <gtest/gtest.h>

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/equivalence.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/mutation.hpp"
#include "tests/support/mutation_subject.hpp"

namespace logdepth::mutants_tests {
namespace {

using support::Judgement;
using support::Mutant;
using support::MutationSubject;

const std::vector<MutationSubject>& subjects() {
  static const auto made = support::mutation_subjects(laws::seed());
  return made;
}

struct Count {
  std::size_t killed = 0, equivalent = 0, unexplained = 0;
  std::size_t total() const { return killed + equivalent + unexplained; }
};

class Tally {
 public:
  void add(const MutationSubject& subject, const Mutant& mutant) {
    Judgement judgement{mutant.refused_by, mutant.refusal};
    std::optional<std::string> proof;
    if (mutant.refused_by.empty()) {
      judgement = support::judge(subject, mutant.model, laws::seed());
      if (judgement.killed_by != "format")
        proof = support::equivalence_proof(subject, mutant.model);
    }
    const std::string title =
        subject.name + ": " + mutant.place + ", " + mutant.edit + ": " + mutant.what;
    const auto count = [&](std::size_t Count::*what) {
      ++(kinds_[mutant.place + ", " + mutant.edit].*what);
      ++(all_.*what);
    };
    if (!judgement.killed_by.empty()) {
      ++means_[judgement.killed_by];
      count(&Count::killed);
      // A proof of something false would make every survivor below worthless. Proofs speak of
      // answers: logits that differ from the program's are a difference even when the winner stays.
      EXPECT_FALSE(proof && judgement.killed_by != "logits")
          << title << "\n  killed: " << judgement.evidence << "\n  proof: " << *proof;
    } else if (proof) {
      survivors_.push_back(title + "\n      equivalent: " + *proof);
      count(&Count::equivalent);
    } else {
      count(&Count::unexplained);
      ADD_FAILURE() << "survived without a proof of equivalence: " << title;
    }
  }

  void print(const std::string& title) const {
    std::cout << "\n"
              << title << ": " << all_.killed << " of " << all_.total() << " killed ("
              << percent(all_) << "), " << all_.equivalent << " proved equivalent, "
              << all_.unexplained << " unexplained\n  killed by:";
    for (const auto& [means, number] : means_) std::cout << "  " << means << " " << number;
    std::cout << "\n";
    for (const auto& [kind, count] : kinds_)
      std::cout << "  " << std::left << std::setw(60) << kind << std::right << std::setw(4)
                << count.killed << " of " << std::setw(3) << count.total() << "  " << percent(count)
                << "\n";
    std::cout << "  survivors:\n";
    for (const std::string& survivor : survivors_) std::cout << "    " << survivor << "\n";
  }

  const Count& all() const { return all_; }
  std::size_t killed_by(const std::string& means) const {
    const auto found = means_.find(means);
    return found == means_.end() ? 0 : found->second;
  }

 private:
  static std::string percent(const Count& count) {
    return std::to_string(count.total() ? 100 * count.killed / count.total() : 0) + "%";
  }
  Count all_;
  std::map<std::string, Count> kinds_;
  std::map<std::string, std::size_t> means_;
  std::vector<std::string> survivors_;
};

/// Draws different mutants of all subjects in turn.
template <class Draw>
Tally run(std::size_t wanted, Draw draw) {
  std::mt19937_64 random(laws::seed());
  std::set<std::string> seen;
  Tally tally;
  for (std::size_t i = 0; seen.size() < wanted && i < 100 * wanted; ++i) {
    const MutationSubject& subject = subjects()[i % subjects().size()];
    const auto mutant = draw(subject, random);
    if (!mutant) continue;
    if (!seen.insert(subject.name + mutant->place + mutant->edit + mutant->what).second) continue;
    tally.add(subject, *mutant);
  }
  EXPECT_EQ(seen.size(), wanted);
  return tally;
}

TEST(Mutants, TheSubjectsThemselvesAreNotKilled) {
  for (const MutationSubject& subject : subjects()) {
    const Judgement judgement = support::judge(subject, subject.model, laws::seed());
    EXPECT_EQ(judgement.killed_by, "") << subject.name << ": " << judgement.evidence;
    EXPECT_EQ(support::equivalence_proof(subject, subject.model), "the same weights");
    std::cout << "  " << subject.name << ": width " << subject.model.width << ", "
              << subject.moments.finite_combinations << " combinations of cell values, "
              << subject.words.size() << " words that cover them\n";
  }
}

TEST(Mutants, EveryChangeOfTheWeightsIsKilledOrProvedEquivalent) {
  const Tally tally = run(600, [](const MutationSubject& subject, std::mt19937_64& random) {
    return support::mutate_weights(subject.model, random);
  });
  tally.print("Changes of the weights");
  EXPECT_GE(tally.all().total(), 600u);
  EXPECT_EQ(tally.all().unexplained, 0u);
  for (const char* means : {"format", "promise", "verdict", "cells"})
    EXPECT_GT(tally.killed_by(means), 0u) << means;
}

TEST(Mutants, EveryFaultInsideAPassIsKilledOrProvedEquivalent) {
  const Tally tally = run(300, [](const MutationSubject& subject, std::mt19937_64& random) {
    return support::mutate_passes(subject, random);
  });
  tally.print("Faults inside compiler passes");
  EXPECT_GE(tally.all().total(), 300u);
  EXPECT_EQ(tally.all().unexplained, 0u);
  for (const char* means : {"program rules", "schedule", "norm typing", "verdict"})
    EXPECT_GT(tally.killed_by(means), 0u) << means;
}

}  // namespace
}  // namespace logdepth::mutants_tests
