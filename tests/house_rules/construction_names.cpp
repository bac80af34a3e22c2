// A construction is named in its own file. Whoever else writes its name down has a line below, with a
// reason; lines are only taken away.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "constructions/catalogue/catalogue.hpp"
#include "tests/support/places.hpp"

namespace logdepth::construction_names_tests {
namespace {

namespace fs = std::filesystem;

/// File, and the names that it may say.
const std::map<std::string, std::set<std::string>> kExceptions = {
    // The default of a setting is part of the interface; Python's types list the values.
    {"logdepth/constructions.hpp", {"scan", "compact", "auto"}},
    {"python/logdepth/constructions.py",
     {"scan", "tree", "radix", "cascade", "auto", "compact", "paper", "rows", "bounded", "floor",
      "pairwise"}},
    // What is known of a language stands beside the depths of these two.
    {"cli/command_inspect.cpp", {"scan", "cascade"}},
    // One sentence of the page is about the tree; the claim needs networks that are large enough.
    {"proofs-check/precision/precision_page.cpp", {"tree"}},
    {"proofs-check/papers/MS25/remarks_claims.cpp", {"tree"}},
    // The option --radix, as a setting.
    {"library/constructions.cpp", {"radix"}},
    {"python/bindings/constructions.cpp", {"radix"}},
    // The networks of the zoo are compiled as a user compiles them.
    {"cli/zoo_networks.cpp", {"scan", "cascade", "compact", "paper", "bounded", "rows"}},
    // Other things with these names: a rule of floating point, a temperature, parts of a file.
    {"library/runs/run_difference.hpp", {"bounded"}},
    {"library/requests/rounded_request.hpp", {"bounded"}},
    {"logdepth/run.hpp", {"bounded"}},
    {"python/logdepth/model.py", {"bounded", "auto"}},
    {"cli/command_export.cpp", {"auto"}},
    {"cli/command_certify.cpp", {"auto"}},
    {"cli/temperature_option.cpp", {"auto"}},
    {"python/bindings/exports.cpp", {"auto"}},
    {"constructions/product_forecast.cpp", {"auto"}},
    {"cli/command_check.cpp", {"rows"}},
    {"library/exports/model_card.cpp", {"rows"}},
    {"python/logdepth/answers.py", {"rows"}},
    {"cli/run_answer.cpp", {"rows"}},
    {"compiler/program/print_program.cpp", {"rows"}},
    {"compiler/program/parse_program.cpp", {"rows"}},
    {"learned/reachability/relation_task.cpp", {"rows"}},
    {"runtime/file/rule_checks.cpp", {"rows"}},
    {"runtime/file/model_to_json.cpp", {"rows"}},
    {"runtime/file/model_from_json.cpp", {"rows"}},
    {"runtime/file/derived_from_json.cpp", {"rows"}},
    {"runtime/file/model_rules.cpp", {"rows"}},
    {"proofs-check/coq/read_back.py", {"rows"}},
    {"proofs-check/certify/print_coq.cpp", {"rows"}},
    {"learned/records/training_config.cpp", {"floor"}}};

TEST(ConstructionNames, AreWrittenInTheFilesOfTheConstructionsOnly) {
  const fs::path root = support::source_dir();
  std::set<std::string> names;
  for (const Construction& one : catalogue()) names.insert(one.key.name);
  std::map<std::string, std::set<std::string>> unused = kExceptions;
  std::size_t own = 0;
  for (const char* folder :
       {"base", "cli", "compiler", "constructions", "learned", "library", "logdepth", "objects",
        "oracle", "proofs-check", "python", "report", "runtime"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".py") continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::ifstream in(entry.path());
      static const std::regex kComment("//.*"), kText("\"([^\"]*)\"");
      for (std::string line; std::getline(in, line);) {
        line = std::regex_replace(line, kComment, "");
        for (std::sregex_iterator text(line.begin(), line.end(), kText), end; text != end; ++text) {
          const std::string name = (*text)[1];
          if (!names.contains(name)) continue;
          // Files of papers have one construction each, and may say what their heads are called.
          const bool paper = file.starts_with("constructions/MS25/") ||
                             file.starts_with("constructions/KR65/") ||
                             file.starts_with("constructions/latent_reasoning/") ||
                             file.starts_with("constructions/catalogue/construction_costs.cpp");
          own += paper;
          const auto allowed = kExceptions.find(file);
          EXPECT_TRUE(paper || (allowed != kExceptions.end() && allowed->second.contains(name)))
              << file << " names the construction " << name;
          if (!paper) unused[file].erase(name);
        }
      }
    }
  for (const auto& [file, left] : unused)
    for (const std::string& name : left) ADD_FAILURE() << file << " does not name " << name;
  EXPECT_GT(own, names.size());
}

}  // namespace
}  // namespace logdepth::construction_names_tests
