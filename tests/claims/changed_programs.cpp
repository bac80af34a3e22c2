// Changes of a program by the names of what is changed: exactly what was asked, or a mistake of ours.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/claims/changed_program.hpp"
#include "proofs-check/claims/defect.hpp"

namespace logdepth::changed_programs_tests {
namespace {

/// Two heads of one name, a table, and cells of all sorts.
Program subject() {
  using namespace cells;
  cells::Program p("subject");
  p.alphabet({"a"}).fixed_loops(1);
  const auto one = p.constant();
  const auto f = p.flag("f", state), g = p.flag("g", state);
  const auto n = p.number("n");
  const auto m = p.number("m");
  p.token(kBegin, f, g).token("a", !f, g);
  const Statements average = fetch("average").causal(uniform()).add(n, f).add(m, one);
  p.initial(average, lookup("table", {when(f).then(!f), when(!f).then(f)}));
  return p.final(average).output("n", n).program();
}

using Change = std::function<void(ChangedProgram&)>;

TEST(ChangedPrograms, WhatIsNotThereIsAMistake) {
  using namespace cells;
  const auto flag = [](const ChangedProgram& p, const char* name) { return p.cell<Flag>(name); };
  const Change wrong[] = {
      [](ChangedProgram& p) { p.select("averages", uniform()); },
      [](ChangedProgram& p) { p.select("table", flagged(p.cell<Flag>("f"))); },
      [&](ChangedProgram& p) { p.select("average", flagged(flag(p, "f"))); },     // twice there
      [&](ChangedProgram& p) { p.select("average", flagged(flag(p, "f")), 3); },  // twice there
      [](ChangedProgram& p) { p.select("average", uniform(), 2); },               // as it is
      [](ChangedProgram& p) { p.drop("average"); },
      [](ChangedProgram& p) { p.drop("erase n"); },
      [&](ChangedProgram& p) {
        p.replace_rules("table", {when(flag(p, "g")).then(flag(p, "f"))}, {});
      },
      [&](ChangedProgram& p) {
        const auto f = flag(p, "f");
        p.replace_rules("table", {when(f).then(!f)}, {when(f).then(!f)});
      },
      [&](ChangedProgram& p) { p.ask("table", flag(p, "g"), flag(p, "f")); },
      [&](ChangedProgram& p) { p.ask("table", flag(p, "f"), p.cell<Number>("n")); },
      [](ChangedProgram& p) { p.drop_block(Block::repeated); },
      [](ChangedProgram& p) { p.drop_cell("h"); },
      [](ChangedProgram& p) { p.drop_cell("n"), (void)p.program(); },  // heads add to it
      [](ChangedProgram& p) { p.put_behind(p.cell<Number>("m"), "n"), (void)p.program(); },
      [](ChangedProgram& p) { p.move_behind("table", "table"); },
  };
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    ChangedProgram p(subject());
    EXPECT_THROW(wrong[i](p), std::logic_error) << "change " << i;
  }
}

TEST(ChangedPrograms, AHeadThatIsNamedOnceIsChangedInWhatIsSaidAlone) {
  using namespace cells;
  ChangedProgram p(subject());
  p.drop_block(Block::final);
  const auto f = p.cell<Flag>("f"), g = p.cell<Flag>("g");
  p.add("average", p.cell<Number>("n")[0], f - g);
  p.drop_write("average", p.cell<Number>("m")).drop_cell("m");
  p.ask("table", f, g).move_behind("average", "table");
  const std::string text = print_program(p.program());
  EXPECT_NE(text.find("initial\n"
                      "  lookup table\n"
                      "    rule g=true -> f=false\n"
                      "    rule g=false -> f=true\n"
                      "  fetch average causal uniform\n"
                      "    add n + f - g\n"
                      "\noutput n + n\n"),
            std::string::npos)
      << text;
  EXPECT_THROW(p.add("average", p.cell<Number>("m")[0], f), std::logic_error);
  EXPECT_THROW(p.drop_write("average", p.cell<Number>("m")), std::logic_error);
}

TEST(ChangedPrograms, ACellMoreRenumbersTheOthersAndChangesNoOtherWord) {
  std::vector<Program> programs = {subject(), graph_connectivity_rows_MS25_thm5_1(4),
                                   graph_connectivity_sized_MS25_thm5_1(4),
                                   regular_language_scan_MS25_thm4_1(named_monoid("A5"), "A5"),
                                   regular_language_scan_MS25_thm4_1(named_monoid("T2"), "T2")};
  for (const Defect& defect : all_defects())
    if (defect.repaired) programs.push_back(defect.repaired());
  for (const Program& program : programs) {
    ChangedProgram p(program);
    p.put_behind(p.flag("more"), program.cells.front().name);
    const Program changed = p.program();
    EXPECT_EQ(changed.cells.at(1).name, "more");
    std::string text = print_program(changed);
    const std::string line = "cell more flag\n";
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.erase(at, line.size()), print_program(program));
    EXPECT_EQ(ChangedProgram(changed).drop_cell("more").program(), program) << program.name;
  }
}

}  // namespace
}  // namespace logdepth::changed_programs_tests
