#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace report_pictures {

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

/// What a run of a file of the division lemma says at one token.
struct DivisionResult {
  std::uint64_t dividend = 0, divisor = 1;           ///< as given
  std::optional<std::uint64_t> quotient, remainder;  ///< as read; absent: no natural number
  /// Whether they are phi of what is right, exactly.
  bool quotient_is_right = false, remainder_is_right = false;
};

/// Of every token of a file with the names of the division lemma (proofs-check/check/
/// divisions.hpp); none for other files, and where the input is not of natural numbers.
std::vector<DivisionResult> division_results(Runner& runner, const Tokens& tokens,
                                             const Stream<ValueId>& stream);

/// What the cells of a token hold, in words: numbers exact where they are short, else rounded; of a
/// one-hot cell its label, where the file's program says it. Cells that are zero and constants are
/// left out.
class CellValues {
 public:
  explicit CellValues(const Model& model);

  /// "E = 3/5 4/5, d.0 = 3, ..."; empty where the file names no cells.
  std::string text(const Stream<ValueId>& stream, std::size_t token, const ValuePool& pool) const;

 private:
  struct NamedCell {
    std::string name;
    std::vector<std::uint32_t> coordinates;
    std::vector<std::string> labels;  ///< of a one-hot cell
  };
  std::vector<NamedCell> cells_;
};

/// What is right of an input, as an oracle says it, and where the run leaves the program of its
/// file: a picture of the run shows in red what is otherwise. What is absent is not compared;
/// promises of heads always are.
struct RunReview {
  std::optional<std::string> wrong_answer = {};  ///< as a sentence: expected this, found that
  std::optional<bool> verdict = {};              ///< of the input, or of the pair of vertices
  std::optional<std::vector<PrefixAnswer>> prefixes = {};  ///< after the first 1, 2, ... letters
  std::optional<std::vector<std::vector<bool>>> reaches = {};  ///< [from][to]
  std::optional<Difference> difference = {};

  /// Whether a run that is refused is drawn as far as it came. One in which a contract is broken
  /// always is.
  bool although_refused = false;
};

}}  // namespace logdepth::report_pictures
