#include <algorithm>
#include <nlohmann/json.hpp>

#include "proofs-check/certify/coq_certificate.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"

namespace logdepth { inline namespace proofs_check_certify {
namespace {

using nlohmann::json;

json row(const recheck::Row& r) {
  json out = json::array();
  for (const auto& [at, value] : r) out.push_back({at, value.get_str()});
  return out;
}

json shift(recheck::Shift b) {
  return {b.strides, b.constant};
}

json stage(const CoqStage& t) {
  json shifts = json::array(), constants = json::array(), parts = json::array();
  for (const recheck::Shift& b : t.shifts) shifts.push_back(shift(b));
  for (const recheck::Row& r : t.constants) constants.push_back(row(r));
  for (const CoqPart& p : t.parts) parts.push_back({p.coordinate, p.atom, p.factor.get_str()});
  return {{"shifts", shifts}, {"consts", constants}, {"parts", parts}};
}

json norm(const CoqNorm& n) {
  if (n.kind == CoqNorm::Kind::zero) return {"zero"};
  return {n.kind == CoqNorm::Kind::scale ? "scale" : "direction", n.factor.get_str()};
}

/// A match of a cascade lists which nodes hold the same value so many positions back.
json head(const CoqHead& h) {
  using Kind = CoqHead::Kind;
  const std::string first = h.first.get_str(), second = h.second.get_str();
  switch (h.kind) {
    case Kind::idle:
      return {"idle"};
    case Kind::mean:
      return {"mean"};
    case Kind::last:
      return {"last", first, second, h.held[0]};
    case Kind::match:
      return {"match", h.block, h.back, first, second, h.held};
  }
  return nullptr;
}

json layers(const std::vector<CoqLayer>& ys) {
  json out = json::array();
  for (const CoqLayer& y : ys) {
    json heads = json::array();
    for (const CoqHead& h : y.heads) heads.push_back(head(h));
    out.push_back({{"heads", heads},
                   {"norms", json::array({norm(y.attention), norm(y.feedforward)})},
                   {"factors", y.factors},
                   {"next", stage(y.next)}});
  }
  return out;
}

json coding(const std::string& code, const mpq_class& parameter, const recheck::Weights& weights) {
  if (code == "phi") return {code, parameter.get_str()};
  if (code == "fine") return {code, weights.position.at("offset").integer(1, 1L << 60)};
  return {code == "two-circle" ? code : "circle"};  // also where no position is read
}

std::string text(const recheck::Theorem& theorem, json members) {
  members["format"] = "logdepth-proof";
  members["version"] = 1;
  members["sha256"] = theorem.weights_sha256;
  members["theorem"] = theorem.name;
  return members.dump() + '\n';
}

/// Of words: the automaton, the letters as maps of points where products are read, and the certificate.
std::string text_of_words(const recheck::Weights& weights, const recheck::Theorem& theorem,
                          const CoqAutomaton& x, json certificate) {
  json members = {{"automaton",
                   {{"delta", x.successors}, {"start", x.first_state}, {"accepting", x.accepting}}},
                  {"certificate", std::move(certificate)}};
  if (recheck::read_prefix_rows(weights).kind != recheck::PrefixRows::Kind::state) {
    for (const recheck::Images& map : theorem.automaton->maps)
      recheck::need(std::ranges::all_of(map, [](int image) { return image >= 0; }),
                    "Coq: a letter that is a map of some points; expected one of all");
    members["points"] = theorem.automaton->points;
    members["maps"] = theorem.automaton->maps;
  }
  return text(theorem, std::move(members));
}

}  // namespace

std::string coq_text(const recheck::Weights& weights, const CoqCertificate& c,
                     const recheck::Theorem& theorem) {
  json products = json::array();
  for (const recheck::Images& a : c.labels) {
    json& line = products.emplace_back();
    for (const recheck::Images& b : c.labels) line.push_back(place_of(c.labels, followed_by(a, b)));
  }
  return text_of_words(weights, theorem, c.automaton,
                       {{"coded", coding(c.code, c.parameter, weights)},
                        {"mulT", products},
                        {"gen", c.letters},
                        {"stage0", stage(c.start)},
                        {"cinit", layers(c.initial)},
                        {"cloop", stage(c.loop)},
                        {"length0", shift(c.length)},
                        {"factor", c.factor},
                        {"cbody", layers(c.repeated)},
                        {"cfinal", layers(c.final)},
                        {"phi", c.state_of},
                        {"acts", c.labels}});
}

std::string coq_text(const recheck::Weights& weights, const CoqResets& c,
                     const recheck::Theorem& theorem) {
  return text_of_words(weights, theorem, c.automaton,
                       {{"coded", coding(c.code, c.parameter, weights)},
                        {"edge", c.edges},
                        {"kinds", c.kinds},
                        {"first_stage", stage(c.start)},
                        {"layers", layers(c.layers)},
                        {"to_state", c.state_of},
                        {"to_map", c.map_of}});
}

std::string coq_text(const recheck::Theorem& reachability) {
  return text(reachability, json::object());
}

}}  // namespace logdepth::proofs_check_certify
