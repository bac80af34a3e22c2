#include "learned/depth_recurrent/family_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "learned/depth_recurrent/text_samples.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

class FamilyTask final : public DifficultyTask {
 public:
  FamilyTask(const FamilyTaskConfig& config, std::uint64_t seed)
      : DifficultyTask(seed), config_(config) {
    check_difficulties();
    check_family_settings(config_.families, std::max(config_.hardest, config_.tested.back()));
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {static_cast<std::uint32_t>(family_vocabulary(config_.families).size())};
    format.view = TaskFormat::View::everything;
    format.readout = TaskFormat::Readout::pair;
    format.outputs = {2};
    return format;
  }

 private:
  const DifficultySettings& settings() const override { return config_; }
  const char* unit() const override { return "depth"; }
  std::string difficulty_text(std::uint32_t depth) const override {
    return fmt::format("depth {}", depth);
  }
  std::string subject() const override {
    return fmt::format("family text, {} names", config_.families.names);
  }

  Samples inputs(Questions questions, Use) const override {
    std::vector<TokenText> texts;
    for (DifficultyQuestion& question : questions) {
      FamilyQuestion family =
          family_question(config_.families, question.difficulty, question.answer, question.random);
      texts.push_back({std::move(family.tokens),
                       {static_cast<std::int32_t>(family.first_name),
                        static_cast<std::int32_t>(family.second_name)}});
    }
    return text_samples(texts);
  }

  FamilyTaskConfig config_;
};

}  // namespace

FamilyTaskConfig::FamilyTaskConfig() {
  easiest = 2;
  hardest = 3;
  tested = {2, 3, 4, 5};
  test_loops = {1, 2, 4, 6, 8, 10, 12};
}

std::unique_ptr<TaskSettings> FamilyTaskConfig::clone() const {
  return std::make_unique<FamilyTaskConfig>(*this);
}

void FamilyTaskConfig::visit(SettingVisitor& visit) {
  visit("names", families.names);
  visit("sibling", families.sibling);
  visit("distractors_least", families.distractors_least);
  visit("distractors_most", families.distractors_most);
  visit_difficulties(visit);
}

std::unique_ptr<Task> FamilyTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<FamilyTask>(*this, seed);
}

}  // namespace logdepth::inline learned_depth_recurrent
