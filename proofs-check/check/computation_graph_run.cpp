#include "proofs-check/check/computation_graph_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline proofs_check_check {
namespace {

[[noreturn]] void refuse_file(const Model& model, const std::string& reason) {
  throw InputError("the weights file " + in_quotes(model.name) +
                   " is not about computation graphs: " + reason);
}

}  // namespace

ComputationGraphFile computation_graph_file(const Model& model) {
  const auto* output = std::get_if<CellsOutput>(&model.output);
  if (!std::holds_alternative<WordInput>(model.input) || !output)
    refuse_file(model, "it does not answer words with named values");
  if (model.unroll.kind != Unroll::Kind::fixed || model.shape.repeated == 0)
    refuse_file(model, "it has no block that is repeated a fixed number of times");
  ComputationGraphFile file;
  file.iterations = model.unroll.loops;
  file.prime = static_cast<std::uint32_t>(std::max<std::size_t>(output->names.size(), 2) - 2);
  std::vector<std::string> expected;
  for (std::uint32_t v = 0; v < file.prime; ++v) expected.push_back(std::to_string(v));
  expected.insert(expected.end(), {"empty", "n/a"});
  if (file.prime == 0 || output->names != expected)
    refuse_file(model, "expected the outputs 0 to p-1, empty and n/a");
  const std::set<std::string> letters(model.alphabet.begin(), model.alphabet.end());
  while (letters.contains(fmt::format("x{}", file.names))) ++file.names;
  if (file.names == 0) refuse_file(model, "expected the letters x0, x1 and so on");
  const std::string* said = text_in(model.parameters, "operands");
  file.operands = said && *said == "1" ? 1 : said && *said == "2" ? 2 : 3;
  return file;
}

std::optional<std::uint32_t> node_value(DecidedRun& run, std::size_t token, std::uint32_t prime) {
  const auto logits = run.logits(token);
  if (!logits.has_value()) return std::nullopt;
  std::optional<std::uint32_t> value;
  for (std::uint32_t row = 0; row < prime + 2; ++row) {
    const std::string& logit = logits.value()[row];
    if (logit == "0") continue;
    if (logit != "1" || value) return std::nullopt;
    value = row;
  }
  return value;
}

ComputationGraphRun::ComputationGraphRun(const Model& model)
    : file_(computation_graph_file(model)), runs_(model) {}

std::optional<std::vector<std::uint32_t>> ComputationGraphRun::values(
    const std::vector<std::string>& letters, std::uint32_t iterations,
    std::optional<Failure>& found) {
  const auto tokens = tokens_of(runs_.model(), letters);
  const auto expected = []() -> FileAnswer { return EveryToken::node_values; };
  found = tokens.has_value() ? runs_.run(tokens.value(), iterations, expected)
                             : NoAnswer{expected(), tokens.refusal()};
  if (found) return std::nullopt;
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto value = node_value(runs_.decided(), first_letter(runs_.model()) + i, file_.prime);
    if (!value) {
      const NodeValue none{i + 1, letters[i], iterations, file_.prime, std::nullopt};
      found = WrongAnswer{EveryToken::node_values, none};
      return std::nullopt;
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace logdepth::inline proofs_check_check
