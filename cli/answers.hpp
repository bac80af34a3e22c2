#pragma once

namespace logdepth::inline cli {

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

}  // namespace logdepth::inline cli
