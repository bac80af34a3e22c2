#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/exact/run_model.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth::inline report_pictures {

/// Of the name of a state under its token.
inline constexpr std::size_t kStateCharacters = 14;

using PrefixAnswers = std::vector<PrefixAnswer>;

/// What is read of the prefixes at all tokens, or nothing when some token has no answer.
PrefixAnswers read_prefixes(Runner& runner, const Stream<ValueId>& stream);

/// What a file answers for the first 1, 2, ... letters, and what is right.
struct ComparedPrefixes {
  std::size_t first_letter = 0;                       ///< its token
  std::vector<std::optional<PrefixAnswer>> answered;  ///< absent: no answer
  PrefixAnswers right;

  bool is_wrong(std::size_t letter) const { return answered[letter] != right[letter]; }
};

/// Absent where there is nothing to compare.
std::optional<ComparedPrefixes> compared_prefixes(Runner& runner, const Stream<ValueId>& stream,
                                                  const std::optional<PrefixAnswers>& right);

/// How an answer is written under its token. A state: by its name in the file, or its number. A
/// product: the images where they are short, else "m1", "m2", ... in order of first appearance, with
/// a key below the picture.
class PrefixNames {
 public:
  PrefixNames(const Model& model, const PrefixAnswers& answers);

  /// "prefix product" or "state".
  const char* what() const { return states_ ? "state" : "prefix product"; }
  /// Precondition: one of the answers.
  std::string name(const PrefixAnswer& answer) const;
  std::vector<std::string> names(const PrefixAnswers& answers) const;
  /// What stands below the picture to explain them.
  std::vector<std::string> notes() const;

 private:
  bool states_ = false, spelled_ = true;
  std::vector<std::string> state_names_;
  std::map<PrefixAnswer, std::size_t> known_;
  PrefixAnswers order_;
};

}  // namespace logdepth::inline report_pictures
