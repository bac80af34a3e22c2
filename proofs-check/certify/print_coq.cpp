#include "proofs-check/certify/print_coq.hpp"

#include "recheck/read_out.hpp"
#include "recheck/refusal.hpp"

namespace logdepth::inline proofs_check_certify {
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

std::string head(const CoqHead& h) {
  if (h.kind == CoqHead::Kind::idle) return "Idle";
  if (h.kind == CoqHead::Kind::uniform) return "Uniform";
  return "Match " + number(h.block) + " " + number(h.back) + " (" + rational(h.first) + ") (" +
         rational(h.second) + ")";
}

std::string certified(const CoqLayer& y) {
  return "{| headcs := " + list(y.heads, head) + "; norm1 := " + norm(y.attention) +
         "; norm2 := " + norm(y.feedforward) + "; factors := " + numbers(y.factors) +
         ";\n  next := " + stage(y.next) + " |}";
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
    for (const Images& b : c.labels) {
      Images both;
      for (const int q : a) both.push_back(b[static_cast<std::size_t>(q)]);
      line.push_back(c.label_of(both));
    }
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

std::string reset_head(const CoqResetHead& h) {
  using Kind = CoqResetHead::Kind;
  if (h.kind == Kind::nothing) return "Nothing";
  if (h.kind == Kind::mean) return "Mean";
  if (h.kind == Kind::last)
    return "Last (" + rational(h.first) + ") (" + rational(h.second) + ") " + numbers(h.held[0]);
  return "Back " + number(h.block) + " " + number(h.back) + " (" + rational(h.first) + ") (" +
         rational(h.second) + ") " + table(h.held);
}

std::string certificate_text(const recheck::Weights& weights, const CoqResets& c) {
  const auto layer_text = [](const CoqResetLayer& y) {
    return "{| resetheads := " + list(y.heads, reset_head, ";\n   ") +
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

/// Everything but the certificate, which is checked by `check` and used by the theorem `library`.
std::string printed(const recheck::Weights& weights, const CoqAutomaton& automaton,
                    const recheck::Theorem& theorem, const std::string& certificate,
                    const std::string& check, const std::string& library) {
  std::string letters;
  for (std::size_t a = 0; a < theorem.automaton->letters.size(); ++a)
    letters +=
        (a == 0 ? "" : ", ") + std::to_string(a) + " = " + named(theorem.automaton->letters[a]);
  return "(* The weights file with sha256 " + weights.sha256 +
         "\n   and the theorem that it computes X and R for every admissible word; letters: " +
         letters +
         ".\n   Numbers are those of the file: proofs-check/coq/read_back.py FILE.v WEIGHTS "
         "compares "
         "them. *)\n"
         "Require Import ZArith QArith List.\n"
         "From Logdepth Require Import Codes Rows Model Statement Atoms Checker ShiftScan "
         "ResetsChecker Resets.\n"
         "Import ListNotations.\nOpen Scope nat_scope.\n\n" +
         file_text(weights) + "\n(* the automaton: state, letter to state *)\n" +
         "Definition X : automaton := {| delta := " + table(automaton.successors) +
         "; start := " + number(automaton.first_state) +
         "; accepting := " + list(automaton.accepting, boolean) + " |}.\n" +
         "(* the prefix read-out, and the letters as maps of points *)\n" +
         reading(weights, theorem) + "\n(* not trusted *)\n" + certificate +
         "\nTheorem checked : " + check +
         " F C X R = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n"
         "Theorem right_for_every_length : decides F X /\\ tells F X R.\n"
         "Proof. exact (" +
         library + " F C X R checked). Qed.\nPrint Assumptions right_for_every_length.\n";
}

}  // namespace

std::string print_coq_rows(const recheck::Weights& weights) {
  recheck::need(weights.input.at("size").integer(1, weights.width) <= kMostVertices,
                "Coq: more than " + std::to_string(kMostVertices) + " vertices");
  return "(* The weights file with sha256 " + weights.sha256 +
         "\n   and the theorem that logit j of token i is positive if a walk leads from vertex i "
         "to "
         "vertex j, else negative, for every graph.\n   Numbers are those of the file: "
         "proofs-check/coq/read_back.py FILE.v WEIGHTS compares them. *)\n"
         "Require Import ZArith QArith List.\n"
         "From Logdepth Require Import Codes Rows Model Statement GraphChecker Connectivity.\n"
         "Import ListNotations.\nOpen Scope nat_scope.\n\n" +
         graph_file_text(weights) +
         "\nTheorem checked : rowscheck F = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n"
         "Theorem right_for_every_graph : decides_reachability F.\n"
         "Proof. exact (connectivity_correct F checked). Qed.\n"
         "Print Assumptions right_for_every_graph.\n";
}

std::string print_coq(const recheck::Weights& weights, const CoqCertificate& c,
                      const recheck::Theorem& theorem) {
  return printed(weights, c.automaton, theorem, certificate_text(weights, c), "check",
                 "shift_scan_correct");
}

std::string print_coq(const recheck::Weights& weights, const CoqResets& c,
                      const recheck::Theorem& theorem) {
  return printed(weights, c.automaton, theorem, certificate_text(weights, c), "resetcheck",
                 "resets_correct");
}

}  // namespace logdepth::inline proofs_check_certify
