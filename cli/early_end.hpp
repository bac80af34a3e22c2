#pragma once

#include <CLI/CLI.hpp>

namespace logdepth { inline namespace cli {

/// From here on, unfinished output is removed before the program ends by a signal, by a failed allocation of
/// GMP, or by an exception that is not caught.
void prepare_early_ends();

/// --seconds: after this time the program ends with exit status kNotDecided and one sentence. Unfinished output
/// is removed; lines that were printed whole stay.
void add_time_limit(CLI::App& command, const CLI::Validator& amount);
/// Ends the time limit of --seconds, for a command that is done.
void end_time_limit();

/// From here on what std::cout is given reaches standard output when std::cout is flushed, and not
/// before: a text and its end go together, whatever ends the program. std::cerr writes whole lines.
void print_whole_answers();

/// From here on std::cout writes whole lines by itself as they get many, for texts whose lines are
/// answers: not everything has to be held.
void print_by_lines();

/// Errors: InputError with the reason unless all of standard output could be written.
void write_out_answers();

/// After an error: nothing of a text that was begun is written.
void drop_unfinished_answer();

}}  // namespace logdepth::cli
