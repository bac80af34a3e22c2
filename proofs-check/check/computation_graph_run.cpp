#include "proofs-check/check/computation_graph_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "logdepth/errors.hpp"
#include "objects/quoted_text.hpp"

namespace logdepth {
namespace {

[[noreturn]] void refuse(const Model& model, const std::string& reason) {
  throw InputError("the weights file " + in_quotes(model.name) +
                   " is not about computation graphs: " + reason);
}

}  // namespace

ComputationGraphRun::ComputationGraphRun(const Model& model)
    : model_(model), run_(model_), own_iterations_(model.unroll.loops) {
  const auto* output = std::get_if<CellsOutput>(&model.output);
  if (!std::holds_alternative<WordInput>(model.input) || !output)
    refuse(model, "it does not answer words with named values");
  if (model.unroll.kind != Unroll::Kind::fixed || model.shape.repeated == 0)
    refuse(model, "it has no block that is repeated a fixed number of times");
  prime_ = static_cast<std::uint32_t>(std::max<std::size_t>(output->names.size(), 2) - 2);
  std::vector<std::string> expected;
  for (std::uint32_t v = 0; v < prime_; ++v) expected.push_back(std::to_string(v));
  expected.insert(expected.end(), {"empty", "n/a"});
  if (prime_ == 0 || output->names != expected)
    refuse(model, "expected the outputs 0 to p-1, empty and n/a");
  const std::set<std::string> letters(model.alphabet.begin(), model.alphabet.end());
  while (letters.contains(fmt::format("x{}", names_))) ++names_;
  if (names_ == 0) refuse(model, "expected the letters x0, x1 and so on");
}

std::optional<std::vector<std::uint32_t>> ComputationGraphRun::values(
    const std::vector<std::string>& letters, std::uint32_t iterations,
    std::optional<Mismatch>& mismatch) {
  model_.unroll.loops = iterations;
  const auto stream = run_.run(tokens_of(model_, letters), "a value at every token", mismatch);
  if (!stream) return std::nullopt;
  Runner& runner = run_.runner();
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::vector<Real> logits = runner.logits(*stream, runner.first_letter() + i);
    const auto one = std::ranges::find(logits, Real(1));
    if (one == logits.end() ||
        std::ranges::count_if(logits, [](const Real& x) { return !x.is_zero(); }) != 1) {
      mismatch = {TestedProperty::answer, fmt::format("one value at letter {}", i + 1), "none"};
      return std::nullopt;
    }
    values.push_back(static_cast<std::uint32_t>(one - logits.begin()));
  }
  return values;
}

std::uint32_t operands_of(const Model& model) {
  const std::string said =
      nlohmann::json::parse(model.parameters.text).value("operands", std::string());
  return said == "1" ? 1 : said == "2" ? 2 : 3;
}

}  // namespace logdepth
