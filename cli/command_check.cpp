#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "cli/work_part.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

struct CheckArguments {
  std::vector<std::string> claims;
  std::size_t up_to = 0, random = 0;
  std::uint64_t seed = 0;
  CLI::Option *up_to_given = nullptr, *random_given = nullptr, *seed_given = nullptr,
              *report_given = nullptr;
  std::string report, claims_file;
  std::size_t threads = 0;
  ShardOptions shards;
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

/// The table or the JSON object, and the exit status, of a ledger whose entries have these rows and
/// this JSON.
int print(const Ledger& ledger, const std::vector<std::vector<std::string>>& rows,
          const std::string& json, bool as_json) {
  std::cout << (as_json ? json : ledger_table(ledger, rows));
  if (std::any_of(ledger.entries.begin(), ledger.entries.end(), is_failure)) return kCheckFailed;
  if (std::any_of(ledger.entries.begin(), ledger.entries.end(), is_open)) return kNotDecided;
  return kDone;
}

/// A shard has whole claims; the depth curves, which compare several, are made when they are merged.
int write_shard(const Ledger& ledger, const CheckArguments& options) {
  nlohmann::json question = {{"claims", options.claims}};
  if (*options.up_to_given) question["up_to"] = options.up_to;
  if (*options.random_given) question["random"] = options.random;
  if (*options.seed_given) question["seed"] = options.seed;
  nlohmann::json answer = {{"claims", nlohmann::json::parse(ledger_json(ledger)).at("claims")},
                           {"rows", nlohmann::json::array()},
                           {"statuses", nlohmann::json::array()}};
  for (const LedgerEntry& entry : ledger.entries) {
    answer["rows"].push_back(table_row(entry));
    answer["statuses"].push_back(static_cast<int>(entry.status));
  }
  write_part({options.shards.part, kCheckWork, options.shards.shard, question, answer});
  return kDone;
}

int check(const CheckArguments& options) {
  auto claims = chosen(options.claims);
  NumberedCases cases(options.shards.shard);
  std::erase_if(claims, [&](const Claim*) { return !cases.next(); });
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
  std::optional<OutputFolder> report;
  if (options.report.empty()) {
    how.folder = work.emplace().path();
  } else {
    how.folder = options.report + "/models";
    report.emplace(how.folder);
    for (const char* name : {"report.md", "report.json", "report.html"})
      if (const std::string file = options.report + "/" + name; std::filesystem::is_directory(file))
        throw InputError(file + ": is a directory; expected a file name for the report");
  }
  Ledger ledger;
  {
    Progress progress("check", "parts");
    how.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    ledger = check_claims(claims, how);
  }
  if (!options.report.empty()) save_report(ledger, options.report);
  if (!options.claims_file.empty())
    write_whole_file(options.claims_file, ledger_markdown(ledger, kRootFromClaimsFile));
  if (!options.shards.part.empty()) return write_shard(ledger, options);
  std::vector<std::vector<std::string>> rows;
  for (const LedgerEntry& entry : ledger.entries) rows.push_back(table_row(entry));
  return print(ledger, rows, ledger_json(ledger), options.json);
}

}  // namespace

int merge_checks(const std::vector<WorkPart>& parts, bool as_json) {
  const auto claims = chosen(parts.front().question.value("claims", std::vector<std::string>()));
  Ledger ledger;
  std::vector<std::vector<std::string>> rows;
  nlohmann::json entries = nlohmann::json::array();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const WorkPart& part = parts[i % parts.size()];
    const std::size_t at = i / parts.size();
    try {
      LedgerEntry& entry = ledger.entries.emplace_back();
      entry.claim = claims[i];
      entry.status = static_cast<Status>(part.answer.at("statuses").at(at).get<int>());
      rows.push_back(part.answer.at("rows").at(at));
      for (std::string& cell : rows.back()) cell = printable(cell, kMostPrinted);
      entries.push_back(part.answer.at("claims").at(at));
    } catch (const nlohmann::json::exception&) {
      throw InputError(part.file + ": expected a shard result of check for " +
                       full_name(*claims[i]));
    }
  }
  ledger.curves = depth_curves(claims);
  nlohmann::json whole = nlohmann::json::parse(ledger_json({{}, ledger.curves}));
  whole["claims"] = entries;
  return print(ledger, rows, whole.dump(1) + "\n", as_json);
}

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
  options->up_to_given = command
                             ->add_option("--up-to", options->up_to,
                                          "test all inputs up to this size: letters, vertices or "
                                          "positions (default: the bound of each claim)")
                             ->check(kSmallCount);
  options->random_given =
      command->add_option("--random", options->random, "number of additional random inputs")
          ->check(kSmallCount);
  options->seed_given =
      command->add_option("--seed", options->seed, "seed of the random inputs")->check(kCount);
  options->report_given = command->add_option(
      "--report", options->report,
      "write report.md, report.json, report.html and the weights files to this folder");
  CLI::Option* const claims_file = command->add_option(
      "--claims-file", options->claims_file,
      "write the Markdown report to this file, with links relative to proofs-check/");
  command
      ->add_option("--threads", options->threads, "number of parallel jobs (default: one per core)")
      ->check(count_up_to(1024));
  CLI::Option* const json = command->add_flag("--json", options->json, "print one JSON object");
  CLI::Option* const list =
      command->add_flag("--list", options->list, "list the claims without checking them");
  options->shards.add_to(*command);
  for (CLI::Option* const whole : {json, list, options->report_given, claims_file})
    options->shards.option->excludes(whole);
  add_run_limits(*command);
  return [options] { return check(*options); };
}

}  // namespace logdepth::inline cli
