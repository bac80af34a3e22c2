#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/work_part.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline cli {

Command add_merge(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> files;
    std::string out;
    bool json = false;
  };
  auto options = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("merge",
                         "merge the shard files of test, check or report precision into the report "
                         "of an unsharded run\nExample: logdepth merge part-*.json");
  command
      ->add_option("PART", options->files,
                   "shard files written with --part, all of the same command")
      ->required();
  command->add_option("--out", options->out, "folder for the report of report precision");
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] {
    const std::vector<WorkPart> parts = read_parts(options->files);
    const std::string& merged = parts.front().command;
    if (merged == kPrecisionWork) return merge_precision(parts, options->json, options->out);
    if (!options->out.empty())
      throw InputError("--out: expected parts of report precision, found parts of " + merged);
    if (merged == kTestWork) return merge_tests(parts, options->json);
    if (merged == kCheckWork) return merge_checks(parts, options->json);
    throw InputError(parts.front().file + ": expected a part of test, check or report precision");
  };
}

}  // namespace logdepth::inline cli
