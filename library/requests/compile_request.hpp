#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "library/requests/automaton_request.hpp"
#include "logdepth/compile.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/run.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace library_requests {

/// The setting, and the option, that names a construction: the word that is typed for it.
inline constexpr const char* kConstruction = "construction";

/// What a command offers that compiles for this input: --construction, with what each word means,
/// then the options of all constructions. Each keeps its options in their order.
std::vector<Option> construction_options(Problem problem,
                                         const Catalogue& constructions = catalogue());

/// What is meant by the values of these options, --construction among them, and --unroll. Errors:
/// InputError for what is no value of an option, and for options that do not go together.
const Construction& chosen_construction(Problem problem, const Values& values,
                                        const Catalogue& constructions = catalogue());

/// With --unroll, which chooses between constructions as well.
Values with_unroll(Values values, const CompileSettings& compiling);

/// The program that is asked for. Errors: InputError, as above; SizeLimit.
Program requested_program(Problem problem, const Values& values);

/// The program that a construction makes of an automaton. Says how large the automaton is, which
/// construction was chosen and why, which table. Errors: SizeLimit.
Program requested_program(const LoadedAutomaton& loaded, const Construction& construction,
                          const Values& values, const Say& say);

/// The program of a C-RASP program.
struct RequestedCrasp {
  Program program;
  std::size_t lines = 0;  ///< of the C-RASP program
};
/// Says how large it is. Errors: InputError with the line of the program.
RequestedCrasp requested_program(const SourceFile& crasp, const Say& say);

/// The program of a formula of past temporal logic; the alphabet, if none is given, is that of its
/// letters. Errors: InputError with the place in the formula, SizeLimit.
Program requested_formula(const std::string& formula,
                          const std::optional<std::vector<std::string>>& alphabet);

/// The weights of a program under these settings, with what is derived from them. Errors: InputError
/// for a name of more than a line; ProgramRefused.
[[nodiscard]] CheckedModel requested_model(Program program, const CompileSettings& settings);

/// Values of the settings, as the command line offers them.
inline const std::vector<std::string> kFloatDevices = {"cpu", "cuda"};
inline const std::vector<std::string> kFloatRules = {"bounded", "plain", "snapped"};

/// What is asked of the floating-point engines. Errors: InputError for settings that are none.
FloatOptions requested_engine(const RoundedSettings& settings);

/// Raw streams as tokens. They have to be what the file's program says of its input, if the file
/// carries one that fits: all proofs start from that. Weights of another origin say nothing about
/// their input. Errors: InputError, as tokens_of.
Outcome<Tokens> declared_tokens(const Model& model, std::vector<std::vector<Real>> rows);

inline constexpr std::uint64_t kLargestDividend = 1000000;
/// The raw streams that end with the token that divides: position i may divide at most i, so every
/// position divides its own number, the last one what is asked. Errors: InputError where the file is
/// none of the division lemma, and for the divisor 0.
std::vector<std::vector<Real>> dividing_rows(const Model& model, std::uint64_t dividend,
                                             std::uint64_t divisor);

/// Quotient and remainder, exactly.
struct DividedNumbers {
  std::string quotient, remainder;
};
/// What these logits of a token say, as texts; absent where they are the codes of no numbers, as in
/// floating point.
std::optional<DividedNumbers> divided_numbers(const Model& model,
                                              const std::vector<std::string>& logits);

}}  // namespace logdepth::library_requests
