#include "compiler/program/program_text.hpp"
#include "compiler/rules/program_rules.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

const Registered kPrograms("program", [](const std::string& bytes) {
  Program program;
  if (!accepted([&] { program = parse_program(bytes, "program"); })) return;
  const std::string text = print_program(program);
  hold(parse_program(text, "printed") == program, "what was printed is read");
  hold(print_program(parse_program(text, "printed")) == text, "it is printed as it was");
  accepted([&] { check_program(program); });
});

}  // namespace
}  // namespace logdepth::fuzz
