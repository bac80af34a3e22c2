#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/exit_status.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/claims/claim.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

struct CheckArguments {
  std::vector<std::string> claims;
  LedgerOptions ledger;
  std::string report, claims_file;
  bool json = false, list = false;
};

/// In the order of the list, each once.
std::vector<const Claim*> chosen(const std::vector<std::string>& names) {
  const std::vector<Claim>& all = all_claims();
  std::vector<const Claim*> wanted;
  for (const std::string& name : names)
    for (const Claim* claim : find_claims(all, name)) wanted.push_back(claim);
  std::vector<const Claim*> result;
  for (const Claim& claim : all)
    if (names.empty() || std::find(wanted.begin(), wanted.end(), &claim) != wanted.end())
      result.push_back(&claim);
  return result;
}

int check(const CheckArguments& options) {
  const auto claims = chosen(options.claims);
  if (options.list) {
    for (const Claim* claim : claims)
      std::cout << full_name(*claim) << " (" << form_name(claim->form) << "): " << claim->title
                << '\n';
    return kDone;
  }
  LedgerOptions how = options.ledger;
  if (how.threads == 0) how.threads = std::max(1u, std::thread::hardware_concurrency());
  std::optional<TemporaryFolder> work;
  std::optional<OutputFolder> report;
  if (options.report.empty()) {
    how.folder = work.emplace().path();
  } else {
    how.folder = options.report + "/models";
    report.emplace(how.folder);
    for (const char* name : {"report.md", "report.json"})
      if (const std::string file = options.report + "/" + name; std::filesystem::is_directory(file))
        throw InputError(file + ": is a directory; expected a file name for the report");
  }
  Ledger ledger;
  {
    Progress progress("check", "parts");
    how.progress = std::ref(progress);
    ledger = check_claims(claims, how);
  }
  if (!options.report.empty()) save_report(ledger, options.report);
  if (!options.claims_file.empty())
    write_whole_file(options.claims_file, ledger_markdown(ledger, kRootFromClaimsFile));
  std::cout << (options.json ? ledger_json(ledger) : ledger_table(ledger));
  if (std::ranges::any_of(ledger.entries, is_failure)) return kCheckFailed;
  return std::ranges::any_of(ledger.entries, is_open) ? kNotDecided : kDone;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto options = std::make_shared<CheckArguments>();
  CLI::App* command =
      app.add_subcommand("check",
                         "check the claims of MS25 and other papers, as written, repaired and "
                         "optimised, by exact runs of weights files\nExample: logdepth check "
                         "--report out && logdepth check thm-4.1 --up-to 8");
  command->add_option(
      "CLAIM", options->claims,
      "claim ids, such as thm-4.1, or with a variant, thm-4.1/scan-circle (default: all claims)");
  LedgerOptions& ledger = options->ledger;
  ledger.threads = 0;
  add_optional(
      *command, "--up-to", ledger.up_to,
      "test all inputs up to this size: letters, vertices or positions (default: the bound "
      "of each claim)")
      ->check(kSmallCount);
  add_optional(*command, "--random", ledger.random, "number of additional random inputs")
      ->check(kSmallCount);
  add_optional(*command, "--seed", ledger.seed, "seed of the random inputs")->check(kCount);
  command->add_option("--report", options->report,
                      "write report.md, report.json, figures and the weights files to this folder");
  command->add_option(
      "--claims-file", options->claims_file,
      "write the summary as Markdown to this file, with links relative to proofs-check/");
  command->add_option("--prove", ledger.prove,
                      "this program (logdepth-prove) proves files of scans, radix networks, "
                      "cascades, C-RASP and rows");
  command
      ->add_option("--threads", ledger.threads, "number of parallel jobs (default: one per core)")
      ->check(count_up_to(1024));
  CLI::Option* const json = command->add_flag("--json", options->json, "print one JSON object");
  command->add_flag("--list", options->list, "list the claims without checking them")
      ->excludes(json);
  add_run_limits(*command);
  return [options] { return check(*options); };
}

}}  // namespace logdepth::cli
