#include "library/runs/run_answers.hpp"

#include <utility>

#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/numbers/float_text.hpp"

namespace logdepth::inline library_runs {
namespace {

bool names_numbers(const Model& model) {
  return std::holds_alternative<CellsOutput>(model.output);
}

}  // namespace

bool answers_all_pairs(const Model& model) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  return graph && graph->layout == GraphInput::Layout::rows;
}

std::string text(const ReadNumber& number) {
  return number.exact.empty() ? shortest_text(number.value) : number.exact;
}

void RunAnswers::announce(const std::vector<std::vector<std::string>>& words) {
  engine_->announce(words);
  announced_ = words.size();
  asked_ = 0;
}

RunAnswer RunAnswers::word(const std::vector<std::string>& letters) {
  std::optional<std::size_t> announced;
  if (asked_ < announced_) announced = asked_++;
  return read(run([&] { return tokens_of(model_, letters); }, announced),
              [&](RunAnswer& answer) { read_last(letters.size(), reading_.every_token, answer); });
}

RunAnswer RunAnswers::pair(const Graph& graph, Vertex source, Vertex target, bool same_graph) {
  if (!same_graph) all_pairs_.reset();
  RunAnswer ran =
      all_pairs_ ? *all_pairs_ : run([&] { return tokens_of(model_, graph, source, target); });
  if (answers_all_pairs(model_) && !ran.limit) all_pairs_ = ran;
  return read(std::move(ran), [&](RunAnswer& answer) {
    if (names_numbers(model_)) return read_numbers(0, answer);
    read_verdict(engine_->connected(source, target), answer);
  });
}

RunAnswer RunAnswers::streams(const std::function<Outcome<Tokens>()>& tokens) {
  return read(run(tokens), [&](RunAnswer& answer) { read_last(0, true, answer); });
}

RunAnswer RunAnswers::division(const std::vector<std::vector<Real>>& rows) {
  return read(run([&] { return declared_tokens(model_, rows); }), [&](RunAnswer& answer) {
    read_last(0, reading_.every_token, answer);
    if (answer.numbers.empty()) return;
    std::vector<std::string> logits;
    for (const ReadNumber& number : answer.numbers.back()) logits.push_back(text(number));
    answer.divided = divided_numbers(model_, logits);
  });
}

RunAnswer RunAnswers::run(const std::function<Outcome<Tokens>()>& tokens,
                          std::optional<std::size_t> announced) {
  RunAnswer answer;
  bool ran = false;
  try {
    const Outcome<Tokens> made = tokens();
    if (look_) look_(made);
    if (!made.has_value()) {
      answer.refusal = made.refusal();
      return answer;
    }
    ran = true;
    answer.refusal =
        announced ? engine_->run_announced(*announced, made.value()) : engine_->run(made.value());
    if (!answer.refusal) answer.depth = depth_at(model_, made.value().size);
  } catch (const SizeLimit& limit) {
    answer.limit = limit.what();
  }
  if (ran) answer.broken_promise = engine_->broken_promise();
  if (ran) answer.left_field = engine_->left_field();
  return answer;
}

RunAnswer RunAnswers::read(RunAnswer ran, const std::function<void(RunAnswer&)>& reader) {
  if (!ran.depth) return ran;
  try {
    reader(ran);
  } catch (const SizeLimit& limit) {
    ran.limit = limit.what();
  }
  return ran;
}

void RunAnswers::read_verdict(const Read<bool>& verdict, RunAnswer& answer) const {
  if (!verdict.has_value()) {
    answer.refusal = verdict.refusal();
    return;
  }
  answer.verdict = verdict.value().value;
  answer.certificate = verdict.value().certificate;
  answer.reason = verdict.value().reason;
}

void RunAnswers::read_numbers(std::size_t first_token, RunAnswer& answer) {
  if (answer.left_field && !reading_.nested) {
    answer.refusal = OutsideField{*answer.left_field};
    answer.depth.reset();
    return;
  }
  for (std::size_t token = first_token; token < engine_->tokens(); ++token) {
    auto read = engine_->numbers(token);
    if (!read.has_value()) {
      answer.refusal = read.refusal();
      answer.numbers.clear();
      return;
    }
    auto found = std::move(read).value();
    if (answer.certificate == Certificate::certified) {
      answer.certificate = found.certificate;
      answer.reason = std::move(found.reason);
    }
    answer.numbers.push_back(std::move(found.value));
  }
}

void RunAnswers::read_last(std::size_t letters, bool every_token, RunAnswer& answer) {
  const std::size_t last = engine_->tokens() - 1;
  if (names_numbers(model_)) return read_numbers(every_token ? 0 : last, answer);
  if (reading_.prefixes && reads_prefixes(model_)) {
    answer.prefixes.emplace();
    for (std::size_t i = 0; i < letters; ++i) answer.prefixes->push_back(engine_->prefix(i));
  }
  read_verdict(engine_->accepts(last), answer);
}

}  // namespace logdepth::inline library_runs
