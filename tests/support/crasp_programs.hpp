#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "objects/crasp.hpp"
#include "oracle/crasp_oracle.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"

namespace logdepth::support {

/// A C-RASP program with its interpreter and its network.
struct CompiledCrasp {
  explicit CompiledCrasp(const std::string& text, Norm norm = Norm::rms)
      : crasp(parse_crasp(text, "test.crasp")),
        program(counting_program(crasp, "test")),
        oracle(make_crasp_oracle(crasp, "test")),
        network(compile(program, {norm, false, std::nullopt}).model) {}

  std::size_t number(const char* parameter) const {
    return std::stoull(program.parameters.at(parameter));
  }
  /// The depth of the file, which the parameters forecast; with positions they bound it.
  std::size_t depth() const {
    const std::size_t depth = measure(network.model(), 1).depth;
    const std::size_t sum = number("comparisons") + number("table_layers");
    if (program.parameters.contains("position_layers"))
      EXPECT_LE(depth, sum + number("position_layers"));
    else
      EXPECT_EQ(depth, sum);
    return depth;
  }
  /// What the network says; keeps its contracts.
  std::optional<bool> answer(const Word& word) {
    const support::Answer said = network.ask(word);
    EXPECT_FALSE(said.broken) << *said.broken;
    return said.accepts;
  }

  CraspProgram crasp;
  Program program;
  std::unique_ptr<LanguageOracle> oracle;
  Recogniser network;
};

/// The text of examples/crasp/NAME.
inline std::string crasp_example(const std::string& name) {
  return read_whole_file(support::source_dir() + "/examples/crasp/" + name);
}

}  // namespace logdepth::support
