#include "learned/word_problems/word_attention.hpp"

#include "learned/records/settings_json.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;

void settings(AttentionQuestion& question, SettingVisitor& visit) {
  visit("word", question.word);
  visit("words", question.words);
  visit("seed", question.seed);
}

Json levels_json(const std::vector<AttentionLevel>& levels) {
  Json json = Json::array();
  for (const AttentionLevel& level : levels)
    json.push_back({{"name", level.name}, {"note", level.note}, {"heads", level.heads}});
  return json;
}

std::vector<AttentionLevel> levels_from_json(const Json& json) {
  std::vector<AttentionLevel> levels;
  for (const Json& level : json)
    levels.push_back({level.at("name"), level.at("note"),
                      level.at("heads").get<std::vector<AttentionMatrix>>()});
  return levels;
}

}  // namespace

Json to_json(const AttentionQuestion& question) {
  AttentionQuestion copy = question;  // the list of settings serves readers too
  return settings_to_json([&](SettingVisitor& visit) { settings(copy, visit); });
}

AttentionQuestion attention_question_from_json(const nlohmann::json& json,
                                               const std::string& source) {
  AttentionQuestion question;
  read_settings(json, source, [&](SettingVisitor& visit) { settings(question, visit); });
  return question;
}

Json to_json(const WordAttention& attention) {
  return {{"word", levels_json(attention.word)},
          {"answers", attention.answers},
          {"mean", levels_json(attention.mean)},
          {"logits", attention.logits}};
}

WordAttention word_attention_from_json(const Json& json) {
  return {levels_from_json(json.at("word")), json.at("answers").get<std::vector<std::uint32_t>>(),
          levels_from_json(json.at("mean"))};
}

std::vector<std::string> letters_of_run(const RunRecord& record) {
  const auto* task = record.config.task.try_as<WordTaskConfig>();
  if (!task)
    throw InputError(record.folder + "/" + kRecordFile + ": task.kind: expected " +
                     WordTaskConfig().kind() + ", found " + record.config.task->kind());
  if (!task->asks_products()) {
    // Those of an automaton, a program, or a file.
    const RecordFields result(record.result, record.folder + "/" + kRecordFile + ": result");
    const RecordFields named = result.has("automaton") ? result.object("automaton")
                               : result.has("crasp")   ? result.object("crasp")
                                                       : result;
    std::vector<std::string> letters;
    for (const Json& letter : named.list("letters"))
      letters.push_back(letter.is_string() ? letter.get<std::string>() : "");
    return letters;
  }
  return task->products().letters;
}

}  // namespace logdepth::inline learned_word_problems
