#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace logdepth::inline learned_encode_think_decode {

struct LinesConfig;

/// A line of text as tokens: what is asked, then the answer with the token that ends the text.
struct TokenLine {
  std::vector<std::int32_t> question, answer;
  std::vector<std::size_t> told = {};  ///< places in the question of answers to other questions
  bool operator==(const TokenLine&) const = default;
};

/// Lines of one kind and difficulty that are measured.
struct MeasuredLines {
  std::string kind;
  int difficulty = 0;
  std::vector<TokenLine> lines;
};

/// Where lines come from. Questions are never empty, answers neither.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// Rows of the table of tokens.
  virtual std::uint32_t vocabulary() const = 0;
  /// Depends on the seed, the phase, the step and the index only.
  virtual TokenLine training_line(std::uint64_t step, std::uint64_t index) const = 0;
  /// At most `most` lines each, the kinds and their difficulties in a fixed order; fewer lines are
  /// the first of more.
  virtual std::vector<MeasuredLines> measured_lines(std::uint32_t most) const = 0;
};

/// Lines of the own corpus (etd_text.hpp). Errors: InputError naming the setting.
std::unique_ptr<LineSource> corpus_lines(const LinesConfig& config, std::uint64_t seed);
/// Lines of a file, read by the tokens of a language model. Errors: InputError naming the setting,
/// the file or its line.
std::unique_ptr<LineSource> file_lines(const LinesConfig& config, std::uint64_t seed);

}  // namespace logdepth::inline learned_encode_think_decode
