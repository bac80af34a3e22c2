#include "proofs-check/certify/coq_certificate.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"

namespace logdepth { inline namespace proofs_check_certify {
namespace {

using recheck::Images;
using recheck::Json;
using recheck::Matrix;
using recheck::Row;
using recheck::Shift;

constexpr int kLargestNumber = 4000;  // numbers of Coq's nat are chains of successors
constexpr long kMostVertices = 44;    // n of them have 2 n n + 1 atoms
static_assert(2 * kMostVertices * kMostVertices < kLargestNumber);

std::string number(long n) {
  recheck::need(n >= 0 && n <= kLargestNumber, "Coq: the number " + std::to_string(n) +
                                                   " is beyond " + std::to_string(kLargestNumber));
  return std::to_string(n);
}

std::string rational(const mpq_class& q) {
  const std::string over = q.get_num().get_str();
  return "Qmake " + (over[0] == '-' ? "(" + over + ")" : over) + " " + q.get_den().get_str();
}

template <typename List, typename Print>
std::string list(const List& items, Print print, const char* between = ";") {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += between;
    out += print(item);
  }
  return out + "]";
}

std::string numbers(const std::vector<int>& items) {
  return list(items, [](int n) { return number(n); });
}

std::string table(const std::vector<std::vector<int>>& rows) {
  return list(rows, numbers);
}

std::string row(const Row& r) {
  return list(r,
              [](const auto& e) { return "(" + number(e.first) + "," + rational(e.second) + ")"; });
}

std::string boolean(bool b) {
  return b ? "true" : "false";
}

std::string matrix(const Matrix& m) {
  std::vector<Row> rows;
  for (int r = 0; r < m.rows; ++r) rows.push_back(m.row(r));
  return list(rows, row, ";\n   ");
}

std::string shift(Shift b) {
  const auto integer = [](long n) {
    return (n < 0 ? "(" : "") + std::to_string(n) + (n < 0 ? ")" : "") + "%Z";
  };
  return "(" + integer(b.strides) + "," + integer(b.constant) + ")";
}

std::string layer(const recheck::Layer& y) {
  const auto head = [](const recheck::Head& h) {
    return "{| causal := " + boolean(h.causal) + ";\n   hq := " + matrix(h.query) +
           ";\n   hk := " + matrix(h.key) + ";\n   hv := " + matrix(h.value) +
           ";\n   ho := " + matrix(h.output) + " |}";
  };
  std::vector<Row> columns(static_cast<std::size_t>(y.in.rows));
  for (const auto& [c, entries] : y.out.at)
    for (const auto& [unit, value] : entries) columns[static_cast<std::size_t>(unit)][c] = value;
  int unit = 0;
  const auto with_in = [&](const Row& out) {
    return "(" + row(y.in.row(unit++)) + "," + row(out) + ")";
  };
  return "{| amask := " + row(y.attention_mask) + ";\n  heads := " + list(y.heads, head, ";\n  ") +
         ";\n  fmask := " + row(y.feedforward_mask) +
         ";\n  units := " + list(columns, with_in, ";\n   ") + " |}";
}

std::string layers(const recheck::Weights& weights, const std::string& block) {
  std::vector<recheck::Layer> chosen;
  for (const recheck::Layer& y : weights.layers)
    if (y.block == block) chosen.push_back(y);
  return list(chosen, layer, ";\n ");
}

std::string positions(const recheck::Weights& weights) {
  const Json& position = weights.position;
  const std::string& kind = position.at("kind").string();
  if (kind == "first-flag")
    return "FirstFlag " + row(recheck::to_row(position.at("first"), weights.width)) + " " +
           row(recheck::to_row(position.at("rest"), weights.width));
  recheck::need(!position.has("parity"), "Coq: position with a parity; expected fills alone");
  const std::string code = kind == "fine"
                               ? "(Fine " + number(position.at("offset").integer(1, 1 << 30)) + ") "
                           : kind == "circle" ? "Circle "
                                              : "TwoCircle ";
  const auto fill = [&](const Json& f) {
    std::vector<int> at;
    for (const Json& c : f.at("at").array())
      at.push_back(static_cast<int>(c.integer(0, weights.width - 1)));
    return "{| ats := " + numbers(at) + "; back := " + number(f.at("back").integer(0, 1 << 30)) +
           "; scale := " + rational(f.at("scale").rational()) + " |}";
  };
  return "Fills " + code + list(position.at("fills").array(), fill);
}

/// A `max_length` of words is in the theorem; one of vertices is not below the size, which recheck has proved.
std::string unrolling(const recheck::Weights& weights) {
  const Json& unroll = weights.unroll;
  const std::string& kind = unroll.at("kind").string();
  if (kind == "fixed")
    return "Fixed " + number(unroll.at("loops").integer(0, 1L << 60)) +
           (unroll.has("max_length")
                ? " (Some " + number(unroll.at("max_length").integer(0, 1L << 60)) + ")"
                : " None");
  const bool words = weights.input.at("kind").string() == "word";
  recheck::need(kind == "ceil_log2" && !(words && unroll.has("max_length")),
                "Coq: unroll " + kind + "; expected ceil_log2 without max_length, or fixed");
  return "CeilLog2 " + number(unroll.at("minus").integer(0, 1));
}

std::string stage(const CoqStage& t) {
  const auto part = [](const CoqPart& p) {
    return "(" + number(p.coordinate) + ",(" + number(p.atom) + "," + rational(p.factor) + "))";
  };
  return "{| shifts := " + list(t.shifts, shift) +
         "; consts := " + list(t.constants, row, ";\n   ") +
         ";\n   parts := " + list(t.parts, part) + " |}";
}

std::string norm(const CoqNorm& n) {
  if (n.kind == CoqNorm::Kind::zero) return "Zero";
  return (n.kind == CoqNorm::Kind::scale ? "Scale (" : "Direction (") + rational(n.factor) + ")";
}

std::string head(const CoqHead& h, bool cascade) {
  using Kind = CoqHead::Kind;
  if (h.kind == Kind::idle) return cascade ? "Nothing" : "Idle";
  if (h.kind == Kind::mean) return cascade ? "Mean" : "Uniform";
  const std::string factors = " (" + rational(h.first) + ") (" + rational(h.second) + ")";
  if (h.kind == Kind::last) return "Last" + factors + " " + numbers(h.held[0]);
  const std::string match = number(h.block) + " " + number(h.back) + factors;
  return cascade ? "Back " + match + " " + table(h.held) : "Match " + match;
}

std::string certified(const CoqLayer& y) {
  return "{| headcs := " + list(y.heads, [](const CoqHead& h) { return head(h, false); }) +
         "; norm1 := " + norm(y.attention) + "; norm2 := " + norm(y.feedforward) +
         "; factors := " + numbers(y.factors) + ";\n  next := " + stage(y.next) + " |}";
}

std::string code_text(const std::string& code, const recheck::Weights& weights,
                      const mpq_class& parameter) {
  if (code == "phi") return "Phi (" + rational(parameter) + ")";
  if (code == "fine")
    return "Written (Fine " + number(weights.position.at("offset").integer(1, 1 << 30)) + ")";
  return code == "two-circle" ? "Written TwoCircle" : "Written Circle";
}

std::string certificate_text(const recheck::Weights& weights, const CoqCertificate& c) {
  std::vector<std::vector<int>> products;
  for (const Images& a : c.labels) {
    std::vector<int>& line = products.emplace_back();
    for (const Images& b : c.labels) line.push_back(place_of(c.labels, followed_by(a, b)));
  }
  const auto block = [](const std::vector<CoqLayer>& ys) { return list(ys, certified, ";\n "); };
  const std::string code = code_text(c.code, weights, c.parameter);
  return "Definition C : cert := {| coded := " + code +
         "; size := " + number(static_cast<long>(c.labels.size())) +
         ";\n mulT := " + table(products) + "; one := 0; gen := " + numbers(c.letters) +
         ";\n stage0 := " + stage(c.start) + ";\n cinit := " + block(c.initial) +
         ";\n cloop := " + stage(c.loop) + ";\n length0 := " + shift(c.length) +
         "; factor := " + number(c.factor) + ";\n cbody := " + block(c.repeated) +
         ";\n cfinal := " + block(c.final) + ";\n phi := " + numbers(c.state_of) +
         "; acts := " + table(c.labels) + " |}.\n";
}

/// Groups of rows of the prefix read-out, each row with what it stands for.
std::string reading(const recheck::Weights& weights, const recheck::Theorem& theorem) {
  using Kind = recheck::PrefixRows::Kind;
  const recheck::PrefixRows rows = recheck::read_prefix_rows(weights);
  std::vector<std::vector<std::pair<int, Images>>> groups;
  int r = rows.first_row;
  if (rows.kind == Kind::element) {
    groups.emplace_back();
    for (const Images& element : rows.choices) groups[0].emplace_back(r++, element);
  }
  if (rows.kind == Kind::transformation)
    for (const Images& images : rows.choices) {
      groups.emplace_back();
      for (const int image : images) groups.back().emplace_back(r++, Images{image});
    }
  if (rows.kind == Kind::state) {
    groups.emplace_back();
    for (int state = 0; state < rows.points; ++state) groups[0].emplace_back(r++, Images{state});
  }
  const auto entry = [&](const auto& e) {
    return "(" + row(weights.unembedding.row(e.first)) + "," + numbers(e.second) + ")";
  };
  const bool states = rows.kind == Kind::state;
  const char* reads = states ? "States" : rows.kind == Kind::element ? "Element" : "Images";
  return std::string("Definition R : reading := {| reads := ") + reads + "; groups := " +
         list(
             groups, [&](const auto& g) { return list(g, entry); }, ";\n  ") +
         ";\n maps := " + table(states ? std::vector<Images>() : theorem.automaton->maps) +
         "; points := " + number(states ? 0 : theorem.automaton->points) + " |}.\n";
}

std::string network_text(const recheck::Weights& weights) {
  return "{| width := " + number(weights.width) + "; ln := " + boolean(weights.layernorm) +
         ";\n initial := " + layers(weights, "initial") +
         ";\n repeated := " + layers(weights, "repeated") +
         ";\n final := " + layers(weights, "final") + ";\n unroll := " + unrolling(weights) + " |}";
}

std::string file_text(const recheck::Weights& weights) {
  const auto verdict = [&](const char* name) {
    return row(
        weights.unembedding.row(static_cast<int>(weights.output.at(name).integer(0, 1 << 24))));
  };
  return "Definition F : file := {| net := " + network_text(weights) +
         ";\n emb := " + list(weights.embedding, row, ";\n  ") + ";\n pi := " + positions(weights) +
         ";\n uacc := " + verdict("accept") + "; urej := " + verdict("reject") + " |}.\n";
}

std::string graph_file_text(const recheck::Weights& weights) {
  const Json& input = weights.input;
  const auto place = [&](const Json& r) { return row(recheck::to_row(r, weights.width)); };
  return "Definition F : graphfile := {| gnet := " + network_text(weights) +
         ";\n vertices := " + number(input.at("size").integer(1, weights.width)) +
         "; mirrored := " + boolean(input.has("mirrored") && input.at("mirrored").boolean()) +
         ";\n vertex := " + row(weights.embedding[0]) +
         ";\n places := " + list(weights.position.at("rows").array(), place, ";\n  ") +
         ";\n logits := " + matrix(weights.unembedding) + " |}.\n";
}

/// Letters in a comment: JSON, with nothing that Coq takes for the end of a string or a comment.
std::string named(const std::string& letter) {
  std::string out = "\"";
  for (const char c : letter)
    out += c == '"' || c == '*' || static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return out + "\"";
}

std::string certificate_text(const recheck::Weights& weights, const CoqResets& c) {
  const auto layer_text = [](const CoqLayer& y) {
    return "{| resetheads := " +
           list(
               y.heads, [](const CoqHead& h) { return head(h, true); }, ";\n   ") +
           "; before1 := " + norm(y.attention) + "; before2 := " + norm(y.feedforward) +
           ";\n  following := " + stage(y.next) + " |}";
  };
  return "Definition C : resetcert := {| rcoded := " + code_text(c.code, weights, c.parameter) +
         "; nodes := " + number(static_cast<long>(c.edges.size())) +
         ";\n edge := " + table(c.edges) + ";\n kinds := " + numbers(c.kinds) +
         ";\n first_stage := " + stage(c.start) +
         ";\n resetlayers := " + list(c.layers, layer_text, ";\n ") +
         ";\n to_state := " + numbers(c.state_of) + "; to_map := " + table(c.map_of) + " |}.\n";
}

/// What differs between theorems: what is claimed, the library's files, the definitions, how they are checked, and the theorem.
struct Printed {
  std::string claim, files, definitions, check, name, statement, proof;
};

std::string printed(const recheck::Theorem& theorem, const Printed& text) {
  return "(* The weights file with sha256 " + theorem.weights_sha256 +
         "\n   the certificate of logdepth-recheck with sha256 " + theorem.certificate_sha256 +
         "\n   and the theorem that " + text.claim +
         ".\n   Numbers are those of the file: proofs-check/coq/read_back.py FILE.v WEIGHTS "
         "compares them. *)\n"
         "Require Import ZArith QArith List.\n"
         "From Logdepth Require Import Codes Rows Model Statement " +
         text.files + ".\nImport ListNotations.\nOpen Scope nat_scope.\n\n" + text.definitions +
         "\nTheorem checked : " + text.check +
         " = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\nTheorem " + text.name + " : " +
         text.statement + ".\nProof. exact (" + text.proof + " checked). Qed.\nPrint Assumptions " +
         text.name + ".\n";
}

/// Everything but the certificate, which is checked by `check` and used by the theorem `library`.
std::string printed_words(const recheck::Weights& weights, const CoqAutomaton& automaton,
                          const recheck::Theorem& theorem, const std::string& certificate,
                          const std::string& check, const std::string& library) {
  std::string letters;
  for (std::size_t a = 0; a < theorem.automaton->letters.size(); ++a)
    letters +=
        (a == 0 ? "" : ", ") + std::to_string(a) + " = " + named(theorem.automaton->letters[a]);
  return printed(
      theorem,
      {.claim = "it computes X and R for every admissible word; letters: " + letters,
       .files = "Atoms Checker ShiftScan ResetsChecker Resets",
       .definitions = file_text(weights) + "\n(* the automaton: state, letter to state *)\n" +
                      "Definition X : automaton := {| delta := " + table(automaton.successors) +
                      "; start := " + number(automaton.first_state) +
                      "; accepting := " + list(automaton.accepting, boolean) + " |}.\n" +
                      "(* the prefix read-out, and the letters as maps of points *)\n" +
                      reading(weights, theorem) + "\n(* not trusted *)\n" + certificate,
       .check = check + " F C X R",
       .name = "right_for_every_length",
       .statement = "decides F X /\\ tells F X R",
       .proof = library + " F C X R"});
}

}  // namespace

std::string print_coq_rows(const recheck::Weights& weights, const recheck::Theorem& theorem) {
  recheck::need(weights.input.at("size").integer(1, weights.width) <= kMostVertices,
                "Coq: more than " + std::to_string(kMostVertices) + " vertices");
  return printed(theorem, {.claim = "logit j of token i is positive if a walk leads from vertex i "
                                    "to vertex j, else negative, for every graph",
                           .files = "GraphChecker Connectivity",
                           .definitions = graph_file_text(weights),
                           .check = "rowscheck F",
                           .name = "right_for_every_graph",
                           .statement = "decides_reachability F",
                           .proof = "connectivity_correct F"});
}

std::string print_coq(const recheck::Weights& weights, const CoqCertificate& c,
                      const recheck::Theorem& theorem) {
  return printed_words(weights, c.automaton, theorem, certificate_text(weights, c), "check",
                       "shift_scan_correct");
}

std::string print_coq(const recheck::Weights& weights, const CoqResets& c,
                      const recheck::Theorem& theorem) {
  return printed_words(weights, c.automaton, theorem, certificate_text(weights, c), "resetcheck",
                       "resets_correct");
}

}}  // namespace logdepth::proofs_check_certify
