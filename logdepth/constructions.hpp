#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/compile.hpp"

/// The constructions of the papers, ready-made: what `logdepth compile` compiles. Settings have the
/// names, values and defaults of its options, and what is wrong with them is said in its sentences.
namespace logdepth {

/// Called with every line that `logdepth compile` says on standard error before it has written:
/// how large the automaton is, which construction was chosen and why, which table.
using Say = std::function<void(const std::string& line)>;

/// A file to read, or a text in its place: `"abb.fst"`, `{"abb.fst", text}`.
struct SourceFile {
  /// A file is said by its name.
  SourceFile(const std::string& file) : name(file) {}  // NOLINT
  /// The same.
  SourceFile(const char* file) : name(file) {}  // NOLINT
  /// `called` names the text in messages and, without its folders, in the weights.
  SourceFile(const std::string& called, const std::string& content) : name(called), text(content) {}
  std::string name;                 ///< of the file, or what stands in its place is called
  std::optional<std::string> text;  ///< absent: the file is read
};

/// A deterministic automaton, written down. Its states are 0, 1, ...
struct TransitionTable {
  Letters letters;  ///< in their order
  /// Of each state, by letter: the next one. Absent: no word that goes on this way is accepted.
  std::vector<std::vector<std::optional<std::uint32_t>>> next;
  std::vector<bool> accepting;           ///< of each state
  std::uint32_t start = 0;               ///< the state before the first letter
  std::vector<std::string> states = {};  ///< what they are called; none: by their numbers
  std::string name = "automaton";        ///< what it is called in the weights
};

/// What names an automaton: exactly one of regex, fst, jff, dot, mata, json, group,
/// transitions.
struct AutomatonSource {
  std::optional<std::string> regex = {};  ///< a regular expression, "(a|b)*abb"
  std::optional<SourceFile> fst = {};     ///< AT&T / OpenFst text acceptor
  std::optional<SourceFile> jff = {};     ///< JFLAP file
  std::optional<SourceFile> dot = {};     ///< Graphviz file, accepting states as doublecircle
  std::optional<SourceFile> mata = {};    ///< file of the library Mata (NFA-explicit)
  /// The dictionary of Python's libraries as JSON, automata-lib's DFA or NFA: states,
  /// input_symbols, transitions, initial_state, final_states.
  std::optional<SourceFile> json = {};
  std::optional<std::string> group = {};  ///< a group or monoid by its name: "A5", "Z6", "flipflop"
  std::optional<TransitionTable> transitions = {};  ///< written down
  std::optional<Letters> alphabet = {};    ///< of regex and files: the letters in their order
  std::optional<SourceFile> symbols = {};  ///< of fst: OpenFst symbols file
  /// Of groups: "generators" (if not given) or "all" elements.
  std::optional<std::string> letters = {};
};

/// How a regular language is recognised.
struct RegularSettings {
  /// "scan" (MS25 Theorem 4.1), "tree" (with the paper's own tree), "radix" (Corollary 4.2; with
  /// `unroll` of words so long, without it for all lengths), "cascade" (Krohn and Rhodes, constant
  /// depth where the groups are solvable), or "auto": the one of the fewest layers.
  std::string construction = "scan";
  /// Of auto: letters of the words that layers are counted for, and that need not be exceeded. Not
  /// given: 1000000, and all lengths are right.
  std::optional<std::uint64_t> for_length = {};
  std::optional<unsigned> radix = {};  ///< of radix: products that a layer multiplies; 2
  std::optional<unsigned> block = {};  ///< of radix without `unroll`: layers of the loop; 2
  /// "two-circle", "circle", "fine", "first-flag"; not given: what the construction likes best.
  std::optional<std::string> positions = {};
  std::string table = "auto";  ///< of products: "matrix", "monoid", or "auto": the smaller one
};

/// A transformer that recognises the language and, in the constructions that multiply, yields every
/// prefix product. Errors: InputError and SizeLimit, as `logdepth compile regular`.
Transformer compile_regular(const AutomatonSource& automaton, const RegularSettings& settings = {},
                            const CompileSettings& compiling = {}, const Say& say = {});

/// How the connectivity of graphs is decided.
struct ConnectivitySettings {
  /// "compact" (a layer per squaring), "paper" (two, the paper's, repaired), "rows" (a token per
  /// vertex, all pairs at once, for `size`), "radix" (walks of `radix` times the length in one
  /// layer, for `size`), "bounded" (a layer fewer, for `for_vertices`).
  std::string construction = "compact";
  std::optional<std::uint32_t> size = {};          ///< graphs of at most so many vertices
  std::optional<std::uint32_t> radix = {};         ///< of radix: 2 or 3; 3
  std::optional<std::uint32_t> for_vertices = {};  ///< of bounded: at most so many vertices
  std::optional<std::string> padding = {};         ///< tokens: "n3", or "n3-n2" if not given
};

/// Whether t can be reached from s in a graph (MS25 Theorem 5.1). Errors: as the command.
Transformer compile_connectivity(const ConnectivitySettings& settings = {},
                                 const CompileSettings& compiling = {});

/// How numbers are divided.
struct DivisionSettings {
  /// "compact" (fewest layers for every length), "paper" (the paper's steps, repaired), "floor"
  /// (fewest layers for `for_length`, from unit vectors).
  std::string construction = "compact";
  bool own_argument = false;                     ///< divide the position itself (compact, floor)
  bool unit_inputs = false;                      ///< phi(i) and dir(i, m) are given (compact)
  std::optional<std::uint64_t> for_length = {};  ///< of floor: at most so many tokens
};

/// Quotient and remainder of a_i by m at every token, from raw streams (MS25 Lemma 3.1). Errors: as
/// the command.
Transformer compile_division(const DivisionSettings& settings = {},
                             const CompileSettings& compiling = {});

/// What a C-RASP program decides, at every length. Errors: as the command, with the line of the
/// program.
Transformer compile_crasp(const SourceFile& program, const CompileSettings& compiling = {},
                          const Say& say = {});

/// Which computation graphs are evaluated.
struct ComputationGraphSettings {
  /// "compact" (a layer per unit of depth), "pairwise" (an operation in each, smaller tables).
  std::string construction = "compact";
  std::uint32_t prime = 3;     ///< values are 0 to prime - 1
  std::uint32_t names = 32;    ///< variables x0 to x<names - 1>
  std::uint32_t operands = 3;  ///< of an expression, at most: 1 to 3
  std::uint32_t depth = 1;     ///< iterations: graphs up to this depth are solved
};

/// Arithmetic modulo a prime on a computation graph, one iteration per unit of depth. Errors: as
/// the command.
Transformer compile_computation_graph(const ComputationGraphSettings& settings = {},
                                      const CompileSettings& compiling = {});

/// Hops of induction heads.
struct KhopSettings {
  std::uint32_t hops = 2;  ///< k; of "token" the largest
  /// "fixed" (any number), "loops" (a power of two, one loop per doubling), "token" (the number with
  /// which the word begins).
  std::string form = "fixed";
  std::uint32_t letters = 4;  ///< a, b, c, ...
};

/// The letter that k hops of an induction head lead to, at every token (Sanford, Hsu, Telgarsky,
/// Theorem 4.2). Errors: as the command.
Transformer compile_khop(const KhopSettings& settings = {}, const CompileSettings& compiling = {});

/// The value of formulas in postfix order over "boolean" (letters 0 1 ! & |, accepted where it is 1) or
/// "mod2" to "mod7" (letters 0 1 ... + *, an output per value and `none`), by Rytter's pebble game (Jerad
/// et al. 2026). Errors: as the command.
Transformer compile_formula(const std::string& algebra = "boolean",
                            const CompileSettings& compiling = {});

/// Whether a formula of past temporal logic holds at the last letter, one layer per temporal operator
/// inside another (docs/constructions.md has the grammar). The alphabet, if none is given, is that of the
/// letters of the formula. Errors: as the command, with the place in the formula.
Transformer compile_ltl(const std::string& formula,
                        const std::optional<std::vector<std::string>>& alphabet = {},
                        const CompileSettings& compiling = {});

/// A network of `logdepth zoo`, whose algorithm is known.
struct ZooNetwork {
  std::string name;      ///< "group-S3", "tomita4", "graphs-compact"
  std::string family;    ///< "groups", "Tomita languages", ...
  std::string computes;  ///< one line
  std::string command;   ///< that compiles the same weights
};

/// All of them, in the order of `logdepth zoo --list`.
std::vector<ZooNetwork> zoo_networks();

/// The network of this name. Errors: InputError for a name that is not in the list.
Transformer zoo(const std::string& name);

}  // namespace logdepth
