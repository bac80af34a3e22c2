#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace logdepth::inline cli {

/// The manual page logdepth(1), made of the definitions of the commands.
std::string manual_page(const CLI::App& app);

/// What a shell is to complete: commands, options, the choices of an option, else names of files.
/// `shell`: "bash", "zsh" or "fish".
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace logdepth::inline cli
