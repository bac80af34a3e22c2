#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library/exports/network.hpp"
#include "objects/graph.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::exports {

/// An input of the self-test.
struct TestInput {
  std::string text;  ///< for people: "the word 'a b a'"
  Tokens tokens;
  std::size_t source = 0, target = 0;  ///< of a graph
};
struct TestInputs {
  std::vector<TestInput> inputs;
  std::uint64_t exhaustive = 0;    ///< all words of at most that many letters
  std::uint64_t every_length = 0;  ///< words of every length up to that one
};

/// Errors: ExportRefused for raw streams of other names than those of the division lemma.
TestInputs test_inputs(const Model& model, std::uint64_t length, std::uint64_t seed);

}  // namespace logdepth::exports
