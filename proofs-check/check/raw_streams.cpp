#include "proofs-check/check/raw_streams.hpp"

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_check {

StreamDomain::StreamDomain(const Model& model, Outputs outputs,
                           const std::vector<std::string>& blank)
    : TestDomain(model), outputs_(std::move(outputs)) {
  const auto* output = std::get_if<CellsOutput>(&model.output);
  if (!output || !std::holds_alternative<CellsInput>(model.input))
    throw InputError("the weights file " + in_quotes(model.name) +
                     " does not take raw streams and answer with cells");
  names_ = output->names;
  for (const std::string& cell : blank) {
    const auto found = model.cells.find(cell);
    if (found == model.cells.end())
      throw InputError("the weights file " + in_quotes(model.name) + " has no cell " +
                       in_quotes(cell));
    blank_.emplace_back(cell, found->second.coordinates);
  }
}

Outcome<Tokens> StreamDomain::tokens(const RawInput& input) const {
  return tokens_of(model_, input.rows);
}

std::optional<Failure> StreamDomain::judge(const RawInput& input, DecidedRun& run,
                                           ComparedCounts& counts) {
  const auto right = outputs_(input);
  for (std::size_t token = 0; token < right.size(); ++token) {
    if (right[token].empty()) continue;
    NamedNumbers wanted{token, names_, {}};
    for (const Real& value : right[token]) wanted.values.push_back(value.text());
    const auto same = run.has_logits(token, right[token]);
    if (!same.has_value()) return NoAnswer{wanted, same.refusal()};
    ++counts.answers;
    if (same.value()) continue;
    const auto got = run.logits(token);
    if (!got.has_value()) return NoAnswer{wanted, got.refusal()};
    return WrongAnswer{wanted, NamedNumbers{token, names_, got.value()}};
  }
  for (const auto& [cell, coordinates] : blank_)
    for (std::size_t token = 0; token < run.tokens(); ++token)
      for (const std::uint32_t coordinate : coordinates)
        if (const auto left = run.nonzero(token, coordinate)) return CellLeft{cell, *left, token};
  return std::nullopt;
}

CaseGenerator<RawInput> streams_by_size(
    const std::function<std::vector<RawInput>(std::size_t size)>& inputs, std::size_t from,
    std::size_t up_to) {
  return {[inputs, up_to, size = from, listed = std::vector<RawInput>(),
           at = std::size_t{0}]() mutable -> std::optional<AskedCase<RawInput>> {
            while (at == listed.size()) {
              if (size > up_to) return std::nullopt;
              listed = inputs(size++);
              at = 0;
            }
            return AskedCase<RawInput>{CaseStage::exhaustive, {std::move(listed[at++])}};
          },
          up_to + 1 - from};
}

std::vector<Real> phi_values(const Rational& z) {
  const auto code = phi_code(z);
  return {code.begin(), code.end()};
}

std::vector<Real> beside(std::initializer_list<std::vector<Real>> cells) {
  std::vector<Real> values;
  for (const std::vector<Real>& cell : cells) values.insert(values.end(), cell.begin(), cell.end());
  return values;
}

}}  // namespace logdepth::proofs_check_check
