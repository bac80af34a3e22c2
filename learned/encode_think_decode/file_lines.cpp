#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/quoted_text.hpp"
#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/line_source.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/language_model/model_file.hpp"
#include "learned/language_model/question_answers.hpp"
#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_encode_think_decode {
namespace {

class FileLines final : public LineSource {
 public:
  FileLines(const LinesConfig& config, std::uint64_t seed)
      : first_step_(first_step(config.phase)), seed_(seed) {
    if (config.tokens.empty())
      throw InputError(
          "task.tokens: expected the language model whose tokens task.text is read in");
    if (!config.mixture.empty())
      throw InputError("task.mixture: expected none with task.text, whose lines are as they are");
    const LanguageModelFile model(config.tokens);
    vocabulary_ = model.vocabulary();
    const std::shared_ptr<const Tokeniser> tokens = model.tokens();
    if (!tokens->end())
      throw InputError(
          config.tokens +
          ": expected a vocabulary with an end-of-text token, which task.text requires");
    read(read_question_answers(config.text), *tokens, config);
  }

  std::uint32_t vocabulary() const override { return vocabulary_; }

  TokenLine training_line(std::uint64_t step, std::uint64_t index) const override {
    CounterRandom random(seed_, RandomStream::training, first_step_ + step, index);
    return training_[random.below(training_.size())];
  }

  std::vector<MeasuredLines> measured_lines(std::uint32_t most) const override {
    std::vector<MeasuredLines> all = measured_;
    for (MeasuredLines& cell : all)
      cell.lines.resize(std::min<std::size_t>(cell.lines.size(), most));
    return all;
  }

 private:
  /// Errors: InputError where a line is too long, or none is left to train on or to measure.
  void read(const std::vector<QuestionAnswer>& all, const Tokeniser& tokens,
            const LinesConfig& config) {
    // Kinds in the order in which they are first met, each with its difficulties in theirs.
    std::vector<std::string> kinds;
    std::map<std::pair<std::size_t, int>, MeasuredLines> cells;
    const QuestionAnswer* longest = nullptr;
    std::size_t most = 0;
    for (const QuestionAnswer& one : all) {
      TokenLine line = line_of(one, tokens, config.text);
      if (const std::size_t length = line.question.size() + line.answer.size(); length > most) {
        most = length;
        longest = &one;
      }
      if (!held_out(one.question)) {
        training_.push_back(std::move(line));
        continue;
      }
      const std::string kind = one.kind.empty() ? "other" : one.kind;
      const auto found = std::find(kinds.begin(), kinds.end(), kind);
      const auto index = static_cast<std::size_t>(found - kinds.begin());
      if (found == kinds.end()) kinds.push_back(kind);
      MeasuredLines& cell = cells[{index, one.difficulty}];
      cell.kind = kind;
      cell.difficulty = one.difficulty;
      cell.lines.push_back(std::move(line));
    }
    if (most > config.length)
      throw InputError(fmt::format(
          "{}: expected lines of at most {} tokens with their end (task.length), found {} in {}",
          config.text, config.length, most, in_quotes(longest->question)));
    if (training_.empty() || cells.empty())
      throw InputError(
          fmt::format("{}: expected questions to train on and questions to measure, "
                      "about one in eight, found {} and {}",
                      config.text, training_.size(), all.size() - training_.size()));
    for (auto& [key, cell] : cells) measured_.push_back(std::move(cell));
  }

  static TokenLine line_of(const QuestionAnswer& one, const Tokeniser& tokens,
                           const std::string& file) {
    TokenLine line;
    if (tokens.begin()) line.question.push_back(*tokens.begin());
    try {
      const std::vector<std::int32_t> question = tokens.encode(one.question);
      line.question.insert(line.question.end(), question.begin(), question.end());
      line.answer = tokens.encode_behind(" " + one.answer);
    } catch (const InputError& error) {
      throw InputError(file + ": " + error.what());
    }
    if (line.question.empty())
      throw InputError(file + ": expected questions of at least one token, found " +
                       in_quotes(one.question));
    line.answer.push_back(*tokens.end());
    return line;
  }

  std::uint32_t vocabulary_ = 0;
  std::vector<TokenLine> training_;
  std::vector<MeasuredLines> measured_;
  std::uint64_t first_step_, seed_;
};

}  // namespace

std::unique_ptr<LineSource> file_lines(const LinesConfig& config, std::uint64_t seed) {
  return std::make_unique<FileLines>(config, seed);
}

}  // namespace logdepth::inline learned_encode_think_decode
