#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/data_output.hpp"
#include "cli/validators.hpp"
#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/line_source.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/language_model/words.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/relit/rule_questions.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline cli {
namespace {

using Json = nlohmann::ordered_json;

struct LinesOptions {
  std::string use = "training", phase = "base", format = "jsonl";
  DataOutput output;
  std::uint64_t lines = 1000, seed = 1, world = 1;
};

struct RulesOptions {
  std::string world = "closed", negation;
  std::vector<std::uint32_t> depths = {0, 1, 2, 3};
  DataOutput output;
  std::uint64_t questions = 1000, seed = 1;
};

/// `of_kind`: more of the line's object; empty where the line does not know what it is of.
void write_line(const TokenLine& line, const Json& of_kind, bool as_text, std::ostream& out) {
  static const WordTokeniser kWords(etd_words());
  const std::string question = kWords.decode(line.question);
  if (as_text) {  // a paragraph
    out << question << ' ' << kWords.decode(line.answer) << "\n\n";
    return;
  }
  const std::span<const std::int32_t> answer(line.answer.data(), line.answer.size() - 1);  // no end
  Json json = {{"question", question}, {"answer", kWords.decode(answer)}};
  json.update(of_kind);
  out << json.dump() << '\n';
}

int data_lines(const LinesOptions& options) {
  require(options.lines > 0, "--lines: expected at least 1");
  require(options.use == "training" || options.phase == "base",
          "--phase requires --use training; both phases have the same test lines");
  LinesConfig config;
  config.world = options.world;
  if (options.phase == "middle") config.phase = LinesConfig::Phase::middle;
  const std::unique_ptr<LineSource> source = corpus_lines(config, options.seed);
  const bool as_text = options.format == "text";
  return options.output.write([&](std::ostream& out) {
    if (options.use == "training") {
      const std::uint64_t batch = config.batch;
      for (std::uint64_t i = 0; i < options.lines && out; ++i)
        write_line(source->training_line(i / batch, i % batch), Json::object(), as_text, out);
      return;
    }
    for (const MeasuredLines& cell :
         source->measured_lines(static_cast<std::uint32_t>(options.lines)))
      for (const TokenLine& line : cell.lines)
        write_line(line, {{"kind", cell.kind}, {"difficulty", cell.difficulty}}, as_text, out);
  });
}

RuleSettings settings_of(const RulesOptions& options) {
  RuleSettings rules = rule_settings(options.world == "open" ? RuleWorld::open : RuleWorld::closed);
  if (options.negation == "none") rules.negation = RuleSettings::Negation::none;
  if (options.negation == "facts") rules.negation = RuleSettings::Negation::facts;
  if (options.negation == "rules") rules.negation = RuleSettings::Negation::rules;
  return rules;
}

int data_rules(const RulesOptions& options) {
  require(options.questions > 0, "--questions: expected at least 1");
  const RuleSettings rules = settings_of(options);
  check_rule_settings(rules);
  const std::uint32_t answers = rules.world == RuleWorld::open ? 3 : 2;
  return options.output.write([&](std::ostream& out) {
    for (std::uint64_t i = 0; i < options.questions && out; ++i) {
      CounterRandom random(options.seed, RandomStream::data_files, 1, i);
      const RuleQuestion question =
          rule_question(rules, options.depths[i / answers % options.depths.size()],
                        static_cast<RuleAnswer>(i % answers), random);
      out << Json{{"question", question.prompt()},
                  {"answer", rule_answer_word(question.answer)},
                  {"kind", options.world + "-world"},
                  {"difficulty", question.depth}}
                 .dump()
          << '\n';
    }
  });
}

}  // namespace

Command add_data_lines(CLI::App& data) {
  auto options = std::make_shared<LinesOptions>();
  CLI::App* command = data.add_subcommand(
      "lines",
      "write the corpus of 'train etd': questions of five kinds with their answers, as JSON lines "
      "or text\nExample: logdepth data lines --use test --lines 200 -o questions.jsonl");
  command
      ->add_option("--use", options->use,
                   "training: the training lines of a run with this seed, in their order; test: "
                   "its test lines")
      ->check(choice_of({"training", "test"}))
      ->capture_default_str();
  command
      ->add_option("--lines", options->lines,
                   "number of lines; with --use test, per kind and difficulty")
      ->check(kSmallCount)
      ->capture_default_str();
  command
      ->add_option("--phase", options->phase,
                   "training phase: base, or middle (with more reasoning)")
      ->check(choice_of({"base", "middle"}))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the run")
      ->check(kCount)
      ->capture_default_str();
  command->add_option("--world", options->world, "number that selects the facts to recall")
      ->check(kCount)
      ->capture_default_str();
  command
      ->add_option("--format", options->format,
                   "jsonl: objects with question, answer and, with --use test, kind and "
                   "difficulty; text: paragraphs for 'lm angular --text'")
      ->check(choice_of({"jsonl", "text"}))
      ->capture_default_str();
  options->output.add(*command);
  return [options] { return data_lines(*options); };
}

Command add_data_rules(CLI::App& data) {
  auto options = std::make_shared<RulesOptions>();
  CLI::App* command = data.add_subcommand(
      "rules",
      "write the questions of 'train relit' about facts and rules, with known proof depth, as JSON "
      "lines with question, answer, kind and difficulty\nExample: logdepth data rules --world open "
      "--depths 0,1,2 --questions 5000 -o rules.jsonl");
  command
      ->add_option("--questions", options->questions,
                   "number of questions, balanced over answers and depths")
      ->check(kSmallCount)
      ->capture_default_str();
  command
      ->add_option("--world", options->world,
                   "statements that do not follow are false (closed) or unknown (open)")
      ->check(choice_of({"closed", "open"}))
      ->capture_default_str();
  command
      ->add_option("--negation", options->negation,
                   "place of \"not\": none, facts (default of a closed world), rules (default of "
                   "an open world)")
      ->check(choice_of({"none", "facts", "rules"}));
  command->add_option("--depths", options->depths, "proof depths")
      ->delimiter(',')
      ->check(CLI::Range(0U, kDeepestProof))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the questions")
      ->check(kCount)
      ->capture_default_str();
  options->output.add(*command);
  return [options] { return data_rules(*options); };
}

}  // namespace logdepth::inline cli
