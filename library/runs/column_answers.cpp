#include "library/runs/column_answers.hpp"

#include <utility>
#include <variant>

#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline library_runs {
namespace {

/// Tokens of a group of words: enough for what is done once to cost nothing, few enough to be held.
constexpr std::size_t kMostGroupTokens = std::size_t{1} << 21;

}  // namespace

ColumnAnswers::ColumnAnswers(const Model& model, std::size_t memory, std::size_t threads,
                             std::size_t least_tokens, ColumnRunner::Progress progress)
    : model_(model),
      takes_words_(std::holds_alternative<WordInput>(model.input)),
      memory_(memory),
      threads_(threads),
      least_tokens_(least_tokens),
      progress_(std::move(progress)) {}

void ColumnAnswers::announce(const AnnouncedWords& words) {
  announced_ = &words;
  waiting_.clear();
  answers_.clear();
  for (std::size_t w = 0; w < words.size(); ++w) waiting_[words[w].size()].push_back(w);
}

bool ColumnAnswers::fits(std::size_t tokens) const {
  return takes_words_ && tokens >= least_tokens_ && tokens > 0;
}

/// Rows of a graph: a token is a vertex, and has a value for every vertex. Else a graph is as long as a word.
bool ColumnAnswers::fits(const Tokens& tokens) const {
  if (takes_words_) return fits(tokens.kinds.size());
  const auto* graph = std::get_if<GraphInput>(&model_.input);
  const std::size_t size = tokens.kinds.size();
  if (!graph || size == 0) return false;
  return (graph->layout == GraphInput::Layout::rows ? size * size : size) >= least_tokens_;
}

/// Made when it is first needed: it prepares the whole file.
ColumnRunner& ColumnAnswers::runner() {
  if (!runner_) runner_.emplace(model_, memory_, threads_);
  return *runner_;
}

void ColumnAnswers::forget_large() {
  if (runner_ && runner_->bytes() > memory_ / 64) runner_->forget();
}

std::optional<ColumnAnswer> ColumnAnswers::run(const Tokens& tokens, std::size_t beside) {
  if (!fits(tokens) || outside_hypotheses(model_, tokens)) return std::nullopt;
  ColumnWords words(model_);
  if (!words.add(tokens)) return std::nullopt;  // the general path says why
  auto logits = runner().run(words, loops_at(model_.unroll, tokens.size), beside, progress_);
  if (!logits) return std::nullopt;
  return ColumnAnswer{std::make_shared<const ColumnLogits>(std::move(*logits)), 0};
}

/// The word and the next ones of its length.
void ColumnAnswers::run_group(std::size_t first, std::uint64_t size, std::size_t beside) {
  std::deque<std::size_t>& waiting = waiting_[size];
  // Words before it were refused when they were asked for.
  while (!waiting.empty() && waiting.front() < first) waiting.pop_front();
  ColumnWords words(model_);
  std::vector<std::size_t> members;
  while (!waiting.empty() && words.tokens() < kMostGroupTokens) {
    const std::size_t word = waiting.front();
    waiting.pop_front();
    if (words.add_letters((*announced_)[word])) members.push_back(word);
  }
  if (!fits(words.tokens())) return;
  auto run = runner().run(words, loops_at(model_.unroll, size), beside, progress_);
  if (!run) return;
  const auto logits = std::make_shared<const ColumnLogits>(std::move(*run));
  for (std::size_t k = 0; k < members.size(); ++k) answers_[members[k]] = {logits, k};
}

std::optional<ColumnAnswer> ColumnAnswers::run_announced(std::size_t word, const Tokens& tokens,
                                                         std::size_t beside) {
  if (!takes_words_ || outside_hypotheses(model_, tokens)) return std::nullopt;
  auto found = answers_.find(word);
  if (found == answers_.end()) {
    run_group(word, tokens.size, beside);
    found = answers_.find(word);
  }
  if (found == answers_.end()) return std::nullopt;
  ColumnAnswer answer = std::move(found->second);
  answers_.erase(found);
  return answer;
}

}  // namespace logdepth::inline library_runs
