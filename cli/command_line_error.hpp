#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace logdepth::inline cli {

/// What is wrong with the arguments, in one sentence: an unknown command or option with the name that
/// was probably meant, else what the parser says; and where help is.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace logdepth::inline cli
