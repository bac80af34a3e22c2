// The constructions of the papers, from the library: the program's weights byte for byte, its
// sentences, and automata that only a program of one's own can name.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "logdepth/constructions.hpp"
#include "logdepth/test.hpp"
#include "tests/library/installed.hpp"

namespace logdepth::ready_made_tests { namespace {

const char* const kCrasp = "examples/crasp/dyck1.crasp";

/// Options as a user types them, and the call that means the same.
struct Asked {
  std::string options;
  std::function<Transformer(const Say&)> call;
};

class ReadyMade : public support::OutsideTheTree {
 protected:
  /// What `logdepth compile` makes of options, separated by blanks.
  support::Finished program(const std::string& options) const {
    std::istringstream words(options);
    std::vector<std::string> command = {LOGDEPTH_BINARY, "compile"};
    command.insert(command.end(), std::istream_iterator<std::string>(words), {});
    command.insert(command.end(), {"-o", "written.json"});
    return support::run_process(command, folder.path());
  }
  std::string crasp() const { return (root / kCrasp).string(); }
  ReadyMade() { folder.write("ends_in_b.fst", kEndsInB); }

  static constexpr const char* kEndsInB = "0 0 a\n0 1 b\n1 1 b\n1 0 a\n1\n";
};

/// An automaton of words that end in b, with a state that nothing leaves left out.
TransitionTable no_c_after_b() {
  TransitionTable table;
  table.letters = {"b", "c"};
  table.next = {{1, 0}, {1, std::nullopt}};
  table.accepting = {false, true};
  return table;
}

TEST_F(ReadyMade, AreTheProgramsWeightsByteForByte) {
  const std::vector<Asked> all = {
      {"regular --group A5", [](const Say&) { return compile_regular({.group = "A5"}); }},
      {"regular --regex (a|b)*abb",
       [](const Say&) { return compile_regular({.regex = "(a|b)*abb"}); }},
      {"regular --regex .* --alphabet open,close --norm layernorm --name brackets",
       [](const Say&) {
         return compile_regular({.regex = ".*", .alphabet = {{"open", "close"}}}, {},
                                {.layernorm = true, .name = "brackets"});
       }},
      {"regular --regex a* --strict --unroll 20 --positions circle",
       [](const Say&) {
         return compile_regular({.regex = "a*"}, {.positions = "circle"},
                                {.strict = true, .unroll = 20});
       }},
      {"regular --group S3 --letters all --table monoid",
       [](const Say&) {
         return compile_regular({.group = "S3", .letters = "all"}, {.table = "monoid"});
       }},
      {"regular --group S3 --construction tree --table matrix",
       [](const Say&) {
         return compile_regular({.group = "S3"}, {.construction = "tree", .table = "matrix"});
       }},
      {"regular --group Z2 --construction radix --radix 3 --block 3",
       [](const Say&) {
         return compile_regular({.group = "Z2"}, {.construction = "radix", .radix = 3, .block = 3});
       }},
      {"regular --group S3 --construction radix --radix 4 --unroll 16 --positions first-flag",
       [](const Say&) {
         return compile_regular({.group = "S3"},
                                {.construction = "radix", .radix = 4, .positions = "first-flag"},
                                {.unroll = 16});
       }},
      {"regular --group S3 --construction cascade",
       [](const Say&) { return compile_regular({.group = "S3"}, {.construction = "cascade"}); }},
      {"regular --group Z2 --construction auto --for-length 100",
       [](const Say&) {
         return compile_regular({.group = "Z2"}, {.construction = "auto", .for_length = 100});
       }},
      {"regular --regex (a|b)*a --construction auto",
       [](const Say&) { return compile_regular({.regex = "(a|b)*a"}, {.construction = "auto"}); }},
      {"regular --fst ends_in_b.fst --alphabet ba",
       [](const Say&) {
         return compile_regular(
             {.fst = {{"elsewhere/ends_in_b.fst", kEndsInB}}, .alphabet = {{"b", "a"}}});
       }},
      {"connectivity", [](const Say&) { return compile_connectivity(); }},
      {"connectivity --construction rows --size 5",
       [](const Say&) { return compile_connectivity({.construction = "rows", .size = 5}); }},
      {"connectivity --construction radix --size 4 --radix 2 --norm layernorm",
       [](const Say&) {
         return compile_connectivity({.construction = "radix", .size = 4, .radix = 2},
                                     {.layernorm = true});
       }},
      {"connectivity --construction bounded --for-vertices 6 --unroll 6",
       [](const Say&) {
         return compile_connectivity({.construction = "bounded", .for_vertices = 6}, {.unroll = 6});
       }},
      {"connectivity --construction paper --padding n3",
       [](const Say&) { return compile_connectivity({.construction = "paper", .padding = "n3"}); }},
      {"division --own-argument",
       [](const Say&) { return compile_division({.own_argument = true}); }},
      {"division --construction floor --for-length 32",
       [](const Say&) { return compile_division({.construction = "floor", .for_length = 32}); }},
      {"crasp " + crasp(), [this](const Say&) { return compile_crasp(crasp()); }},
      {"computation-graph --prime 5 --names 6 --operands 2 --depth 3",
       [](const Say&) {
         return compile_computation_graph({.prime = 5, .names = 6, .operands = 2, .depth = 3});
       }},
      {"computation-graph --construction pairwise",
       [](const Say&) { return compile_computation_graph({.construction = "pairwise"}); }},
  };
  for (const Asked& asked : all) {
    const support::Finished finished = program(asked.options);
    ASSERT_EQ(finished.status, 0) << asked.options << "\n" << finished.err;
    EXPECT_EQ(asked.call({}).text(), folder.read("written.json")) << asked.options;
  }
}

TEST_F(ReadyMade, SayWhatTheProgramSays) {
  const std::vector<Asked> all = {
      {"regular --group S3 --construction auto",
       [](const Say& say) {
         return compile_regular({.group = "S3"}, {.construction = "auto"}, {}, say);
       }},
      {"crasp " + crasp(), [this](const Say& say) { return compile_crasp(crasp(), {}, say); }},
  };
  for (const Asked& asked : all) {
    std::string said;
    asked.call([&](const std::string& line) { said += line + "\n"; });
    EXPECT_NE(said, "");
    const std::string err = program(asked.options).err;
    EXPECT_EQ(said, err.substr(0, err.find("wrote written.json"))) << asked.options;
  }
}

TEST_F(ReadyMade, AreRefusedInTheSentencesOfTheProgram) {
  folder.write("no.crasp", "nonsense\n");
  folder.write("no.fst", "0\nnonsense a b c d\n");
  const auto regular = [](RegularSettings settings, CompileSettings compiling = {}) {
    return [=](const Say&) { return compile_regular({.group = "A5"}, settings, compiling); };
  };
  const auto source = [](AutomatonSource automaton) {
    return [=](const Say&) { return compile_regular(automaton); };
  };
  const auto connectivity = [](ConnectivitySettings settings) {
    return [=](const Say&) { return compile_connectivity(settings); };
  };
  const auto division = [](DivisionSettings settings) {
    return [=](const Say&) { return compile_division(settings); };
  };
  const std::vector<Asked> all = {
      {"regular", source({})},
      {"regular --regex a --symbols s", source({.regex = "a", .symbols = "s"})},
      {"regular --regex a --letters all", source({.regex = "a", .letters = "all"})},
      {"regular --group A5 --letters some", source({.group = "A5", .letters = "some"})},
      {"regular --group A5 --alphabet ab", source({.group = "A5", .alphabet = {{"a", "b"}}})},
      {"regular --group Foo", source({.group = "Foo"})},
      {"regular --regex (", source({.regex = "("})},
      {"regular --regex a* --alphabet aa", source({.regex = "a*", .alphabet = {{"a", "a"}}})},
      {"regular --fst missing.fst", source({.fst = "missing.fst"})},
      {"regular --fst no.fst", source({.fst = {{"no.fst", "0\nnonsense a b c d\n"}}})},
      {"regular --fst ends_in_b.fst --alphabet a",
       source({.fst = {{"ends_in_b.fst", kEndsInB}}, .alphabet = {{"a"}}})},
      {"regular --group A5 --construction best", regular({.construction = "best"})},
      {"regular --group A5 --table best", regular({.table = "best"})},
      {"regular --group A5 --positions best", regular({.positions = "best"})},
      {"regular --group A5 --radix 3", regular({.radix = 3})},
      {"regular --group A5 --block 3", regular({.block = 3})},
      {"regular --group A5 --for-length 3", regular({.for_length = 3})},
      {"regular --group A5 --construction auto --for-length 2000000000000000",
       regular({.construction = "auto", .for_length = 2000000000000000})},
      {"regular --group A5 --construction auto --unroll 3",
       regular({.construction = "auto"}, {.unroll = 3})},
      {"regular --group A5 --construction radix --radix 65",
       regular({.construction = "radix", .radix = 65})},
      {"regular --group A5 --construction radix --block 1",
       regular({.construction = "radix", .block = 1})},
      {"regular --group A5 --construction radix --block 2 --unroll 3",
       regular({.construction = "radix", .block = 2}, {.unroll = 3})},
      {"regular --group A5 --construction radix --positions fine",
       regular({.construction = "radix", .positions = "fine"})},
      {"regular --group A5 --construction tree --positions fine",
       regular({.construction = "tree", .positions = "fine"})},
      {"regular --group S8 --table matrix --construction radix --radix 9 --unroll 9",
       [](const Say&) {
         return compile_regular({.group = "S8"},
                                {.construction = "radix", .radix = 9, .table = "matrix"},
                                {.unroll = 9});
       }},
      {"connectivity --construction rows", connectivity({.construction = "rows"})},
      {"connectivity --construction rows --size 3 --padding n3",
       connectivity({.construction = "rows", .size = 3, .padding = "n3"})},
      {"connectivity --construction bounded", connectivity({.construction = "bounded"})},
      {"connectivity --construction bounded --size 3",
       connectivity({.construction = "bounded", .size = 3})},
      {"connectivity --construction paper --size 3",
       connectivity({.construction = "paper", .size = 3})},
      {"connectivity --radix 3", connectivity({.radix = 3})},
      {"connectivity --for-vertices 3", connectivity({.for_vertices = 3})},
      {"connectivity --size 20000000", connectivity({.size = 20000000})},
      {"connectivity --size 9000000", connectivity({.size = 9000000})},
      {"connectivity --padding n5", connectivity({.padding = "n5"})},
      {"division --construction floor", division({.construction = "floor"})},
      {"division --construction floor --for-length 0",
       division({.construction = "floor", .for_length = 0})},
      {"division --for-length 8", division({.for_length = 8})},
      {"division --construction paper --own-argument",
       division({.construction = "paper", .own_argument = true})},
      {"crasp no.crasp",
       [](const Say&) {
         return compile_crasp({"no.crasp", "nonsense\n"});
       }},
      {"crasp missing.crasp", [](const Say&) { return compile_crasp("missing.crasp"); }},
      {"computation-graph --prime 4",
       [](const Say&) { return compile_computation_graph({.prime = 4}); }},
      {"computation-graph --prime 97 --operands 3",
       [](const Say&) { return compile_computation_graph({.prime = 97, .operands = 3}); }},
      {"computation-graph --unroll 4",
       [](const Say&) { return compile_computation_graph({}, {.unroll = 4}); }},
  };
  for (const Asked& asked : all) {
    std::string sentence;
    int status = 0;
    try {
      asked.call({});
    } catch (const InputError& error) {
      sentence = error.what();
      status = 2;
    } catch (const SizeLimit& limit) {
      sentence = limit.what();
      status = 3;
    }
    const support::Finished finished = program(asked.options);
    EXPECT_EQ(finished.status, status) << asked.options << "\n" << finished.err;
    // Before it, what the program says of the automaton; behind it, where there is help.
    std::string said = finished.err.substr(finished.err.rfind("logdepth: ") + 10);
    said = said.substr(0, std::min(said.find(" (see logdepth compile "), said.find('\n')));
    EXPECT_EQ(said, sentence) << asked.options;
  }
}

/// The sentence that a source is refused with.
std::string refused(const AutomatonSource& source) {
  try {
    compile_regular(source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was compiled";
}

TEST(ATransitionTable, IsAnAutomatonLikeAnother) {
  TransitionTable table = no_c_after_b();
  table.name = "no c after b";
  table.states = {"before", "after"};
  const Transformer transformer = compile_regular({.transitions = table});
  EXPECT_EQ(transformer.alphabet(), (Letters{"b", "c"}));
  const TestResult right = test_against(transformer, "regex:c*b+", {.up_to = 7, .random = 20});
  EXPECT_TRUE(right.passed()) << right.text();
  EXPECT_FALSE(test_against(transformer, "regex:(b|c)*b", {.up_to = 3}).passed());
  EXPECT_NE(transformer.text().find("no c after b"), std::string::npos);
  EXPECT_NE(transformer.text().find("before"), std::string::npos);
  table.start = 1;
  EXPECT_TRUE(
      test_against(compile_regular({.transitions = table}), "regex:b*", {.up_to = 4}).passed());
  const Transformer turned =
      compile_regular({.transitions = no_c_after_b(), .alphabet = {{"c", "b"}}});
  EXPECT_EQ(turned.alphabet(), (Letters{"c", "b"}));
  EXPECT_TRUE(test_against(turned, "regex:c*b+", {.up_to = 4}).passed());
}

TEST(ATransitionTable, IsRefusedWhereItIsNone) {
  const auto with = [](const std::function<void(TransitionTable&)>& change) {
    TransitionTable table = no_c_after_b();
    change(table);
    return refused({.transitions = table});
  };
  const std::string where = "transitions 'automaton': ";
  EXPECT_EQ(
      with([](TransitionTable& table) { table.accepting = {true}; }),
      where + "expected as many states in next and accepting, and at least one; found 2 and 1");
  EXPECT_EQ(with([](TransitionTable& table) { table.start = 2; }),
            where + "start: expected a state below 2, found 2");
  EXPECT_EQ(with([](TransitionTable& table) { table.next[1] = {1}; }),
            where + "state 1: expected a next state for each of 2 letters, found 1");
  EXPECT_EQ(with([](TransitionTable& table) { table.next[1][0] = 7; }),
            where + "state 1, letter 'b': expected a state below 2, found 7");
  EXPECT_EQ(with([](TransitionTable& table) { table.states = {"a"}; }),
            where + "expected 2 names of states, found 1");
  EXPECT_NE(with([](TransitionTable& table) {
              table.letters = {"b", "b"};
            }).find("'b'"),
            std::string::npos);
  EXPECT_EQ(
      refused({.group = "A5", .transitions = no_c_after_b()}),
      "expected one of --regex, --fst, --jff, --dot, --mata, --json-automaton, --group to name the "
      "language, found --group and transitions");
}

}}  // namespace logdepth::ready_made_tests
