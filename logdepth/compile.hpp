#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/program.hpp"

namespace logdepth {

/// A word, letter by letter; a letter is a name of one or more characters.
using Letters = std::vector<std::string>;

/// A transformer with exact rational weights, as a weights file has it (runtime/README.md). A value
/// that never changes; copies share what they hold, and threads may use one together.
class Transformer {
 public:
  /// Reads a weights file (.json, or gzip whatever the name). Errors: InputError naming file, key
  /// and line for whatever is not exactly the format.
  static Transformer load(const std::string& file);
  /// The same of the text of a file; `source` names it in messages.
  static Transformer from_text(const std::string& json, const std::string& source = "weights");

  /// Writes the weights file, to a temporary name that is then renamed, so that a file is never seen
  /// half written; gzip where the name ends in .gz. Errors: InputError when it cannot be written.
  void save(const std::string& file) const;
  /// The bytes of the file: the same transformer gives the same ones.
  std::string text() const;
  /// Names the weights: 64 hexadecimal digits, as `logdepth info` prints them.
  std::string sha256() const;

  /// What its author called it.
  const std::string& name() const;
  /// The letters of its words, in their order; empty where it reads something else.
  const Letters& alphabet() const;
  /// A word as a user types it: letters run together where all are single characters ("aabb"), else
  /// with blanks between them. Errors: InputError for a letter outside the alphabet, and where it
  /// reads no words.
  Letters word(const std::string& typed) const;
  /// The layers that an input of n letters, vertices or given tokens is run through.
  std::uint64_t depth(std::uint64_t n) const;

  struct Hidden;                                     ///< the inside of the library
  const Hidden& hidden() const { return *hidden_; }  ///< for the library itself
  /// For the library itself.
  explicit Transformer(std::shared_ptr<const Hidden> hidden) : hidden_(std::move(hidden)) {}

 private:
  std::shared_ptr<const Hidden> hidden_;
};

/// How a program is compiled: `compile(program, {.unroll = 64})`.
struct CompileSettings {
  /// Layer normalisation that subtracts the mean (Def. 2.2 of MS25 has both); otherwise root mean
  /// square.
  bool layernorm = false;
  /// Pad, so that every query, key and value has width / heads numbers.
  bool strict = false;
  /// The standard transformer without a loop, for all inputs up to this size.
  std::optional<std::uint64_t> unroll = std::nullopt;
  /// In the weights; empty: what the program is called.
  std::string name = {};
};

/// The transformer of a program, which does at every token of every input, exactly, what the program
/// says. Errors: ProgramRefused naming block, statement, cell and reason; InputError for a name of
/// more than a line.
Transformer compile(const cells::Program& program, const CompileSettings& settings = {});

/// A program in the text form (.cells, compiler/README.md), to be gone on with or compiled; `source`
/// names it in messages. Errors: InputError with its line and what was expected there.
cells::Program program_from_text(const std::string& text, const std::string& source = "program");

/// The program that a weights file carries, to be read, changed and compiled again. Errors: InputError
/// where it carries none.
cells::Program embedded_program(const Transformer& transformer);

}  // namespace logdepth
