#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

struct CheckArguments {
  std::vector<std::string> claims;
  std::size_t up_to = 0, random = 0;
  std::uint64_t seed = 0;
  CLI::Option *up_to_given = nullptr, *random_given = nullptr, *seed_given = nullptr,
              *report_given = nullptr;
  std::string report, claims_file;
  std::size_t threads = 0;
  bool json = false, list = false;
};

/// In the order of the list, each once.
std::vector<const Claim*> chosen(const std::vector<std::string>& names) {
  const std::vector<Claim>& all = claims_MS25();
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
  if (options.list && options.json) {
    nlohmann::json list = {{"schema", "logdepth/check/1"}, {"claims", nlohmann::json::array()}};
    for (const Claim* claim : claims)
      list["claims"].push_back({{"id", claim->id},
                                {"variant", claim->variant},
                                {"form", form_name(claim->form)},
                                {"title", claim->title}});
    std::cout << list.dump(1) << '\n';
    return kDone;
  }
  if (options.list) {
    for (const Claim* claim : claims)
      std::cout << full_name(*claim) << " (" << form_name(claim->form) << "): " << claim->title
                << '\n';
    return kDone;
  }
  if (*options.report_given && options.report.empty())
    throw InputError("--report: expected the name of a folder");
  LedgerOptions how;
  if (*options.up_to_given) how.up_to = options.up_to;
  if (*options.random_given) how.random = options.random;
  if (*options.seed_given) how.seed = options.seed;
  how.threads = options.threads > 0 ? options.threads
                                    : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  std::optional<TemporaryFolder> work;
  if (options.report.empty()) {
    how.folder = work.emplace().path();
  } else {
    std::error_code error;
    how.folder = options.report + "/models";
    std::filesystem::create_directories(how.folder, error);
    if (error) throw InputError(how.folder + ": the folder cannot be made");
    for (const char* name : {"report.md", "report.json", "report.html"})
      if (const std::string file = options.report + "/" + name; std::filesystem::is_directory(file))
        throw InputError(file + ": a folder stands where the report is to be written");
  }
  Ledger ledger;
  {
    Progress progress("check", "parts");
    how.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    ledger = check_claims(claims, how);
  }
  if (!options.report.empty()) save_report(ledger, options.report);
  if (!options.claims_file.empty()) write_whole_file(options.claims_file, ledger_markdown(ledger));
  std::cout << (options.json ? ledger_json(ledger) : ledger_table(ledger));
  if (std::any_of(ledger.entries.begin(), ledger.entries.end(), is_failure)) return kCheckFailed;
  if (std::any_of(ledger.entries.begin(), ledger.entries.end(), is_open)) return kNotDecided;
  return kDone;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto options = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check",
      "the ledger: every claim of MS25 as written, repaired and optimised, decided by exact runs "
      "of "
      "weights files\nExample: logdepth check --report out && logdepth check thm-4.1 --up-to 8");
  command->add_option("CLAIM", options->claims,
                      "ids (thm-4.1) or ids with a variant (thm-4.1/scan-circle); all without any");
  options->up_to_given =
      command
          ->add_option("--up-to", options->up_to,
                       "every input of at most so many letters, vertices, positions; instead of "
                       "each claim's own bound")
          ->check(kSmallCount);
  options->random_given =
      command->add_option("--random", options->random, "so many random inputs beyond")
          ->check(kSmallCount);
  options->seed_given =
      command->add_option("--seed", options->seed, "seed of the random inputs")->check(kCount);
  options->report_given =
      command->add_option("--report", options->report,
                          "write report.md, report.json, report.html and the weights files there");
  command->add_option("--claims-file", options->claims_file, "write the Markdown report there");
  command->add_option("--threads", options->threads, "parts at a time; by default one per core")
      ->check(count_up_to(1024));
  command->add_flag("--json", options->json, "print one JSON object");
  command->add_flag("--list", options->list, "list the claims and stop");
  return [options] { return check(*options); };
}

}  // namespace logdepth
