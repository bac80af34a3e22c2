#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "learned/core/language_model.hpp"
#include "learned/language_model/model_measurements.hpp"
#include "learned/language_model/model_request.hpp"

namespace logdepth::inline learned_core {

using TokenSequences = std::vector<std::vector<std::int32_t>>;
/// Told how many passes of how many are done.
using PassProgress = std::function<void(std::size_t done, std::size_t total)>;

/// The mean loss per token (nats) of each sequence, of every token but the first. `loops`: growing
/// numbers of passes through the repeated layers; empty: the one of the model's own rule. Result:
/// [loops][sequences]. Precondition: the sequences are of one length of at least 2.
std::vector<std::vector<double>> sequence_losses(const UniversalTransformer& model,
                                                 const TokenSequences& sequences,
                                                 const std::vector<std::uint32_t>& loops,
                                                 const std::function<void()>& after_pass);

struct AngularCurve {
  std::vector<double> distances, standard_errors;  ///< of each layer
};
/// arccos of the cosine between the residual stream of the last token before and behind each layer,
/// as a share of a half turn. Errors: InputError where a stream is zero.
AngularCurve angular_curve(const UniversalTransformer& model, const TokenSequences& sequences,
                           const std::function<void()>& after_pass);

/// The plain model, then every position of blocks of so many layers, passed so often. The model is
/// cut anew for each, and left uncut. `measured` knows model and text. Precondition: it is uncut.
void measure_loops(UniversalTransformer& model, const TokenSequences& sequences,
                   const std::vector<std::uint32_t>& blocks,
                   const std::vector<std::uint32_t>& loops, const PassProgress& progress,
                   LoopsWithoutTraining& measured);

/// The tokens that follow a prompt, each the likeliest, until `most` are there or the end of the text
/// is. Read token by token on a cache of keys and values.
std::vector<std::int32_t> greedy_continuation(const UniversalTransformer& model,
                                              const std::vector<std::int32_t>& prompt,
                                              std::int32_t end, std::size_t most);

/// What a request asks for, measured: of Ask::angular and Ask::loops the measurement as
/// model_measurements has it; of Ask::text {"text": {..., "tokens", "loss", "standard_error"},
/// "prompt": {"tokens", "next": [{"token", "text", "probability"}], "continuation": [tokens],
/// "continuation_text"}}, each where it was asked for. Errors: InputError naming the option of
/// `logdepth lm` or the file that does not fit.
nlohmann::ordered_json answer_request(const ModelRequest& request, torch::Device device,
                                      const PassProgress& progress);

}  // namespace logdepth::inline learned_core
