// What the WebAssembly program has not: processes, other programs, floating point. Each is refused by name where the command
// line offers it.
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "constructions/construction.hpp"
#include "library/exports/self_test.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "oracle/command_oracle.hpp"
#include "oracle/reachability_oracle.hpp"
#include "playground/face/command.hpp"
#include "runtime/floats/float_run.hpp"

namespace logdepth {

inline namespace playground_face {

std::string is_left_out(const std::string& what) {
  return what + " is not part of the program in the browser; expected an installed logdepth";
}

const std::vector<std::string>& other_commands() {
  static const std::vector<std::string> commands = {
      "check", "draw", "export", "zoo", "play", "convert", "train", "data", "compare", "measure"};
  return commands;
}

std::vector<std::string> left_out() {
  return {"floating point (--engine, --device, --temperature, --float)",
          "Graphviz (DOT files)",
          "a program as test oracle (--against command:PROGRAM), and tests of graphs",
          "the time limit --seconds",
          "the manual page and completions (--man, --completion)",
          "the command compile formula",
          "the commands " + joined(other_commands())};
}

}  // namespace playground_face

namespace {
[[noreturn]] void refuse(const std::string& what) {
  throw InputError(is_left_out(what));
}
}  // namespace

inline namespace objects {
Nfa read_dot(const std::string&, const std::string& source) {
  refuse(source + ": Graphviz");
}
std::string write_dot(const Nfa&) {
  refuse("Graphviz");
}
Graph read_dot_graph(const std::string&, const std::string& source) {
  refuse(source + ": Graphviz");
}
std::string write_dot_graph(const Graph&) {
  refuse("Graphviz");
}
}  // namespace objects

inline namespace constructions_JSHCM26 {
Construction formula_value_record() {
  return {.key = {"JSHCM26", "lem-4.1", "formula"},
          .problem = Problem::formulas,
          .program = [](const Request&) -> Program { refuse("compile formula"); }};
}
}  // namespace constructions_JSHCM26

inline namespace oracle {
std::unique_ptr<LanguageOracle> make_command_oracle(const std::string& command, Alphabet) {
  refuse("the program " + command);
}
ReachabilityQuestion make_command_reachability(const std::string& command) {
  refuse("the program " + command);
}
struct ReachabilityOracle::Edges {};
ReachabilityOracle::ReachabilityOracle(const Graph&) {
  refuse("a test of graphs");
}
ReachabilityOracle::~ReachabilityOracle() = default;
bool ReachabilityOracle::reaches(Vertex, Vertex) const {
  refuse("a test of graphs");
}
std::vector<std::vector<bool>> ReachabilityOracle::transitive_closure() const {
  refuse("a test of graphs");
}
}  // namespace oracle

namespace exports {
CertifiedNetwork certified_network(const Model&, const ExportSettings&) {
  refuse("floating point");
}
std::string float_certificate(const CertifiedNetwork&, const std::string&) {
  refuse("floating point");
}
}  // namespace exports

inline namespace cli {
std::string manual_page(const CLI::App&) {
  refuse("the manual page");
}
std::string completion_script(const CLI::App&) {
  refuse("the completion of a shell");
}
}  // namespace cli

inline namespace runtime_floats {
class FloatRunner::Engine {};

FloatRunner::FloatRunner(const Model& model, const PrecisionFacts&, const FloatOptions&)
    : model_(model) {
  refuse("floating point");
}
FloatRunner::~FloatRunner() = default;
// Nobody has a runner to ask.
Outcome<FloatStream> FloatRunner::run(const Tokens&, const std::vector<FloatObserver*>&) {
  refuse("floating point");
}
Outcome<FloatAnswer<bool>> FloatRunner::accepts(const FloatStream&, std::size_t) const {
  refuse("floating point");
}
Outcome<FloatAnswer<bool>> FloatRunner::connected(const FloatStream&, std::size_t,
                                                  std::size_t) const {
  refuse("floating point");
}
Outcome<FloatAnswer<PrefixAnswer>> FloatRunner::prefix(const FloatStream&, std::size_t) const {
  refuse("floating point");
}
std::vector<FloatNumber> FloatRunner::logits(const FloatStream&, std::size_t) const {
  refuse("floating point");
}
FloatAnswer<std::vector<FloatNumber>> FloatRunner::numbers(const FloatStream&, std::size_t) const {
  refuse("floating point");
}
const FloatStatistics& FloatRunner::statistics() const {
  refuse("floating point");
}
FloatStatistics& FloatStatistics::operator+=(const FloatStatistics&) {
  refuse("floating point");
}
const char* certificate_name(Certificate) {
  refuse("floating point");
}
}  // namespace runtime_floats

inline namespace cli {

// No signal and no timer ends a command here; the page stops its worker. Answers are texts already.
void add_time_limit(CLI::App&, const CLI::Validator&) {}
void write_out_answers() {
  std::cout.flush();
}
void drop_unfinished_answer() {
  if (auto* const text = dynamic_cast<std::stringbuf*>(std::cout.rdbuf())) text->str("");
}

}  // namespace cli
}  // namespace logdepth
