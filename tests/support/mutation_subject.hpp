#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/model.hpp"

/// Small compiled models that mutants are made of.
namespace logdepth::support {

struct MutationSubject {
  std::string name;
  Program program;
  CompileOptions options;
  Model model;
  std::shared_ptr<const LanguageOracle> oracle;
  std::size_t up_to = 6;        ///< every word of at most this many letters is run
  std::size_t max_length = 40;  ///< of random words
  /// Compared cell by cell: whatever tokens of a scan hold and fetch together is in one of them.
  std::vector<std::vector<std::string>> words;
};

/// Scans of a regular expression, an automaton, groups and the flip-flop under all position
/// encodings, tables and norms, one of them unrolled; and one program with the other two selectors.
std::vector<MutationSubject> mutation_subjects(std::uint64_t seed);

}  // namespace logdepth::support
