#include "learned/encode_think_decode/lines_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/line_source.hpp"
#include "learned/records/task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_encode_think_decode {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<TokenLine>;

/// Numbers that the answers of one batch of a measurement are read off, at most.
constexpr std::size_t kMostLogits = std::size_t{1} << 26;
constexpr std::size_t kMeasuredAtOnce = 250;  ///< lines

/// How many lines were right, and how often the block ran at the tokens that answer.
struct Tally {
  std::size_t asked = 0, right = 0, loops = 0, looped = 0;

  Tally& operator+=(const Tally& other) {
    asked += other.asked;
    right += other.right;
    loops += other.loops;
    looped += other.looped;
    return *this;
  }
  void write(Json& json) const {
    json["asked"] = asked;
    json["right"] = right;
    if (looped > 0) json["mean_loops"] = static_cast<double>(loops) / static_cast<double>(looped);
  }
};

/// What is counted over all lines.
struct Totals {
  std::size_t tokens = 0, right_tokens = 0;
  std::uint32_t largest_loops = 0;  ///< 0: the model does not decide about them
};

Samples samples_of(const TokenLine* lines, std::size_t count, bool answers_only) {
  Samples samples;
  samples.count = count;
  const auto read = [](const TokenLine& line) {
    return line.question.size() + line.answer.size() - 1;  // the last token is a target only
  };
  for (std::size_t i = 0; i < count; ++i) samples.tokens = std::max(samples.tokens, read(lines[i]));
  samples.size = samples.tokens;
  samples.indices.assign(count * samples.tokens, 0);
  samples.targets.assign(samples.indices.size(), Samples::kIgnored);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> text = lines[i].question;
    text.insert(text.end(), lines[i].answer.begin(), lines[i].answer.end());
    const std::size_t length = read(lines[i]), row = i * samples.tokens;
    samples.lengths.push_back(static_cast<std::int32_t>(length));
    for (std::size_t k = 0; k < length; ++k) {
      samples.indices[row + k] = text[k];
      if (!answers_only || k + 1 >= lines[i].question.size())
        samples.targets[row + k] = text[k + 1];
    }
    if (answers_only)
      for (const std::size_t told : lines[i].told)
        samples.targets[row + told - 1] = lines[i].question[told];
  }
  return samples;
}

class LinesTask final : public Task {
 public:
  LinesTask(const LinesConfig& config, std::uint64_t seed) : config_(config) {
    require(config.batch >= 1 && config.batch <= 65536, "task.batch: expected 1 to 65536");
    require(config.length <= 65536, "task.length: expected at most 65536");
    require(config.validation >= 1 && config.validation <= 1U << 20,
            "task.validation: expected 1 to 1048576");
    source_ = config.text.empty() ? corpus_lines(config, seed) : file_lines(config, seed);
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {source_->vocabulary()};
    format.view = TaskFormat::View::causal;
    format.readout = TaskFormat::Readout::each_token;
    format.outputs = {source_->vocabulary()};
    return format;
  }

  Samples training_batch(std::size_t, std::uint64_t step) const override {
    Lines lines;
    for (std::uint32_t i = 0; i < config_.batch; ++i)
      lines.push_back(source_->training_line(step, i));
    return samples_of(lines.data(), lines.size(), config_.answers_only);
  }

  Json measure(const Predictor& predictor, std::size_t,
               const MeasureProgress& progress) const override {
    const std::vector<MeasuredLines> cells = source_->measured_lines(config_.validation);
    std::size_t done = 0, total = 0;
    for (const MeasuredLines& cell : cells) total += cell.lines.size();
    Totals totals;
    Json kinds = Json::array();
    for (std::size_t first = 0, next = 0; first < cells.size(); first = next) {
      Json entry = {{"kind", cells[first].kind}};
      Json difficulties = Json::array();
      Tally of_kind;
      for (; next < cells.size() && cells[next].kind == cells[first].kind; ++next) {
        const Tally tally = answered(predictor, cells[next].lines, totals);
        of_kind += tally;
        tally.write(difficulties.emplace_back(Json{{"difficulty", cells[next].difficulty}}));
        done += tally.asked;
        if (progress) progress(done, total);
      }
      of_kind.write(entry);
      entry["difficulties"] = std::move(difficulties);
      kinds.push_back(std::move(entry));
    }
    Json result = {{"kind", config_.kind()},
                   {"right_tokens",
                    static_cast<double>(totals.right_tokens) / static_cast<double>(totals.tokens)},
                   {"kinds", std::move(kinds)}};
    if (totals.largest_loops > 0) result["largest_loops"] = totals.largest_loops;
    return result;
  }

  Score score(const Predictor& predictor, std::size_t) const override {
    Tally all;
    Totals totals;
    for (const MeasuredLines& cell : source_->measured_lines(scored()))
      all += answered(predictor, cell.lines, totals);
    return {static_cast<double>(all.right) / static_cast<double>(all.asked)};
  }

  std::string score_name() const override {
    return fmt::format("share of right answers, {} of each kind and difficulty", scored());
  }

  std::string summary(const Json& result) const override {
    std::string text;
    for (const Json& entry : result["kinds"]) {
      text += (text.empty() ? "" : "; ") + entry["kind"].get<std::string>() + share(entry);
      if (entry["difficulties"].size() < 2) continue;
      std::string list;
      for (const Json& one : entry["difficulties"])
        list +=
            (list.empty() ? "" : ",") + fmt::format(" {}:", one["difficulty"].dump()) + share(one);
      text += " (" + list.substr(1) + ")";
    }
    return text;
  }

 private:
  std::uint32_t scored() const { return (config_.validation + 3) / 4; }

  static std::string share(const Json& entry) {
    std::string text =
        fmt::format(" {:.3f}", entry["right"].get<double>() / entry["asked"].get<double>());
    if (entry.contains("mean_loops"))
      text += fmt::format(" in {:.2f} iterations", entry["mean_loops"].get<double>());
    return text;
  }

  /// Shorter lines first, so that little is padded.
  Tally answered(const Predictor& predictor, Lines lines, Totals& totals) const {
    std::stable_sort(lines.begin(), lines.end(), [](const TokenLine& a, const TokenLine& b) {
      return a.question.size() + a.answer.size() < b.question.size() + b.answer.size();
    });
    const std::size_t longest =
        lines.empty() ? 1 : lines.back().question.size() + lines.back().answer.size();
    const std::size_t at_once =
        std::clamp(kMostLogits / longest / source_->vocabulary(), std::size_t{1}, kMeasuredAtOnce);
    Tally tally;
    for (std::size_t first = 0; first < lines.size(); first += at_once)
      tally += answered_at_once(predictor, lines.data() + first,
                                std::min(at_once, lines.size() - first), totals);
    return tally;
  }

  static Tally answered_at_once(const Predictor& predictor, const TokenLine* lines,
                                std::size_t count, Totals& totals) {
    const Samples samples = samples_of(lines, count, /*answers_only=*/false);
    const Answers answers = predictor.answers(samples, 0);
    const std::vector<std::uint32_t> loops = predictor.loops_taken(samples);
    Tally tally;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = i * samples.tokens;
      const auto length = static_cast<std::size_t>(samples.lengths[i]);
      bool right = true;
      for (std::size_t k = 0; k < length; ++k) {
        const bool right_token = answers.at(row + k) == samples.targets[row + k];
        const bool answering = k + 1 >= lines[i].question.size();
        ++totals.tokens;
        totals.right_tokens += right_token;
        right &= right_token || !answering;
        if (loops.empty()) continue;
        totals.largest_loops = std::max(totals.largest_loops, loops.at(row + k));
        if (!answering) continue;
        tally.loops += loops[row + k];
        ++tally.looped;
      }
      ++tally.asked;
      tally.right += right;
    }
    return tally;
  }

  LinesConfig config_;
  std::unique_ptr<LineSource> source_;
};

}  // namespace

std::unique_ptr<TaskSettings> LinesConfig::clone() const {
  return std::make_unique<LinesConfig>(*this);
}

void LinesConfig::visit(SettingVisitor& visit) {
  visit.file("text", text);
  visit.file("tokens", tokens);
  visit("phase", phase, {"base", "middle"});
  visit("mixture", mixture);
  visit("world", world);
  visit("length", length);
  visit("batch", batch);
  visit("answers_only", answers_only);
  visit("validation", validation);
}

std::unique_ptr<Task> LinesConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LinesTask>(*this, seed);
}

std::optional<TextTokens> LinesConfig::text_tokens() const {
  if (text.empty()) return TextTokens{etd_words(), ""};
  return TextTokens{{}, tokens};
}

std::uint64_t first_step(LinesConfig::Phase phase) {
  return phase == LinesConfig::Phase::base ? 0 : std::uint64_t{1} << 40;
}

}  // namespace logdepth::inline learned_encode_think_decode
