// What `logdepth` says of itself: the manual page, what shells complete, and the name that was
// probably meant.
#include <gtest/gtest.h>

#include "tests/support/command_line.hpp"

namespace logdepth::command_line_reference_tests {
namespace {

using support::Finished;
using Arguments = std::vector<std::string>;

class Reference : public support::CommandLine {
 protected:
  /// What `shell` prints of the words, run with what completes logdepth in the file `script`.
  std::string said(const std::string& shell, const std::string& text) const {
    folder.write("script", done({"--completion", shell}));
    const Finished finished = support::run_process({shell, "-c", text}, folder.path());
    EXPECT_EQ(finished.status, 0) << shell << ": " << finished.err;
    EXPECT_EQ(finished.err, "") << shell;
    return finished.out;
  }
  void says(const Arguments& arguments, const std::string& sentence) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.err, "logdepth: " + sentence + "\n");
  }
};

TEST_F(Reference, TheManualPageIsSetWithoutAWarningAndNamesEveryCommand) {
  folder.write("logdepth.1", done({"--man"}));
  const Finished page = support::run_process(
      {"groff", "-man", "-ww", "-Tutf8", "-P-c", "-P-b", "-P-u", "logdepth.1"}, folder.path());
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_EQ(page.err, "");
  for (const char* text :
       {"logdepth compile regular", "logdepth train word-problem", "logdepth lm loops",
        "--regex VALUE", "--positions", "(a|b)*abb", "EXIT STATUS", "MODEL"})
    EXPECT_NE(page.out.find(text), std::string::npos) << text;
}

TEST_F(Reference, BashCompletesCommandsOptionsAndChoices) {
  EXPECT_EQ(said("bash", R"(. ./script
for line in 'compile re' 'compile regular --constr' 'compile regular --construction t' \
            'compile regular --regex compile --pos' 'run abb.json --inp' 'report pre'; do
  COMP_WORDS=(logdepth $line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _logdepth
  echo "${COMPREPLY[*]}"
done)"),
            "regular\n--construction\ntree\n--positions\n--input\nprecision\n");
}

TEST_F(Reference, ZshCompletesCommandsOptionsAndChoices) {
  EXPECT_EQ(said("zsh", R"(compadd() { shift; print -- $@ }; _files() { print files }
words=(logdepth merge ''); CURRENT=3; . ./script
words=(logdepth compile ''); CURRENT=3; _logdepth
words=(logdepth compile regular --construction ''); CURRENT=5; _logdepth
words=(logdepth merge -); CURRENT=3; _logdepth)"),
            "files\nregular program crasp division connectivity computation-graph\nscan tree radix "
            "cascade auto\n"
            "-h --help --out --json\n");
}

TEST_F(Reference, FishCompletesCommandsOptionsAndChoices) {
  EXPECT_EQ(said("fish", R"(source ./script
complete -C 'logdepth compile re'
complete -C 'logdepth compile regular --constr' | string split -f 1 \t
complete -C 'logdepth compile regular --construction ' | string split -f 1 \t)"),
            "regular\n--construction\nauto\ncascade\nradix\nscan\ntree\n");
}

TEST_F(Reference, HelpHasValuesRangesDefaultsAndTheOptionsThatOneRequiresOrExcludes) {
  const auto shows = [&](Arguments command, const std::string& lines) {
    command.emplace_back("--help");
    const std::string help = done(command);
    EXPECT_NE(help.find(lines), std::string::npos) << lines << "\nis not in\n" << help;
  };
  shows({},
        "them\nExample: logdepth compile regular --regex '(a|b)*abb' -o abb.json &&\n"
        "         logdepth run abb.json --input aabb\nUsage: logdepth [OPTIONS] SUBCOMMAND\n");
  shows(
      {},
      "\n  run                         run a weights file on words, a graph or raw input, exactly "
      "or in\n                              floating point\n  test ");
  shows({"run"}, "\n  MODEL                       weights file [required]\n");
  shows({"run"}, "\n  --device cpu|cuda           device for floating point [default: cpu]\n");
  shows({"run"},
        "\n  --threads N                 number of threads; does not change results [1 to 256; "
        "default: ");
  shows({"run"}, "\n  --source TEXT               source vertex [requires --graph]\n");
  shows({"run"}, "\n  --json                      print one JSON object\n");
  shows({"run"}, "\n  --temperature TAU           use the softmax");
  shows({"test"}, "\n  --json                      print one JSON object [not with --shard]\n");
  shows({"test"},
        "\n  --shard I/K                 run shard I of K; logdepth merge combines all shards "
        "[requires --part;\n                              not with --json]\n");
  shows({"inspect"},
        "\nLanguage (one of these options):\n"
        "  --regex TEXT                regular expression, such as (a|b)*abb\n");
  shows({"train", "word-problem"},
        "\n  --kind stack|loop|adaptive-loop\n"
        "                              stack (different layers)");
  shows({"train", "word-problem"},
        "\n  --seeds N,...               one run per seed, as 1,2,3 "
        "[default: 1]\n");
  shows({"train", "relit"}, "\n  --method WORD,...           training method");
  shows({"train", "relit"}, " [one of relit, linear-probe, one-pass,\n");
}

TEST_F(Reference, AnUnknownNameComesWithTheOneThatWasProbablyMeant) {
  says({"rnu", "x.json"},
       "unknown command 'rnu' of logdepth; did you mean run? (see logdepth --help)");
  says({"compile", "regluar", "--regex", "a"},
       "unknown command 'regluar' of logdepth compile; did you mean regular? (see logdepth compile "
       "--help)");
  says({"compile", "poetry"},
       "unknown command 'poetry' of logdepth compile; expected one of regular, program, crasp, "
       "division, connectivity, computation-graph (see logdepth compile --help)");
  says({"compile"},
       "expected a command of logdepth compile: regular, program, crasp, division, "
       "connectivity, computation-graph (see logdepth compile --help)");
  says({"run", "x.json", "--inptu=ab"},
       "unknown option '--inptu=ab' of logdepth run; did you mean --input? (see logdepth run "
       "--help)");
  says({"compile", "regular", "--rexgex", "a", "-o", "x.json"},
       "unknown option '--rexgex' of logdepth compile regular; did you mean --regex? (see logdepth "
       "compile regular --help)");
  says({"--json", "info", "x.json"},
       "expected --json after logdepth info, found it before (see logdepth info --help)");
  says({"info", "x.json", "--zzz"},
       "unknown option '--zzz' of logdepth info (see logdepth info --help)");
}

TEST_F(Reference, AFileOfAnotherKindInPlaceOfWeightsIsNamed) {
  for (const auto& [file, kind] : std::vector<std::pair<std::string, std::string>>{
           {"automata/even_a.fst",
            "an automaton in OpenFst's text; `logdepth compile regular --fst`"},
           {"automata/tomita4.dot", "Graphviz text; `logdepth compile regular --dot`"},
           {"automata/ends_in_abb.jff",
            "an automaton of JFLAP's; `logdepth compile regular --jff`"},
           {"programs/parity.cells", "a program; `logdepth compile program`"}}) {
    const Finished finished = logdepth({"info", example(file)});
    EXPECT_EQ(finished.status, 2);
    EXPECT_NE(finished.err.find(file + ": expected a weights file, found " + kind),
              std::string::npos)
        << finished.err;
  }
}

}  // namespace
}  // namespace logdepth::command_line_reference_tests
