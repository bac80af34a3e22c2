#include "learned/depth_recurrent/expression_task.hpp"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "learned/depth_recurrent/text_samples.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

/// The tokens from kFirstLetter on; those before are padding and [CLS].
constexpr std::string_view kLetters = "()TF&|!";
constexpr std::int32_t kFirstLetter = kClassToken + 1;
/// Rounds of evaluation that a shortcut is granted.
constexpr std::uint32_t kShortcutRounds = 2;
constexpr std::uint32_t kMostLetters = 4096;

class ExpressionTask final : public DifficultyTask {
 public:
  ExpressionTask(const ExpressionTaskConfig& config, std::uint64_t seed)
      : DifficultyTask(seed), config_(config) {
    check();
    try_every_difficulty();
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {static_cast<std::uint32_t>(kFirstLetter + kLetters.size())};
    format.view = TaskFormat::View::everything;
    format.readout = TaskFormat::Readout::one_token;
    format.outputs = {2};
    return format;
  }

 private:
  const DifficultySettings& settings() const override { return config_; }
  const char* unit() const override { return "depth"; }
  std::string difficulty_text(std::uint32_t depth) const override {
    return fmt::format("depth {}", depth);
  }
  std::string subject() const override { return "nested expressions"; }

  void check() const {
    check_difficulties();
    const ExpressionSettings& c = config_.expressions;
    require(c.sibling_depth <= kDeepestSibling,
            fmt::format("task.sibling_depth: expected at most {}", kDeepestSibling));
    require(c.critical >= 0 && c.critical <= 1, "task.critical: expected 0 to 1");
    require(c.most_letters <= kMostLetters,
            fmt::format("task.most_letters: expected at most {}", kMostLetters));
    for (const auto& [depth, name] : {std::pair(config_.hardest, "task.hardest"),
                                      std::pair(config_.tested.back(), "task.tested")})
      require(depth <= kDeepestExpression, fmt::format("{}: expected depths up to {}, found {}",
                                                       name, kDeepestExpression, depth));
  }

  Samples inputs(Questions questions, Use) const override {
    std::vector<TokenText> texts;
    for (DifficultyQuestion& question : questions) {
      TokenText& text = texts.emplace_back();
      text.tokens = {kClassToken};
      text.read = {0};
      for (const char letter : expression_of(question).text)
        text.tokens.push_back(kFirstLetter + static_cast<std::int32_t>(kLetters.find(letter)));
    }
    return text_samples(texts);
  }

  NestedExpression expression_of(DifficultyQuestion& question) const {
    return nested_expression(config_.expressions, question.difficulty, question.answer,
                             question.random);
  }

  void add_to_result(Json& result) const override {
    result["decided_in_two_rounds"] = Json::array();
    for (const std::uint32_t depth : config_.tested) {
      Questions questions = validation_questions(depth);
      std::size_t decided = 0;
      for (DifficultyQuestion& question : questions)
        decided += expression_of(question).rounds <= kShortcutRounds;
      result["decided_in_two_rounds"].push_back(static_cast<double>(decided) /
                                                static_cast<double>(questions.size()));
    }
  }

  ExpressionTaskConfig config_;
};

}  // namespace

ExpressionTaskConfig::ExpressionTaskConfig() {
  hardest = 4;
  tested = {1, 2, 3, 4, 5, 6, 7, 8};
  test_loops = {1, 2, 4, 6, 8, 10, 12, 16};
}

std::unique_ptr<TaskSettings> ExpressionTaskConfig::clone() const {
  return std::make_unique<ExpressionTaskConfig>(*this);
}

void ExpressionTaskConfig::visit(SettingVisitor& visit) {
  visit("sibling_depth", expressions.sibling_depth);
  visit("critical", expressions.critical);
  visit("most_letters", expressions.most_letters);
  visit_difficulties(visit);
}

std::unique_ptr<Task> ExpressionTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<ExpressionTask>(*this, seed);
}

}  // namespace logdepth::inline learned_depth_recurrent
