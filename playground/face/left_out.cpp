// What the WebAssembly program has not: processes, other programs, floating point, the checker of certificates. Each is refused
// by name where the command line offers it.
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "cli/answers.hpp"
#include "cli/certify_file.hpp"
#include "cli/early_end.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_formats.hpp"
#include "oracle/command_oracle.hpp"
#include "playground/face/command.hpp"
#include "report/pictures/render.hpp"
#include "report/pictures/tikz.hpp"
#include "runtime/floats/float_run.hpp"

namespace logdepth {

inline namespace playground_face {

std::string is_left_out(const std::string& what) {
  return what + " is not part of the program in the browser; expected an installed logdepth";
}

const std::vector<std::string>& other_commands() {
  static const std::vector<std::string> commands = {
      "test",    "check",  "certify", "merge", "draw",    "export",  "zoo", "play",
      "convert", "report", "train",   "data",  "compare", "measure", "lm"};
  return commands;
}

std::vector<std::string> left_out() {
  return {"floating point (--engine, --device, --temperature)",
          "Graphviz (DOT files), and pictures as .pdf, .png, .tex and .tikz",
          "GraphML",
          "certificates (--certify)",
          "a program as test oracle (--against command:PROGRAM)",
          "the time limit --seconds",
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
Graph read_graphml(const std::string&, const std::string& source) {
  refuse(source + ": GraphML");
}
std::string write_graphml(const Graph&) {
  refuse("GraphML");
}
}  // namespace objects

inline namespace oracle {
std::unique_ptr<LanguageOracle> make_command_oracle(const std::string& command, Alphabet) {
  refuse("the program " + command);
}
ReachabilityQuestion make_command_reachability(const std::string& command) {
  refuse("the program " + command);
}
}  // namespace oracle

inline namespace report_pictures {
std::vector<std::string> render_graphs(const std::string&) {
  refuse("Graphviz");
}
std::vector<LabelPicture> render_labels(const std::vector<std::string>&, const std::string&) {
  refuse("Graphviz");
}
std::string render_svg(const std::string&, const std::string& form) {
  refuse("a picture as ." + form);
}
std::string tikz_picture(const std::string&) {
  refuse("a picture for LaTeX");
}
std::string tikz_document(const std::string&) {
  refuse("a picture for LaTeX");
}
}  // namespace report_pictures

inline namespace runtime_floats {
namespace float_pass {
template <class Real>
struct PlanMatrix {};
}  // namespace float_pass

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
Outcome<FloatAnswer<bool>> FloatRunner::relation(const FloatStream&, std::size_t,
                                                 std::size_t) const {
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
int cuda_devices() {
  return 0;
}
bool built_with_cuda() {
  return false;
}
}  // namespace runtime_floats

inline namespace cli {

std::string certificate_path(const std::string&) {
  refuse("--certify");
}
int certify_file(const std::string&, const std::string&, bool, std::ostream&) {
  refuse("--certify");
}

// No signal and no timer ends a command here; the page stops its worker. Answers are texts already.
void add_time_limit(CLI::App&) {}
void write_out_answers() {
  std::cout.flush();
}
void drop_unfinished_answer() {
  if (auto* const text = dynamic_cast<std::stringbuf*>(std::cout.rdbuf())) text->str("");
}
void print_by_lines() {}

}  // namespace cli
}  // namespace logdepth
