#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "base/exit_status.hpp"

namespace logdepth::inline cli {

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
Command add_zoo(CLI::App& app);
Command add_play(CLI::App& app);
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
