#pragma once

#include <string>
#include <vector>

#include "constructions/catalogue/catalogue.hpp"
#include "logdepth/compile.hpp"

namespace logdepth::inline library_requests {

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

}  // namespace logdepth::inline library_requests
