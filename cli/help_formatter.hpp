#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace logdepth::inline cli {

/// Prints --help in lines of at most 100 columns, which CLI11 does not break by itself: names and value
/// of an option on the left, on the right its description, its range and default, and the options that
/// it requires or excludes.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  /// A group of options of which one is given: its description is the heading.
  std::string make_expanded(const CLI::App* group) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;

 private:
  bool alternatives_ = false;  ///< all options exclude each other, as the heading states
};

}  // namespace logdepth::inline cli
