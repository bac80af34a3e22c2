#include "learned/core/language_model_requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "learned/core/network_predictor.hpp"
#include "learned/language_model/token_sequences.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_core {
namespace {

/// Of one pass: logits of 49152 tokens take 100 MB.
constexpr std::size_t kTokensAtOnce = 512;
constexpr std::int64_t kLikeliestShown = 5;

struct MeanAndError {
  double mean = 0, error = 0;  ///< of the mean: deviation / sqrt(number)
};
/// Precondition: at least two values.
MeanAndError mean_and_error(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

std::size_t rows_at_once(const TokenSequences& sequences) {
  return std::max<std::size_t>(1, kTokensAtOnce / sequences.front().size());
}
std::size_t passes(const TokenSequences& sequences) {
  const std::size_t rows = rows_at_once(sequences);
  return (sequences.size() + rows - 1) / rows;
}

/// Sequences side by side as a batch whose targets are the next tokens.
Batch batch_of(const UniversalTransformer& model, const TokenSequences& sequences,
               std::size_t first, std::size_t last) {
  Samples samples;
  samples.count = last - first;
  samples.tokens = sequences.front().size();
  samples.size = samples.tokens;
  for (std::size_t row = first; row < last; ++row) {
    const std::vector<std::int32_t>& tokens = sequences[row];
    samples.indices.insert(samples.indices.end(), tokens.begin(), tokens.end());
    samples.targets.insert(samples.targets.end(), tokens.begin() + 1, tokens.end());
    samples.targets.push_back(Samples::kIgnored);
  }
  return to_batch(samples, model.format(), model.device(), model.type());
}

void for_each_pass(const UniversalTransformer& model, const TokenSequences& sequences,
                   const std::function<void()>& after_pass,
                   const std::function<void(const Batch&)>& work) {
  const torch::NoGradGuard no_grad;
  const std::size_t rows = rows_at_once(sequences);
  for (std::size_t first = 0; first < sequences.size(); first += rows) {
    work(batch_of(model, sequences, first, std::min(first + rows, sequences.size())));
    after_pass();
  }
}

/// Puts the mean loss of each sample of a batch at the end of `losses`.
void append_losses(const Tensor& logits, const Batch& batch, std::vector<double>& losses) {
  const Tensor targets = batch.targets.select(-1, 0);
  const Tensor by_token = torch::cross_entropy_loss(logits.flatten(0, 1), targets.flatten(), {},
                                                    at::Reduction::None, Samples::kIgnored)
                              .view_as(targets)
                              .to(torch::kCPU, torch::kFloat64);
  const Tensor means = by_token.sum(1) / static_cast<double>(targets.size(1) - 1);
  const double* const first = means.data_ptr<double>();
  losses.insert(losses.end(), first, first + means.numel());
}

/// The angle between states [B, width], as a share of a half turn: [B], in double.
Tensor angles(const Tensor& before, const Tensor& after) {
  const Tensor x = before.to(torch::kCPU, torch::kFloat64);
  const Tensor y = after.to(torch::kCPU, torch::kFloat64);
  const Tensor cosine = (x * y).sum(-1) / (x.norm(2, -1) * y.norm(2, -1));
  return torch::acos(cosine.clamp(-1, 1)) / std::numbers::pi;
}

}  // namespace

std::vector<std::vector<double>> sequence_losses(const UniversalTransformer& model,
                                                 const TokenSequences& sequences,
                                                 const std::vector<std::uint32_t>& loops,
                                                 const std::function<void()>& after_pass) {
  std::vector<std::vector<double>> losses(std::max<std::size_t>(1, loops.size()));
  for_each_pass(model, sequences, after_pass, [&](const Batch& batch) {
    PassOptions options;
    options.loops = loops.empty() ? model.loops_of(batch) : loops.back();
    PassTrace trace;
    if (!loops.empty()) trace.read_after.assign(loops.begin(), loops.end() - 1);
    const Tensor last = model(batch, options, &trace);
    for (std::size_t i = 0; i < trace.logits.size(); ++i)
      append_losses(trace.logits[i], batch, losses[i]);
    append_losses(last, batch, losses.back());
  });
  return losses;
}

AngularCurve angular_curve(const UniversalTransformer& model, const TokenSequences& sequences,
                           const std::function<void()>& after_pass) {
  std::vector<std::vector<double>> by_layer;
  for_each_pass(model, sequences, after_pass, [&](const Batch& batch) {
    std::size_t layer = 0;
    const std::int64_t last = batch.indices.size(1) - 1;
    const Probe probe = [&](const ProbeView& seen) {
      if (by_layer.size() == layer) by_layer.emplace_back();
      const Tensor turned = angles(seen.before.select(1, last), seen.after.select(1, last));
      const double* const first = turned.data_ptr<double>();
      std::vector<double>& all = by_layer[layer];
      all.insert(all.end(), first, first + turned.numel());
      ++layer;
    };
    PassOptions options;
    options.probe = &probe;
    model.hidden(batch, options);
  });
  AngularCurve curve;
  for (std::size_t layer = 0; layer < by_layer.size(); ++layer) {
    const MeanAndError mean = mean_and_error(by_layer[layer]);
    if (!std::isfinite(mean.mean))
      throw InputError(fmt::format(
          "layer {}: expected finite states other than zero before and behind it", layer));
    curve.distances.push_back(mean.mean);
    curve.standard_errors.push_back(mean.error);
  }
  return curve;
}

void measure_loops(UniversalTransformer& model, const TokenSequences& sequences,
                   const std::vector<std::uint32_t>& blocks,
                   const std::vector<std::uint32_t>& loops, const PassProgress& progress,
                   LoopsWithoutTraining& measured) {
  const std::uint32_t layers = measured.model.layers;
  std::size_t total = 1, done = 0;
  for (const std::uint32_t block : blocks) total += layers - block + 1;
  total *= passes(sequences);
  const auto after_pass = [&] { progress(++done, total); };
  const std::vector<double> plain = sequence_losses(model, sequences, {1}, after_pass).front();
  const MeanAndError plain_loss = mean_and_error(plain);
  measured.loss = plain_loss.mean;
  measured.standard_error = plain_loss.error;
  measured.tokens = sequences.size() * (sequences.front().size() - 1);
  for (const std::uint32_t block : blocks)
    for (std::uint32_t first = 0; first + block <= layers; ++first) {
      model.cut(first, block);
      const auto looped = sequence_losses(model, sequences, loops, after_pass);
      for (std::size_t i = 0; i < loops.size(); ++i) {
        std::vector<double> differences;
        for (std::size_t row = 0; row < plain.size(); ++row)
          differences.push_back(looped[i][row] - plain[row]);
        const MeanAndError loss = mean_and_error(looped[i]);
        const MeanAndError difference = mean_and_error(differences);
        measured.shapes.push_back({first, block, loops[i], layers - first - block, loss.mean,
                                   loss.error, difference.mean, difference.error});
      }
    }
  model.cut(layers, 0);
}

std::vector<std::int32_t> greedy_continuation(const UniversalTransformer& model,
                                              const std::vector<std::int32_t>& prompt,
                                              std::int32_t end, std::size_t most) {
  const std::vector<std::int32_t> text =
      predictor_of(model, TrainingConfig::Precision::float32)
          .continued(samples_of_texts({prompt}), end, prompt.size() + most)
          .front();
  return {text.begin() + static_cast<std::ptrdiff_t>(prompt.size()), text.end()};
}

namespace {

using Json = nlohmann::ordered_json;

/// The last part of the path, as "SmolLM2-135M-Instruct.Q4_1" of a GGUF file.
std::string name_of(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::absolute(path).lexically_normal();
  const std::filesystem::path last = normal.has_filename() ? normal : normal.parent_path();
  // The folder of a run is called by its seed: what it is a run of says the one above.
  const std::filesystem::path name = last.filename().string().starts_with("seed-")
                                         ? last.parent_path().filename() / last.filename()
                                         : last.filename();
  return last.extension() == ".gguf" ? last.stem() : name;
}

/// Errors: InputError where the model has loops of its own.
MeasuredModel measured_model(const LanguageModelFile& file) {
  if (const ModelConfig& model = file.model(); model.repeated + model.final > 0)
    throw InputError(fmt::format(
        "{}: expected a model without loops, found {} initial, {} repeated and {} final layers; "
        "logdepth lm save writes it without",
        file.path(), model.initial, model.repeated, model.final));
  return {name_of(file.path()), file.architecture(), file.model().initial, file.parameter_count()};
}

TokenSequences sequences_of(const ModelRequest& request, const LanguageModelFile& file,
                            const Tokeniser& tokeniser) {
  if (request.length < 2 || request.length > file.context())
    throw InputError(fmt::format("--length: expected 2 to {}, the context of {}, found {}",
                                 file.context(), file.path(), request.length));
  return token_sequences(request.text, tokeniser, request.sequences, request.length);
}

MeasuredText measured_text(const ModelRequest& request, const TokenSequences& sequences) {
  return {name_of(request.text), static_cast<std::uint32_t>(sequences.size()), request.length};
}

/// The tokens of the prompt, with the one that begins a text. Errors: InputError where it has no
/// tokens, or the context no room for what is to follow.
std::vector<std::int32_t> prompt_tokens(const ModelRequest& request, const LanguageModelFile& file,
                                        const Tokeniser& tokeniser) {
  std::vector<std::int32_t> tokens =
      tokens_of(request.prompt, tokeniser, "--prompt", SpecialTokens::recognised);
  if (const auto begin = tokeniser.begin()) tokens.insert(tokens.begin(), *begin);
  if (tokens.empty()) throw InputError("--prompt: expected a text with tokens in it, found none");
  if (tokens.size() + request.tokens > file.context())
    throw InputError(fmt::format(
        "--prompt: expected a text that leaves room for {} more tokens in the context of {} that "
        "{} has, found {} tokens",
        request.tokens, file.context(), file.path(), tokens.size()));
  return tokens;
}

Json likeliest(const UniversalTransformer& model, const std::vector<std::int32_t>& prompt,
               const Tokeniser& tokeniser) {
  const torch::NoGradGuard no_grad;
  const Batch batch = batch_of(model, {prompt}, 0, 1);
  PassOptions options;
  options.loops = model.loops_of(batch);
  const Tensor state = model.hidden(batch, options).select(1, batch.indices.size(1) - 1);
  const Tensor probabilities =
      torch::softmax(model.unembed(state, TrainingConfig::Precision::float32), -1)
          .to(torch::kCPU, torch::kFloat64)
          .flatten();
  const auto [best, tokens] =
      probabilities.topk(std::min<std::int64_t>(kLikeliestShown, probabilities.numel()));
  Json list = Json::array();
  for (std::int64_t i = 0; i < best.numel(); ++i) {
    const std::int32_t token = static_cast<std::int32_t>(tokens.data_ptr<std::int64_t>()[i]);
    // An embedding may have more rows than there are tokens.
    const bool known = static_cast<std::uint32_t>(token) < tokeniser.size();
    list.push_back({{"token", token},
                    {"text", known ? tokeniser.decode_behind({&token, 1}) : ""},
                    {"probability", best.data_ptr<double>()[i]}});
  }
  return list;
}

Json answer_text(const ModelRequest& request, const LanguageModelFile& file, torch::Device device,
                 const PassProgress& progress) {
  const std::shared_ptr<const Tokeniser> tokeniser = file.tokens();
  // Everything is refused before numbers are read.
  TokenSequences sequences;
  std::vector<std::int32_t> prompt;
  if (!request.text.empty()) sequences = sequences_of(request, file, *tokeniser);
  if (!request.prompt.empty()) prompt = prompt_tokens(request, file, *tokeniser);
  const auto model = open_language_model(file, device);
  Json answer = Json::object();
  if (!sequences.empty()) {
    std::size_t done = 0;
    const MeanAndError loss = mean_and_error(sequence_losses(*model, sequences, {1}, [&] {
                                               progress(++done, passes(sequences));
                                             }).front());
    answer["text"] = {{"name", measured_text(request, sequences).name},
                      {"sequences", sequences.size()},
                      {"length", request.length},
                      {"tokens", sequences.size() * (request.length - 1)},
                      {"loss", loss.mean},
                      {"standard_error", loss.error}};
  }
  if (!prompt.empty()) {
    const std::vector<std::int32_t> more =
        greedy_continuation(*model, prompt, tokeniser->end().value_or(-1), request.tokens);
    answer["prompt"] = {{"tokens", prompt},
                        {"next", likeliest(*model, prompt, *tokeniser)},
                        {"continuation", more},
                        {"continuation_text", tokeniser->decode_behind(more)}};
  }
  return answer;
}

Json answer_angular(const ModelRequest& request, const LanguageModelFile& file,
                    torch::Device device, const PassProgress& progress) {
  AngularDistances measured;
  measured.model = measured_model(file);
  const TokenSequences sequences = sequences_of(request, file, *file.tokens());
  measured.text = measured_text(request, sequences);
  const auto model = open_language_model(file, device);
  std::size_t done = 0;
  AngularCurve curve =
      angular_curve(*model, sequences, [&] { progress(++done, passes(sequences)); });
  measured.distances = std::move(curve.distances);
  measured.standard_errors = std::move(curve.standard_errors);
  return to_json(measured);
}

std::vector<std::uint32_t> growing(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Json answer_loops(const ModelRequest& request, const LanguageModelFile& file, torch::Device device,
                  const PassProgress& progress) {
  LoopsWithoutTraining measured;
  measured.model = measured_model(file);
  const std::uint32_t layers = measured.model.layers;
  for (const std::uint32_t block : request.blocks)
    if (block < 1 || block > layers)
      throw InputError(fmt::format("--blocks: expected 1 to {}, the layers of {}, found {}", layers,
                                   file.path(), block));
  for (const std::uint32_t count : request.loops)
    if (count < 1 || count > kLoopLimit)
      throw InputError(fmt::format("--loops: expected 1 to {}, found {}", kLoopLimit, count));
  const TokenSequences sequences = sequences_of(request, file, *file.tokens());
  measured.text = measured_text(request, sequences);
  const auto model = open_language_model(file, device);
  measure_loops(*model, sequences, growing(request.blocks), growing(request.loops), progress,
                measured);
  return to_json(measured);
}

}  // namespace

Json answer_request(const ModelRequest& request, torch::Device device,
                    const PassProgress& progress) {
  const LanguageModelFile file(request.model);
  switch (request.ask) {
    case ModelRequest::Ask::angular:
      return answer_angular(request, file, device, progress);
    case ModelRequest::Ask::loops:
      return answer_loops(request, file, device, progress);
    case ModelRequest::Ask::text:
      return answer_text(request, file, device, progress);
  }
  return {};
}

}  // namespace logdepth::inline learned_core
