#include "compiler/difference/first_difference.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "compiler/rules/program_rules.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz { namespace {

/// Inputs that are done in a moment; none where the program reads raw streams, which it may promise
/// something of.
std::vector<Outcome<Tokens>> small_inputs(const Model& model) {
  std::vector<Outcome<Tokens>> inputs;
  if (std::holds_alternative<WordInput>(model.input)) {
    for (const std::size_t length : {0, 1, 2, 5}) {
      std::vector<std::string> word;
      for (std::size_t i = 0; i < length && !model.alphabet.empty(); ++i)
        word.push_back(model.alphabet[i * i % model.alphabet.size()]);
      inputs.push_back(tokens_of(model, word));
    }
  } else if (std::holds_alternative<GraphInput>(model.input)) {
    Graph path;
    for (const char* name : {"0", "1", "2"}) path.add_vertex(name);
    path.add_edge(0, 1);
    inputs.push_back(tokens_of(model, path, 0, 2));
  }
  return inputs;
}

/// What was compiled is written and read, means what the text says, and in floating point stays
/// within its bounds.
void run_compiled(const Program& program) {
  const Compiled compiled = compile(program);
  constexpr std::size_t kWide = 300, kDeep = 40;
  if (compiled.model->width > kWide || depth_at(compiled.model, 5) > kDeep) return;
  const Model model = parse_weights(write_weights(with_derived(compiled)), "compiled");
  for (const Outcome<Tokens>& tokens : small_inputs(model)) {
    if (!tokens.has_value()) continue;
    try {
      const auto difference = first_difference(compiled.program, model, tokens.value());
      hold(!difference.has_value() || !difference.value(),
           "the weights mean what their program says");
      const auto apart = first_float_difference(model, compiled.facts, {}, tokens.value());
      hold(!apart.has_value() || !apart.value(), "floats stay within their bounds");
    } catch (const BrokenProgram&) {  // it promised too much
    }
  }
}

const Registered kPrograms("program", [](const std::string& bytes) {
  Program program;
  if (!accepted([&] { program = parse_program(bytes, "program"); })) return;
  const std::string text = print_program(program);
  hold(parse_program(text, "printed") == program, "what was printed is read");
  hold(print_program(parse_program(text, "printed")) == text, "it is printed as it was");
  if (accepted([&] { check_program(program); })) accepted([&] { run_compiled(program); });
});

}}  // namespace logdepth::fuzz
