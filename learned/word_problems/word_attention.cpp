#include "learned/word_problems/word_attention.hpp"

#include <fmt/core.h>

#include "base/phrases.hpp"
#include "learned/records/settings.hpp"
#include "learned/word_problems/labelling.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"

namespace logdepth { inline namespace learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;

void settings(AttentionQuestion& question, SettingVisitor& visit) {
  visit("word", question.word);
  visit("words", question.words);
  visit("seed", question.seed);
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

namespace {

BandRow sources_row(const std::string& label,
                    const std::vector<std::optional<AttentionSource>>& sources) {
  BandRow row{.label = label, .quiet = true};
  for (const auto& source : sources)
    row.texts.push_back(source ? std::to_string(source->position) : "\xC2\xB7");
  return row;
}

Band band_of(const AttentionLevel& level) {
  Band band{.name = level.name, .note = level.note};
  for (std::size_t head = 0; head < level.heads.size(); ++head) {
    band.styles.push_back(head);
    for (std::size_t i = 0; i < level.heads[head].size(); ++i)
      for (std::size_t j = 0; j < level.heads[head][i].size(); ++j)
        if (const double share = level.heads[head][i][j]; share >= kLeastDrawn)
          band.lines.push_back({i, j, head, share});
  }
  return band;
}

/// "12034", or "g17" where the images are no digits or too many.
std::string element_text(std::uint32_t element, const Transformation& images) {
  if (images.size() > 6) return fmt::format("g{}", element);
  std::string digits;
  for (const std::uint32_t image : images) digits += std::to_string(image);
  return digits;
}

std::string fit_text(const PrefixCircuit& circuit) {
  std::vector<std::string> parts;
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p)
    parts.push_back(
        fmt::format("{} {} positions", pattern_name(kPrefixPatterns[p]),
                    share_text(circuit.fits[p].positions, circuit.fits[p].of_positions)));
  return joined(parts);
}

}  // namespace

TokenBands learned_bands(const RunRecord& record, const std::vector<std::string>& letters,
                         const WordAttention& attention, const PrefixCircuit& circuit) {
  const auto& task = record.config.task.as<WordTaskConfig>();
  const ModelConfig& model = record.config.model;
  TokenBands bands;
  bands.title = "learned: " + task.monoid;
  bands.subtitle =
      fmt::format("shape ({}, {}, {}), width {} \xC2\xB7 {} \xC2\xB7 {}", model.initial,
                  model.repeated, model.final, model.width, counted(letters.size(), "letter"),
                  counted(attention.word.size(), "layer run", "layers run"));
  bands.first_position = 1;
  for (std::size_t head = 0; head < attention.word.front().heads.size(); ++head)
    bands.styles.push_back(band_style(head, fmt::format("head {}", head + 1)));
  for (const std::string& letter : letters) bands.tokens.push_back({letter});
  const PrefixCircuit on_word = prefix_circuit(attention.word);
  for (std::size_t level = 0; level < attention.word.size(); ++level) {
    bands.bands.push_back(band_of(attention.word[level]));
    bands.bands.back().rows = {sources_row("reads", on_word.levels[level].sources),
                               sources_row("in the mean", circuit.levels[level].sources)};
  }

  const MonoidTable table = make_monoid_table(task.monoid, task.named_letters());
  const ProductQuestion question = task.products();
  BandRow products{.label = "prefix product", .bold = true};
  std::vector<std::string> wrong;
  std::uint32_t product = table.identity;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto letter = std::find(question.letters.begin(), question.letters.end(), letters[i]);
    product = table.times(
        product, table.letters[static_cast<std::size_t>(letter - question.letters.begin())]);
    products.texts.push_back(
        element_text(attention.answers[i], question.elements[attention.answers[i]]));
    if (attention.answers[i] != product) wrong.push_back(std::to_string(i + 1));
  }
  bands.results = {products};
  const bool begins = task.positions == WordTaskConfig::Positions::begin;
  bands.notes = {"lines: attention of at least " + percent_text(kLeastDrawn) +
                     "; reads: the other position with most of it, heads together" +
                     (begins ? "; none to the begin token" : ""),
                 "in the mean of random words: " + circuit_name(circuit), fit_text(circuit),
                 wrong.empty() ? "all prefix products are right"
                               : "prefix products are wrong at " + joined(wrong)};
  return bands;
}

}}  // namespace logdepth::learned_word_problems
