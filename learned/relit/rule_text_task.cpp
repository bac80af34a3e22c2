#include "learned/relit/rule_text_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "learned/records/task.hpp"
#include "learned/relit/nli_pairs.hpp"
#include "learned/relit/relit_tokens.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

/// Samples that a predictor is given at once in a measurement.
constexpr std::uint32_t kTextsMeasuredAtOnce = 50;

class RuleTextTask final : public Task {
 public:
  RuleTextTask(const RuleTextConfig& config, std::uint64_t seed)
      : config_(config), seed_(seed), tokens_(relit_tokens("")) {
    if (config_.set == RuleTextConfig::Set::rules) {
      check_rule_settings(config_.rules);
      check_proof_depths(config_.depths);
    }
    samples(RandomStream::validation, 0, 0, 1);  // whatever is asked for can be drawn
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {tokens_.vocabulary};
    format.view = TaskFormat::View::causal;
    format.readout = TaskFormat::Readout::each_token;
    format.outputs = {tokens_.vocabulary};
    return format;
  }

  Samples training_batch(std::size_t, std::uint64_t step) const override {
    return samples(RandomStream::training, step, 0, config_.batch);
  }

  nlohmann::ordered_json measure(const Predictor& predictor, std::size_t,
                                 const MeasureProgress& progress) const override {
    std::size_t asked = 0, right = 0;
    for (std::uint32_t first = 0; first < config_.validation; first += kTextsMeasuredAtOnce) {
      const std::uint32_t last = std::min(first + kTextsMeasuredAtOnce, config_.validation);
      const Samples samples = this->samples(RandomStream::validation, 0, first, last);
      const Answers answers = predictor.answers(samples, 0);
      for (std::size_t i = 0; i < samples.targets.size(); ++i)
        right += answers.at(i) == samples.targets[i];
      asked += samples.targets.size();
      if (progress) progress(last, config_.validation);
    }
    return {{"kind", config_.kind()}, {"asked", asked}, {"right", right}};
  }

  Score score(const Predictor& predictor, std::size_t) const override {
    const Samples samples = this->samples(RandomStream::validation, 0, 0,
                                          std::min(kTextsMeasuredAtOnce, config_.validation));
    return {promoting_accuracy(samples, predictor.answers(samples, 0))};
  }
  std::string score_name() const override { return "share of right next words"; }
  std::string summary(const nlohmann::ordered_json& result) const override {
    return fmt::format("{:.3f} of the next words right",
                       result["right"].get<double>() / result["asked"].get<double>());
  }

 private:
  /// The samples `first` ... `last` - 1 of a step.
  Samples samples(RandomStream stream, std::uint64_t step, std::uint32_t first,
                  std::uint32_t last) const {
    Samples samples;
    samples.count = last - first;
    samples.tokens = config_.length;
    samples.size = samples.tokens;
    for (std::uint32_t i = first; i < last; ++i) {
      CounterRandom random(seed_, stream, step, i);
      std::vector<std::int32_t> text;
      while (text.size() <= config_.length) {
        const auto next = tokens_.tokeniser->encode(statement_text(config_, random));
        text.insert(text.end(), next.begin(), next.end());
        text.push_back(*tokens_.tokeniser->end());
      }
      const auto end = text.begin() + config_.length;
      samples.indices.insert(samples.indices.end(), text.begin(), end);
      samples.targets.insert(samples.targets.end(), text.begin() + 1, end + 1);
    }
    return samples;
  }

  RuleTextConfig config_;
  std::uint64_t seed_;
  RelitTokens tokens_;
};

/// What holds of the people whom a theory names; in a closed world without "not", which holds of
/// almost everything there.
std::vector<RuleFact> statements_that_hold(const RuleTheory& theory) {
  std::set<std::uint32_t> names;
  for (const RuleFact& fact : theory.facts) names.insert(fact.name);
  std::vector<RuleFact> found;
  for (const std::uint32_t name : names) {
    const RuleConclusions conclusions(theory, name);
    for (std::uint32_t attribute = 0; attribute < kRuleAttributes; ++attribute)
      for (const bool negated : {false, true})
        if ((!negated || theory.world == RuleWorld::open) &&
            conclusions.status({attribute, negated}) == RuleConclusions::Status::holds)
          found.push_back({name, {attribute, negated}});
  }
  return found;
}

}  // namespace

std::string statement_text(const RuleTextConfig& config, CounterRandom& random) {
  if (config.set == RuleTextConfig::Set::nli) {
    const NliQuestion pair = nli_question(NliLabel::entailment, /*held_out=*/false, random);
    return pair.premise + " " + pair.hypothesis;
  }
  const std::uint32_t depth = config.depths[random.below(config.depths.size())];
  const RuleQuestion question = rule_question(
      config.rules, depth, random.chance(0.5) ? RuleAnswer::yes : RuleAnswer::no, random);
  std::string text;
  for (const std::string& sentence : question.sentences)
    text += (text.empty() ? "" : " ") + sentence;
  const std::vector<RuleFact> holding = statements_that_hold(question.theory);
  std::vector<std::uint32_t> order = random.permutation(holding.size());
  if (order.size() > config.entailed) order.resize(config.entailed);
  for (const std::uint32_t i : order) text += " " + rule_text(holding[i]);
  return text;
}

std::unique_ptr<TaskSettings> RuleTextConfig::clone() const {
  return std::make_unique<RuleTextConfig>(*this);
}

void RuleTextConfig::visit(SettingVisitor& visit) {
  visit("set", set, {"rules", "nli"});
  visit_rule_settings(rules, visit);
  visit("depths", depths);
  visit("entailed", entailed);
  visit("length", length);
  visit("batch", batch);
  visit("validation", validation);
}

void RuleTextConfig::validate() const {
  require(entailed <= 16, "task.entailed: expected 0 to 16");
  require(length >= 1 && length <= 4096, "task.length: expected 1 to 4096");
  require(batch >= 1 && batch <= 65536, "task.batch: expected 1 to 65536");
  require(validation >= 1 && validation <= 100'000, "task.validation: expected 1 to 100000");
}

std::unique_ptr<Task> RuleTextConfig::make_task(std::uint64_t seed) const {
  validate();
  return std::make_unique<RuleTextTask>(*this, seed);
}

std::optional<TextTokens> RuleTextConfig::text_tokens() const {
  return TextTokens{relit_words(), ""};
}

}  // namespace logdepth::inline learned_relit
