#include <nlohmann/json.hpp>

#include "proofs-check/ledger/ledger.hpp"

namespace logdepth::inline proofs_check_ledger {
namespace {

using nlohmann::json;

json or_null(const std::optional<std::uint64_t>& value) {
  return value ? json(*value) : json();
}

json claimed_json(const ClaimedNumbers& claimed, const LedgerEntry& entry) {
  json out = {{"text", claimed.text},
              {"initial", or_null(claimed.initial)},
              {"repeated", or_null(claimed.repeated)},
              {"final", or_null(claimed.final)},
              {"counted", claimed.counted},
              {"depths", json::array()}};
  if (claimed.depth)
    for (const auto& [n, depth] : entry.depths)
      out["depths"].push_back({{"n", n}, {"depth", claimed.depth(n)}});
  return out;
}

json measured_json(const LedgerEntry& entry) {
  if (!entry.measures) return nullptr;
  const Measures& m = *entry.measures;
  json out = {{"n", entry.at},
              {"initial", m.initial},
              {"repeated", m.repeated},
              {"final", m.final},
              {"loops", m.loops},
              {"depth", m.depth},
              {"formula", entry.depth_formula},
              {"position", entry.position},
              {"limit", or_null(entry.limit)},
              {"width", m.width},
              {"strict_width", m.strict_width},
              {"cells", m.cells},
              {"heads", m.heads},
              {"units", m.units},
              {"nonzeros", m.nonzeros},
              {"depths", json::array()}};
  for (const auto& [n, depth] : entry.depths) out["depths"].push_back({{"n", n}, {"depth", depth}});
  return out;
}

json file_json(const CheckedFile& file) {
  const FileVerdict& v = file.verdict;
  return {{"instance", file.instance},
          {"norm", norm_name(file.norm)},
          {"sha256", file.sha256},
          {"proved", file.proved.empty() ? json() : json(file.proved)},
          {"selections_proved", file.selections.empty() ? json() : json(file.selections)},
          {"status", status_name(v.status)},
          {"bound", v.bound},
          {"exhaustive", v.exhaustive},
          {"chosen", v.chosen},
          {"random", v.random},
          {"answers", v.answers},
          {"promises", v.promises},
          {"unevaluated", descriptions(v.unevaluated)}};
}

json entry_json(const LedgerEntry& entry) {
  const Claim& claim = *entry.claim;
  json out = {{"id", claim.id},
              {"variant", claim.variant},
              {"form", form_name(claim.form)},
              {"title", claim.title},
              {"statement", claim.statement},
              {"source", claim.source},
              {"status", status_name(entry.status)},
              {"hypotheses", entry.hypotheses},
              {"deviations", entry.deviations},
              {"claimed", claimed_json(claim.claimed, entry)},
              {"measured", measured_json(entry)},
              {"bound", entry.bound},
              {"counterexample", entry.counterexample ? json(*entry.counterexample) : json()},
              {"note", entry.note},
              {"files", json::array()}};
  for (const CheckedFile& file : entry.files) out["files"].push_back(file_json(file));
  if (entry.tightness)
    out["tight"] = {{"tight", entry.tightness->tight}, {"witness", entry.tightness->witness}};
  if (entry.calculation) {
    out["figures"] = json::array();
    for (const Figure& figure : entry.calculation->figures)
      out["figures"].push_back({{"what", figure.what}, {"value", figure.value}});
  }
  if (claim.defect) {
    const Defect& defect = *claim.defect;
    out["defect"] = {{"number", defect.number},
                     {"place", defect.place},
                     {"quote", defect.quote},
                     {"change", defect.change},
                     {"repair", defect.repair}};
  }
  return out;
}

json curve_json(const DepthCurve& curve) {
  json out = {{"subject", curve.subject}, {"unit", curve.unit}, {"sizes", curve.sizes}};
  out["series"] = json::array();
  for (const DepthSeries& series : curve.series) {
    json depths = json::array();
    for (const auto& depth : series.depths) depths.push_back(or_null(depth));
    out["series"].push_back({{"name", series.name},
                             {"form", series.claimed ? "claimed" : form_name(series.form)},
                             {"formula", series.formula},
                             {"depths", depths}});
  }
  return out;
}

}  // namespace

std::string ledger_json(const Ledger& ledger) {
  json out = {{"schema", "logdepth/check/1"}};
  out["claims"] = json::array();
  for (const LedgerEntry& entry : ledger.entries) out["claims"].push_back(entry_json(entry));
  out["depth_laws"] = json::array();
  for (const DepthCurve& curve : ledger.curves) out["depth_laws"].push_back(curve_json(curve));
  return out.dump(1) + "\n";
}

}  // namespace logdepth::inline proofs_check_ledger
