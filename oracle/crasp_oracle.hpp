#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objects/crasp.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth { inline namespace oracle {

/// Works out every line at every position, in integers. The empty word has one position, before
/// every letter, at which no letter test holds and every count is 0.
std::unique_ptr<LanguageOracle> make_crasp_oracle(CraspProgram program, std::string name);

/// The same letter by letter: the verdict on every beginning of a word.
class CraspRun {
 public:
  /// Before the first letter. Keeps a pointer to the program.
  explicit CraspRun(const CraspProgram& program);

  void read(Letter letter);
  bool accepts() const;
  /// The verdict on all longer words that begin with this one, where the counts show it.
  std::optional<bool> settled() const;
  /// What verdicts on longer words depend on: if two words of one length have the same, every letter that
  /// follows both leads to the same verdicts.
  std::vector<std::int64_t> memory() const;

 private:
  void step(std::optional<Letter> here);

  const CraspProgram* program_;
  std::vector<std::int64_t> values_;
  std::vector<std::int64_t> totals_;  ///< of positions of letters
  /// Of the nodes `recent` in their order: where what they count has held at such positions.
  std::vector<std::vector<bool>> past_;
};

}}  // namespace logdepth::oracle
