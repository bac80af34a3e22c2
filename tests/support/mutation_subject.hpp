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
#include "tests/support/token_courses.hpp"
#include "tests/support/token_ranges.hpp"

/// Small compiled models that mutants are made of, and what judges a mutant.
namespace logdepth::support {

struct MutationSubject {
  std::string name;
  Program program;
  CompileOptions options;
  Model model;
  std::shared_ptr<const LanguageOracle> oracle;
  std::size_t up_to = 6;        ///< every word of at most this many letters is run
  std::size_t max_length = 40;  ///< of random words
  /// Compared cell by cell. Every combination of `moments` occurs in at least one of them.
  std::vector<std::vector<std::string>> words;
  Moments moments;
  Courses courses;  ///< of its cells, as far as they are known
};

/// Scans of a regular expression, an automaton, groups and the flip-flop under all position
/// encodings, tables and norms, one of them unrolled; and one program with the other two selectors.
std::vector<MutationSubject> mutation_subjects(std::uint64_t seed);

struct Judgement {
  std::string killed_by;  ///< empty: it survived
  std::string evidence;
};

/// Is the changed model told from the subject's own? Rules of the format; verdict, prefix products
/// and promises against the oracle; the depth; every cell against the program, its mirror included;
/// the refusal of longer inputs.
Judgement judge(const MutationSubject& subject, const Model& mutant, std::uint64_t seed);

}  // namespace logdepth::support
