#include "library/requests/ready_networks.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/quoted_text.hpp"
#include "library/requests/automaton_request.hpp"
#include "library/requests/compile_request.hpp"

namespace logdepth { inline namespace library_requests {
namespace {

constexpr std::uint64_t kLetters = 16, kVertices = 3, kUnrolled = 8;

void say_nothing(const std::string&) {}

/// Option and value, as the command takes them.
using Typed = std::vector<std::pair<std::string, std::string>>;

std::string typed_text(const Typed& typed) {
  std::string text;
  for (const auto& [option, value] : typed) text += " --" + option + " " + shell_word(value);
  return text;
}

/// Numbers are numbers.
Values values_of(const Typed& typed) {
  Values values;
  for (const auto& [option, value] : typed) {
    const bool digits = value.find_first_not_of("0123456789") == std::string::npos;
    values[option] = digits ? OptionValue(std::uint64_t{std::stoull(value)}) : OptionValue(value);
  }
  return values;
}

ReadyNetwork regular(std::string name, std::string family, std::string computes,
                     const AutomatonSource& source, const Typed& typed,
                     const CompileSettings& settings = {}) {
  std::string command = "logdepth compile regular";
  if (source.regex) command += " --regex " + shell_word(*source.regex);
  if (source.group) command += " --group " + *source.group;
  if (source.alphabet) {
    std::string letters;
    for (const std::string& letter : *source.alphabet) letters += letter;
    command += " --alphabet " + letters;
  }
  command += typed_text(typed);
  if (settings.unroll) command += fmt::format(" --unroll {}", *settings.unroll);
  if (settings.layernorm) command += " --norm layernorm";
  return {{std::move(name), std::move(family), std::move(computes), std::move(command)},
          settings.unroll.value_or(kLetters),
          [source, typed, settings] {
            const Values values = with_unroll(values_of(typed), settings);
            const LoadedAutomaton loaded = load_automaton(source);
            return requested_model(
                requested_program(loaded, chosen_construction(Problem::words, values), values,
                                  say_nothing),
                settings);
          }};
}

AutomatonSource group(const std::string& name) {
  return {.group = name};
}
AutomatonSource language(const std::string& regex, const std::string& alphabet) {
  Letters letters;
  for (const char letter : alphabet) letters.push_back(std::string(1, letter));
  return {.regex = regex, .alphabet = letters};
}

struct Language {
  const char *name, *regex, *alphabet, *computes;
};

/// Tomita 1982, over 0 and 1.
constexpr Language kTomita[] = {
    {"tomita1", "1*", "01", "only 1s"},
    {"tomita2", "(10)*", "01", "10 repeated"},
    {"tomita3", "(0|1(00(00)*1)*1)*(1(00(00)*1)*(00(00)*)?)?", "01",
     "no odd run of 0s directly after an odd run of 1s"},
    {"tomita4", "(1|01|001)*(0|00)?", "01", "no 000"},
    {"tomita5", "(00|11|(01|10)(00|11)*(01|10))*", "01", "an even number of 0s and of 1s"},
    {"tomita6", "(0(01)*(1|00)|1(0|1(01)*(1|00)))*", "01",
     "as many 0s as 1s, up to a multiple of 3"},
    {"tomita7", "0*1*0*1*", "01", "0s, then 1s, then 0s, then 1s"},
};
/// Languages without groups.
constexpr Language kCascaded[] = {
    {"ends-in-abb", "(a|b)*abb", "ab", "words that end in abb"},
    {"sorted", "a*b*c*", "abc", "letters in their order"},
    {"second-last-a", "(a|b)*a(a|b)", "ab", "the letter before the last one is a"},
    {"contains-aba", "(a|b)*aba(a|b)*", "ab", "words that contain aba"},
};

/// Balanced brackets nested at most `depth` deep; each pair of letters is a kind of brackets.
std::string balanced(const std::vector<std::string>& kinds, unsigned depth) {
  const std::string inside = depth > 1 ? balanced(kinds, depth - 1) : "";
  std::string alternatives;
  for (const std::string& kind : kinds)
    alternatives +=
        (alternatives.empty() ? "" : "|") + kind.substr(0, 1) + inside + kind.substr(1, 1);
  return "(" + alternatives + ")*";
}

ReadyNetwork dyck(unsigned kinds, unsigned depth, const std::string& construction,
                  const CompileSettings& settings = {}) {
  const std::vector<std::string> all = {"ab", "cd"};
  const std::vector<std::string> brackets(all.begin(), all.begin() + kinds);
  const bool cascade = construction == "cascade";
  return regular(
      fmt::format("dyck{}-depth{}{}", kinds, depth, cascade ? "-cascade" : ""), "Dyck languages",
      fmt::format("balanced brackets of {} {}, nested at most {} deep", kinds,
                  kinds == 1 ? "kind (a opens, b closes)" : "kinds (a opens, b closes; c, d)",
                  depth),
      language(balanced(brackets, depth), kinds == 1 ? "ab" : "abcd"),
      {{"construction", construction}}, settings);
}

struct Counting {
  const char *name, *computes, *text;
};
constexpr Counting kCounting[] = {
    {"majority", "more a than b", "alphabet a b\nmore := #[Q_a] > #[Q_b]\n"},
    {"twice", "more than twice as many a as b",
     "alphabet a b\nA := #[Q_a]\nB := #[Q_b]\nmore := A > B + B\n"},
    {"equal", "as many a as b", "alphabet a b\nequal := #[Q_a] = #[Q_b]\n"},
    {"dyck1", "balanced brackets of any depth",
     "alphabet ( )\nopened := #[Q_(]\nclosed := #[Q_)]\nV := opened < closed\nM := #[V] = 0\n"
     "B := opened = closed\nD := M and B\n"},
    {"anbncn", "as many a, b and c, in this order",
     "alphabet a b c\nA := #[Q_a]\nB := #[Q_b]\nC := #[Q_c]\n"
     "late := (Q_a and B + C > 0) or (Q_b and C > 0)\nordered := #[late] = 0\n"
     "equal := A = B and B = C\nL := ordered and equal\n"},
    {"subsequence", "an a, later a b, later an a",
     "alphabet a b c\nab := Q_b and #[Q_a] > 0\naba := Q_a and #[ab] > 0\nL := #[aba] > 0\n"},
};

ReadyNetwork counting(const Counting& program) {
  return {{std::string("crasp-") + program.name, "C-RASP programs", program.computes,
           fmt::format("logdepth compile crasp {}.crasp, of: {}", program.name,
                       shell_word(program.text))},
          kLetters,
          [program] {
            const SourceFile file = {std::string(program.name) + ".crasp", program.text};
            return requested_model(requested_program(file, say_nothing).program, {});
          }};
}

ReadyNetwork connectivity(const std::string& name, const Typed& typed, std::uint64_t vertices) {
  return {{"graphs-" + name, "graphs",
           "whether a vertex of a directed graph can be reached from another",
           "logdepth compile connectivity" + typed_text(typed)},
          vertices,
          [typed] {
            return requested_model(requested_program(Problem::graphs, values_of(typed)), {});
          }};
}

std::string products_in(const std::string& group) {
  return "the products of all prefixes in " + group;
}

}  // namespace

std::vector<ReadyNetwork> ready_networks() {
  std::vector<ReadyNetwork> all;
  for (const char* name :
       {"Z2",      "Z3",      "Z4",      "Z5",      "Z6",      "Z7",      "Z8",      "Z9",
        "Z10",     "Z11",     "Z12",     "Z16",     "Z24",     "Z30",     "V4",      "S3",
        "S4",      "S5",      "A4",      "A5",      "D4",      "D5",      "D6",      "D7",
        "D8",      "D9",      "D10",     "D12",     "Q8",      "Z2_x_Z4", "Z3_x_Z3", "Z4_x_Z4",
        "Z2_x_Z6", "Z5_x_Z5", "S3_x_Z2", "S3_x_Z3", "S3_x_S3", "A4_x_Z2", "A4_x_Z5", "A5_x_Z2",
        "S4_x_Z2", "S4_x_Z5", "D4_x_Z2", "D4_x_Z3", "Q8_x_Z2", "Q8_x_Z3", "D5_x_Z3", "V4_x_Z3"})
    all.push_back(regular(std::string("group-") + name, "groups", products_in(name), group(name),
                          {{"construction", "scan"}}));
  for (const Language& one : kTomita)
    all.push_back(regular(one.name, "Tomita languages", one.computes,
                          language(one.regex, one.alphabet), {{"construction", "scan"}}));
  for (const Language& one : kTomita)
    all.push_back(regular(std::string(one.name) + "-cascade", "Tomita languages", one.computes,
                          language(one.regex, one.alphabet), {{"construction", "cascade"}}));
  for (const unsigned depth : {1u, 2u, 3u, 4u, 5u, 6u}) all.push_back(dyck(1, depth, "scan"));
  for (const unsigned depth : {1u, 2u, 3u}) all.push_back(dyck(2, depth, "scan"));
  for (const unsigned depth : {1u, 2u, 3u}) all.push_back(dyck(1, depth, "cascade"));
  for (const Counting& program : kCounting) all.push_back(counting(program));
  for (const char* name : {"Z2", "Z3", "Z4", "Z6", "S3", "D4", "A4", "flipflop"})
    all.push_back(regular(std::string("cascade-") + name, "cascades",
                          std::string("the state after every prefix, in ") + name, group(name),
                          {{"construction", "cascade"}}));
  for (const Language& one : kCascaded)
    all.push_back(regular(std::string("cascade-") + one.name, "cascades", one.computes,
                          language(one.regex, one.alphabet), {{"construction", "cascade"}}));
  all.push_back(connectivity("compact", {{"construction", "compact"}}, kVertices));
  all.push_back(
      connectivity("compact-n3", {{"construction", "compact"}, {"padding", "n3"}}, kVertices));
  all.push_back(connectivity("paper", {{"construction", "paper"}}, kVertices));
  all.push_back(
      connectivity("bounded", {{"construction", "bounded"}, {"for-vertices", "4"}}, kVertices));
  for (const char* size : {"2", "3", "4", "5"})
    all.push_back(connectivity(std::string("rows-") + size,
                               {{"construction", "rows"}, {"size", size}}, std::stoull(size)));
  return all;
}

std::vector<ReadyNetwork> circuit_networks() {
  const CompileSettings unrolled{.unroll = kUnrolled};
  const Typed scan = {{"construction", "scan"}};
  std::vector<ReadyNetwork> all;
  for (const char* name : {"Z2", "Z3", "Z4", "Z5", "Z6", "Z7", "V4", "S3", "D4", "D5", "D6", "Q8",
                           "A4", "S4", "A5", "S5"})
    all.push_back(regular(std::string("scan-") + name, "scans", products_in(name), group(name),
                          scan, unrolled));
  for (const Language& one : kTomita)
    all.push_back(regular(std::string("scan-") + one.name, "scans", one.computes,
                          language(one.regex, one.alphabet), scan, unrolled));
  all.push_back(regular("scan-ends-in-abb", "scans", kCascaded[0].computes,
                        language(kCascaded[0].regex, kCascaded[0].alphabet), scan, unrolled));
  for (const unsigned depth : {1u, 2u, 3u, 4u}) all.push_back(dyck(1, depth, "scan", unrolled));
  for (const unsigned depth : {1u, 2u}) all.push_back(dyck(2, depth, "scan", unrolled));
  all.push_back(regular("radix-S3", "other forms", products_in("S3"), group("S3"),
                        {{"construction", "radix"}, {"radix", "3"}}, unrolled));
  all.push_back(regular("layernorm-A5", "other forms", products_in("A5"), group("A5"), scan,
                        {.layernorm = true, .unroll = kUnrolled}));
  for (ReadyNetwork& one : ready_networks())
    if (one.family == "cascades" || one.family == "C-RASP programs" ||
        one.name.ends_with("-cascade"))
      all.push_back(std::move(one));
  return all;
}

}}  // namespace logdepth::library_requests
