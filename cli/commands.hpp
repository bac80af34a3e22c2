#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "base/quoted_text.hpp"
#include "library/requests/option_checks.hpp"

namespace logdepth::inline cli {

/// Validates counts: CLI11 would wrap a negative one to a huge unsigned number.
inline CLI::Validator count_up_to(std::uint64_t limit) {
  return CLI::Validator(
      [limit](const std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [next, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && next == end && value <= limit) return std::string();
        return whole_number_expected(limit, text);
      },
      "COUNT");
}
inline const CLI::Validator kCount = count_up_to(kMostCounted);
inline const CLI::Validator kSmallCount = count_up_to(kMostParts);

/// Validates amounts, which may be fractions: "expected a number of GiB above 0 and at most 65536".
inline CLI::Validator amount_up_to(std::uint64_t limit, const std::string& unit,
                                   const std::string& name) {
  return CLI::Validator(
      [limit, unit](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value > 0 &&
            value <= static_cast<double>(limit))
          return std::string();
        return "expected a number of " + unit + " above 0 and at most " + std::to_string(limit) +
               ", found " + in_quotes(text);
      },
      name);
}

/// Each function adds one subcommand with its options and returns what runs it.
using Command = std::function<int()>;

Command add_compile_regular(CLI::App& compile);
Command add_compile_program(CLI::App& compile);
Command add_compile_crasp(CLI::App& compile);
Command add_compile_division(CLI::App& compile);
Command add_compile_connectivity(CLI::App& compile);
Command add_compile_computation_graph(CLI::App& compile);
Command add_run(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_info(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_test(CLI::App& app);
Command add_check(CLI::App& app);
Command add_certify(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_draw(CLI::App& app);
Command add_export(CLI::App& app);
Command add_report_precision(CLI::App& report);
/// A subcommand for every report, and for every experiment, of the papers of `learned`.
std::vector<Command> add_paper_reports(CLI::App& report);
std::vector<Command> add_experiments(CLI::App& train);
Command add_train_plan(CLI::App& train);
Command add_data_words(CLI::App& data);
Command add_data_lines(CLI::App& data);
Command add_data_rules(CLI::App& data);
Command add_data_check(CLI::App& data);
Command add_compare_depth(CLI::App& compare);
Command add_measure(CLI::App& app);
Command add_lm_load(CLI::App& lm);
Command add_lm_save(CLI::App& lm);
Command add_lm_angular(CLI::App& lm);
Command add_lm_loops(CLI::App& lm);

}  // namespace logdepth::inline cli
