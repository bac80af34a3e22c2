#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "report/figures/svg_elements.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace proofs_check_ledger {
namespace {

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// "checked" of several, or each with its count.
std::string status_counts(const std::map<Status, std::size_t>& counts) {
  std::string text;
  for (const auto& [status, count] : counts)
    text += (text.empty() ? "" : ", ") + number(count) + " " + status_name(status);
  return text;
}

/// "(1, 1, 0), depth ceil(log2 n) + 1"; "8 layers"; "-" where nothing was counted.
std::string measured_text(const LedgerEntry& entry) {
  if (!entry.measures) return "-";
  const Measures& m = *entry.measures;
  if (m.repeated == 0 && m.final == 0)
    return counted(m.initial, "layer") +
           (entry.limit ? " up to n = " + number(*entry.limit) : std::string());
  return "(" + number(m.initial) + ", " + number(m.repeated) + ", " + number(m.final) +
         "), depth " + entry.depth_formula;
}

/// For how many files there is a certificate, or a proof; empty for none.
std::string certified_text(const std::string& word, const std::vector<CheckedFile>& files,
                           std::string CheckedFile::*scope) {
  const auto count = [&](const std::string& begin) {
    return static_cast<std::size_t>(std::ranges::count_if(files, [&](const CheckedFile& file) {
      return !(file.*scope).empty() && (file.*scope).starts_with(begin);
    }));
  };
  if (count("") == 0) return "";
  if (count("every length") == files.size()) return word + " for every length";
  return word + " for " + number(count("")) + " of " + counted(files.size(), "file");
}

/// "width 36, strict width 36, cells 30, heads 1, units 40".
std::string sizes_text(const LedgerEntry& entry) {
  if (!entry.measures) return "-";
  const Measures& m = *entry.measures;
  return "width " + number(m.width) + ", strict width " + number(m.strict_width) + ", cells " +
         number(m.cells) + ", heads " + number(m.heads) + ", units " + number(m.units);
}

/// The last column of the overview: figures, the counterexample, the reason, or what was covered.
std::string finding_text(const LedgerEntry& entry) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (entry.calculation)
    for (const Figure& figure : entry.calculation->figures) add(figure.what + ": " + figure.value);
  if (entry.counterexample) {
    add(*entry.counterexample);
  } else if (!entry.note.empty()) {
    add(entry.note);
  } else if (!entry.files.empty()) {
    if (entry.tightness) add(entry.tightness->tight ? "tight" : "not shown to be tight");
    add(certified_text("proved", entry.files, &CheckedFile::proved));
    if (std::ranges::any_of(entry.files, &std::string::empty, &CheckedFile::proved))
      add(certified_text("certified", entry.files, &CheckedFile::certified));
    add(entry.files.front().verdict.bound);
  }
  return text;
}

/// "thm-4.1/tree (repaired): checked", which no other entry has.
std::string entry_heading(const LedgerEntry& entry) {
  return full_name(*entry.claim) + " (" + form_name(entry.claim->form) +
         "): " + status_name(entry.status);
}

/// A heading and its lines, none of them empty.
struct Detail {
  std::string heading;
  std::vector<std::string> lines;
};
/// Everything else that is known about an entry.
std::vector<Detail> details(const LedgerEntry& entry) {
  const Claim& claim = *entry.claim;
  std::vector<Detail> result;
  const auto add = [&](const std::string& heading, std::vector<std::string> lines) {
    std::erase(lines, "");
    if (!lines.empty()) result.push_back({heading, std::move(lines)});
  };
  if (claim.defect) {
    add("the text", {"\"" + claim.defect->quote + "\""});
    add("the one change", {claim.defect->change});
    add("what repairs it", {claim.defect->repair});
  } else {
    add("statement", {claim.statement});
  }
  add("source", {claim.source});
  add("file", {claim.file});
  add("tests", claim.tests);
  add("hypotheses", entry.hypotheses);
  add("deviations", entry.deviations);
  add("claimed", {claim.claimed.text});
  if (entry.measures) {
    add("measured",
        {measured_text(entry),
         sizes_text(entry) + (entry.depths.empty() ? "" : ", at n = " + number(entry.at)),
         "position encoding: " + entry.position});
    std::string depths, claimed;
    for (const auto& [n, depth] : entry.depths) {
      depths += (depths.empty() ? "" : ", ") + number(depth) + " at " + number(n);
      if (claim.claimed.depth)
        claimed +=
            (claimed.empty() ? "claimed, the paper's n is " + claim.claimed.counted + ": " : ", ") +
            number(claim.claimed.depth(n)) + " at " + number(n);
    }
    add("depth at n", {depths, claimed});
  }
  if (entry.calculation) {
    std::vector<std::string> lines;
    for (const Figure& figure : entry.calculation->figures)
      lines.push_back(figure.what + ": " + figure.value);
    add("figures", lines);
  }
  std::vector<std::string> covered;
  for (const CheckedFile& file : entry.files) {
    std::string line = bound_text(file);
    if (file.verdict.counts.answers > 0)
      line += "; " + counted(file.verdict.counts.answers, "answer") + " and " +
              counted(file.verdict.promises, "contract instance") + " compared";
    if (!file.proved.empty()) line += "; proved for " + file.proved;
    if (!file.certified.empty()) line += "; certified for " + file.certified;
    if (!file.selections.empty()) line += "; selections hold for " + file.selections;
    covered.push_back(line + "; file " + file.sha256.substr(0, 12));
  }
  if (covered.empty()) covered.push_back(entry.bound);
  add("covered", covered);
  if (entry.counterexample) add("counterexample", {*entry.counterexample});
  if (entry.tightness)
    add(entry.tightness->tight ? "tight" : "not shown to be tight", {entry.tightness->witness});
  add("note", {entry.note});
  return result;
}

/// One statement of the paper with all that is known about it: a line of the summary.
struct StatementSummary {
  std::string id, title, claimed;
  std::string as_written;   ///< statuses: "3 contradicted, 1 not-executable"
  std::string ours;         ///< statuses of the repaired and optimised forms
  std::string first_entry;  ///< the heading of its first entry
  /// Paths from the root of the repository: first those of the repaired and optimised forms.
  std::vector<std::string> files, tests;
};
std::vector<StatementSummary> summaries(const Ledger& ledger) {
  std::vector<StatementSummary> result;
  for (std::size_t i = 0; i < ledger.entries.size();) {
    StatementSummary line;
    line.id = ledger.entries[i].claim->id;
    std::map<Status, std::size_t> written, ours;
    std::vector<std::string> text_files, text_tests;
    line.first_entry = entry_heading(ledger.entries[i]);
    for (; i < ledger.entries.size() && ledger.entries[i].claim->id == line.id; ++i) {
      const LedgerEntry& entry = ledger.entries[i];
      const Claim& claim = *entry.claim;
      if (line.title.empty()) line.title = claim.title;
      if (line.claimed.empty()) line.claimed = claim.claimed.text;
      ++(claim.form == Form::as_written ? written : ours)[entry.status];
      const bool text = claim.form == Form::as_written;
      add_new(text ? text_files : line.files, {claim.file});
      add_new(text ? text_tests : line.tests, claim.tests);
    }
    line.as_written = written.empty() ? "-" : status_counts(written);
    line.ours = ours.empty() ? "-" : status_counts(ours);
    add_new(line.files, text_files);
    add_new(line.tests, text_tests);
    result.push_back(std::move(line));
  }
  return result;
}

/// "37 claims: 20 checked, 15 contradicted, ...".
std::string totals_text(const Ledger& ledger) {
  std::map<Status, std::size_t> written, ours;
  std::size_t failures = 0;
  for (const LedgerEntry& entry : ledger.entries) {
    ++(entry.claim->form == Form::as_written ? written : ours)[entry.status];
    failures += is_failure(entry);
  }
  std::string text = counted(ledger.entries.size(), "claim");
  if (!written.empty()) text += "; as written: " + status_counts(written);
  if (!ours.empty()) text += "; repaired and optimised: " + status_counts(ours);
  if (failures > 0) text += "; " + counted(failures, "failure") + " of our own";
  return text;
}

/// A file: linked where the way to the root of the repository is known, else named.
std::string file_link(const std::string& name, const std::string& path,
                      const std::optional<std::string>& root) {
  return root ? "[" + markdown_text(name) + "](" + *root + path + ")" : markdown_text(name);
}

/// Files by their last names, for a cell of a table.
std::string file_links(const std::vector<std::string>& paths,
                       const std::optional<std::string>& root) {
  std::string text;
  for (const std::string& path : paths)
    text += (text.empty() ? "" : ", ") + file_link(path.substr(path.rfind('/') + 1), path, root);
  return text.empty() ? "-" : text;
}

/// A link to a heading of the same page, by the name that Markdown gives it: letters in lower case,
/// digits, hyphens and underscores, a hyphen for each space, nothing for other characters.
std::string link_to_heading(const std::string& text, const std::string& heading) {
  std::string name;
  for (const char c : heading)
    if (const auto byte = static_cast<unsigned char>(c); std::isalnum(byte) || c == '-' || c == '_')
      name += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      name += '-';
  return "[" + markdown_text(text) + "](#" + name + ")";
}

/// The report's part on one claim, whole or without the paths of its files.
std::string details_markdown(const LedgerEntry& entry, bool paths) {
  std::string text;
  for (const Detail& detail : details(entry)) {
    if (!paths && (detail.heading == "file" || detail.heading == "tests")) continue;
    text += "- **" + detail.heading + "**";
    if (detail.lines.size() == 1) {
      text += ": " + markdown_text(detail.lines[0]) + "\n";
      continue;
    }
    text += "\n";
    for (const std::string& line : detail.lines) text += "  - " + markdown_text(line) + "\n";
  }
  return text;
}

std::string figure_file(const DepthCurve& curve) {
  std::string name = "depth " + curve.subject + ".svg";
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

constexpr const char* kIntroduction = R"(
Statements of papers, mainly of MS25 ("A Little Depth Goes a Long Way", Merrill and Sabharwal), and the results of
exact runs of weights files. Each status is computed: `checked` (every input up to the bound, every selection
contract fulfilled), `tested` (some inputs), `contradicted` (with the smallest counterexample found), `undecided`
(some input was not decided, named with the finding), `unchecked` (not run), `not-executable` (with the reason).
*Certified* files have a certificate that a small independent program accepts: the file computes the automaton that
the program reads off it, for every length (TRUST.md).
*As written* is the repaired construction with one change back to the paper's text; its contradiction is the
finding, not a failure. Depths and sizes are counted on the files, and claimed formulas are evaluated at the
paper's own n. The paper's sentences are quoted with formulas in plain characters.

Each statement names its files and tests. `logdepth check --report DIR` writes the whole ledger: hypotheses, sizes,
depths at n, test cases, and every weights file by its hash. The last column has the beginning of the SHA-256 of the
claim's part of that report, without paths. The file of a construction begins with the statement, the deviations
with their reasons, the cells, and the invariant that proves it for every length. Lemmas, one for each kind of
head, prove that the heads select the right positions: )";

}  // namespace

std::string ledger_table(const Ledger& ledger) {
  constexpr std::size_t kFailure = 90;
  std::vector<std::vector<std::string>> rows = {{"claim", "form", "status", "measured", "finding"}};
  for (const LedgerEntry& entry : ledger.entries)
    rows.push_back({full_name(*entry.claim), form_name(entry.claim->form),
                    status_name(entry.status), measured_text(entry),
                    cut_text(finding_text(entry), kFailure)});
  return columns_text(rows) + "\n" + totals_text(ledger) + "\n";
}

std::string ledger_markdown(const Ledger& ledger, const std::optional<std::string>& root) {
  constexpr std::size_t kFinding = 200, kHashDigits = 8;
  const auto name = [&](const std::string& text, const std::string& heading) {
    return root ? markdown_text(text) : link_to_heading(text, heading);
  };
  std::string text = std::string("# Claims\n") + kIntroduction;
  const std::string lemmas = "compiler/lemmas/head_schema.cpp";
  text += file_link(lemmas, lemmas, root) + ".\n\n";
  text += "Generated by `logdepth check`; " + totals_text(ledger) + ".\n\n## Summary\n\n";
  text += markdown_headings({"statement", "about", "claimed", "as written",
                             "repaired and optimised forms", "files", "tests"});
  for (const StatementSummary& line : summaries(ledger)) {
    std::vector<std::string> cells = {name(line.id, line.first_entry)};
    for (const std::string& cell : {line.title, line.claimed, line.as_written, line.ours})
      cells.push_back(markdown_text(cell));
    cells.push_back(file_links(line.files, root));
    cells.push_back(file_links(line.tests, root));
    text += markdown_row(cells);
  }

  text += "\n## Overview\n\n";
  text += markdown_headings({"claim", "form", "status", "measured", "finding", "details"});
  for (const LedgerEntry& entry : ledger.entries) {
    const std::string finding = finding_text(entry);
    text += markdown_row({name(full_name(*entry.claim), entry_heading(entry)),
                          form_name(entry.claim->form), status_name(entry.status),
                          markdown_text(measured_text(entry)),
                          markdown_text(root ? cut_text(finding, kFinding) : finding),
                          sha256(details_markdown(entry, false)).substr(0, kHashDigits)});
  }
  if (root) return text;

  for (const DepthCurve& curve : ledger.curves)
    text += "\n## Depth against n: " + curve.subject + "\n\n![layers against n](" +
            figure_file(curve) + ")\n\nLayers for inputs of n " + curve.unit + ".\n\n" +
            depth_curve_markdown(curve);
  for (const LedgerEntry& entry : ledger.entries)
    text += "\n### " + entry_heading(entry) + "\n\n" + details_markdown(entry, true);
  return text;
}

void save_report(const Ledger& ledger, const std::string& folder) {
  write_whole_file(folder + "/report.md", ledger_markdown(ledger));
  write_whole_file(folder + "/report.json", ledger_json(ledger));
  for (const DepthCurve& curve : ledger.curves)
    write_whole_file(folder + "/" + figure_file(curve), depth_curve_svg(curve));
}

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
          {"certified", file.certified.empty() ? json() : json(file.certified)},
          {"proved", file.proved.empty() ? json() : json(file.proved)},
          {"selections", file.selections.empty() ? json() : json(file.selections)},
          {"status", status_name(v.status)},
          {"bound", v.bound},
          {"exhaustive", v.exhaustive},
          {"chosen", v.chosen},
          {"random", v.random},
          {"answers", v.counts.answers},
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

}}  // namespace logdepth::proofs_check_ledger
