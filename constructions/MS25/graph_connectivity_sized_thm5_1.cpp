// MS25 Theorem 5.1 for a graph size given in advance: coordinates in the position encoding.
//
// Statement (MS25 Thm 5.1). As in graph_connectivity_MS25_thm5_1.cpp.
// Here. For each n a (1, 1, 1)-universal transformer over the same tokens (n^3 - n^2 padding) with
//   ceil(log2(n-1)) loops, all rational. A family of transformers, one for each size.
//
// Hypotheses. The position encoding is a table of n^3 + 2n rows; averaging-hard attention, causal
//   and unmasked heads; masked pre-norm without epsilon; exact numbers. Smaller graphs get isolated
//   vertices.
// Deviation. A table of positions that knows n instead of the first-flag: the six initial layers of
//   the uniform form, which compute coordinates and a margin from counts, are not needed.
//
// Cells (p a position, div and mod by n)
//   one             constant
//   kind            one-hot        matrix, pad, source, target
//   A               flag           there is an edge; false off the matrix
//   I               key            circle code of p
//   U, T, K, J      direction 2    circle codes of p div n, p div n div n, (p div n) mod n, p mod n
//   V               one-hot        p - n^3 at the source and target tokens, else `none`
//   S               one-hot        V of the last source token so far; at the target tokens: s
//   t               one-hot        V - S - 1, at the last token: t
//   same            flag           S = V - S - 1, at the last token: s = t
//   C               flag, state    as in the uniform form
//   xA, xC, yA, yC  flag, scratch  what the loop fetched
//   zA, zC          flag           last layer: A(s,t), OR_k C(s,k,t)
// Loop. That of the uniform form, with the same matches at every token. Its margin is a constant.
//   A mismatch of the circle codes of a and b != a, with x = a + 1 and y = b + 1, costs
//     2 (x-y)^2 / ((1+x^2)(1+y^2)) >= 2 / ((1+x^2)(1+(x+1)^2)):
//   for y > x the cost grows with y, since (y-x)/sqrt(1+y^2) does; for y < x, (x-y)^2/(1+y^2) is
//   least at y = x - 1, where it is 1/(1+(x-1)^2). Queried a are at most n + 2, so x <= n + 3, and
//   twice the margin 1 / (2 (1+(n+3)^2)(1+(n+4)^2)) is half of the least cost.
// The last layer asks with the one-hot cells S and t: a linear image of a one-hot cell is any code.
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/graph_squaring.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth {
namespace {

/// What the last layer reads: A(s,t), OR_k C(s,k,t), s = t.
std::string answer(const std::string& source, const std::string& target,
                   const std::string& margin) {
  return "final\n  fetch edge unmasked find-one " + source + " key U and " + target +
         " key J\n    copy zA A\n  fetch walk unmasked find " + source + " key T and " + target +
         " key J prefer C=true margin " + margin +
         "\n    copy zC C\noutput accept + zA + zC + same + 2 one\noutput reject\n";
}

/// "( form : form )" that is the circle code of the number that the one-hot `cell` stands for;
/// labels that are no vertex read as vertex 0.
std::string code_of_label(const std::string& cell, const std::vector<std::string>& labels,
                          std::uint32_t size) {
  std::string text = "(";
  for (std::size_t component = 0; component < 2; ++component) {
    if (component == 1) text += " :";
    for (std::uint32_t l = 0; l < labels.size(); ++l) {
      const Rational value = circle_code(l < size ? l : 0)[component];
      if (value.is_zero()) continue;
      text += value.sign() < 0 ? " - " : " + ";
      text += value.abs().text() + " " + cell + "[" + labels[l] + "]";
    }
  }
  return text + " )";
}

/// s from the last source token, t from its distance to the last token.
std::string terminals(std::uint32_t size) {
  const auto label = [&](std::uint32_t l) {
    return l == 2 * size ? std::string("none") : std::to_string(l);
  };
  std::string text =
      "initial\n  fetch last_source causal rightmost kind=source key I\n    copy S V\n"
      "  lookup target\n";
  for (std::uint32_t s = 0; s <= 2 * size; ++s)
    for (std::uint32_t v = 0; v <= 2 * size; ++v) {
      // s + 1 source tokens and t + 1 target tokens end at offset s + t + 1.
      const bool good = s < size && v > s && v - s - 1 < size && v < 2 * size;
      const std::uint32_t t = good ? v - s - 1 : 0;
      text += fmt::format("    rule S={} V={} -> t={} same={}\n", label(s), label(v), t,
                          good && s == t ? "true" : "false");
    }
  return text;
}

std::string table(std::uint32_t size) {
  const std::uint32_t triples = size * size * size;
  std::string text;
  for (std::uint32_t p = 0; p < triples + 2 * size; ++p) {
    const std::uint32_t u = p / size;
    const auto cell = [](const char* name, std::uint32_t value) {
      return fmt::format("{}{}", name, value);
    };
    text += "at" + cell(" I=", p) + cell(" U=", u) + cell(" T=", u / size) + cell(" K=", u % size) +
            cell(" J=", p % size) + (p < triples ? " V=none" : cell(" V=", p - triples)) + "\n";
  }
  return text;
}

}  // namespace

Program graph_connectivity_sized_MS25_thm5_1(std::uint32_t size) {
  if (size == 0) throw InputError("a graph has at least one vertex, so --size is at least 1");
  if (size > kMaxSizedVertices)
    throw SizeLimit(
        fmt::format("a table of positions for {} vertices has {} rows; the limit is {} vertices; "
                    "try without --size, which serves every size, or --construction rows",
                    size, std::uint64_t{size} * size * size + 2 * size, kMaxSizedVertices));
  std::vector<std::string> vertices, offsets;
  for (std::uint32_t l = 0; l < 2 * size; ++l) {
    if (l < size) vertices.push_back(std::to_string(l));
    offsets.push_back(std::to_string(l));
  }
  offsets.emplace_back("none");
  const auto onehot = [](const std::string& cell, const std::vector<std::string>& labels) {
    std::string text = "cell " + cell + " onehot";
    for (const std::string& label : labels) text += " " + label;
    return text + "\n";
  };
  const std::uint64_t a = size + 3;
  const std::string margin = fmt::format("1/{}*one", 2 * (1 + a * a) * (1 + (a + 1) * (a + 1)));
  const std::string n = std::to_string(size);
  const std::string head =
      R"cells(logdepth-cells 1
program connectivity
construction compact
source "MS25 Theorem 5.1 (optimised, for a given number of vertices)"
hypothesis "a graph of at most )cells" +
      n +
      R"cells( vertices, as n^2 matrix tokens, n^3 - n^2 padding tokens, s+1 source and t+1 target tokens"
hypothesis "a table of positions that holds the coordinates of every token"
hypothesis "averaging-hard attention, causal and unmasked heads, masked pre-norm without epsilon, exact numbers"
deviation "a position encoding that knows n buys the initial layers; one transformer per size"
input graph adjacency n3-n2 size )cells" +
      n + R"cells(
unroll ceil_log2 vertices minus 1
cell one constant
cell kind onehot matrix pad source target
cell A flag
cell I key circle
cell U direction 2
cell T direction 2
cell K direction 2
cell J direction 2
cell C state flag
cell xA scratch flag
cell xC scratch flag
cell yA scratch flag
cell yC scratch flag
cell zA flag
cell zC flag
cell same flag
)cells" +
      onehot("V", offsets) + onehot("S", offsets) + onehot("t", vertices) +
      R"cells(token <edge> kind=matrix A=true C=false
token <no-edge> kind=matrix A=false C=false
token <pad> kind=pad A=false C=false
token <source> kind=source A=false C=false
token <target> kind=target A=false C=false
)cells";
  const std::string body =
      squaring_loop("T", "K", margin) +
      answer(code_of_label("S", offsets, size), code_of_label("t", vertices, size), margin);
  return parse_program(head + table(size) + terminals(size) + body, "connectivity, given size");
}

}  // namespace logdepth
