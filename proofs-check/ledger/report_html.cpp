#include "base/xml_text.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/ledger/report_rows.hpp"
#include "report/figures/table_text.hpp"
#include "report/pictures/circuit_sheet.hpp"

namespace logdepth::inline proofs_check_ledger {
namespace {

constexpr const char* kStyle =
    "table.law td,table.law th{padding-right:.6em;white-space:nowrap}"
    "td.found{overflow-wrap:anywhere}.checked,.certified{color:#1b6e2c}.tested{color:#1f5fa8}"
    ".contradicted{color:#b22222}.undecided,.unchecked{color:#a65f00}.not-executable{color:#555}"
    "details{margin:.6em 0;padding-left:.2em}summary{cursor:pointer}"
    "dt{font-weight:600;margin-top:.5em}dd{margin:0 0 0 1.2em;overflow-wrap:anywhere}";

std::string anchor(const LedgerEntry& entry) {
  return xml_text(full_name(*entry.claim) + "-" + form_name(entry.claim->form));
}

/// The circuit, or why there is none: Graphviz may not be installed, and the report does not
/// depend on it.
std::string picture(const LedgerEntry& entry) {
  if (!entry.circuit) return "";
  std::string inside;
  try {
    inside = circuit_sheet(*entry.circuit).svg;
  } catch (const InputError& error) {
    inside = "<p>" + xml_text(error.what()) + "</p>\n";
  }
  return "<details><summary>circuit of " + xml_text(full_name(*entry.claim)) +
         "</summary>\n<figure>\n" + inside + "</figure>\n</details>\n";
}

std::string summary_table(const Ledger& ledger) {
  std::string text =
      "<table>\n" + html_headings({"statement", "about", "claimed", "repaired", "optimised",
                                   "as written", "repaired and optimised forms"});
  for (const StatementSummary& line : summaries(ledger))
    text += html_row({line.id, line.title, line.claimed, line.repaired, line.optimised,
                      line.as_written, line.ours});
  return text + "</table>\n";
}

std::string overview_table(const Ledger& ledger) {
  std::string text =
      "<table>\n" + html_headings({"claim", "form", "status", "measured", "sizes", "finding"});
  for (const LedgerEntry& entry : ledger.entries) {
    const std::string status = status_name(entry.status);
    text += "<tr><td><a href=\"#" + anchor(entry) + "\">" + xml_text(full_name(*entry.claim)) +
            "</a></td>" + html_cell(form_name(entry.claim->form)) + html_cell(status, status) +
            html_cell(measured_text(entry)) + html_cell(sizes_text(entry)) +
            html_cell(finding_text(entry), "found") + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string entry_part(const LedgerEntry& entry) {
  const std::string status = status_name(entry.status);
  std::string text = "<details id=\"" + anchor(entry) + "\"><summary>" +
                     xml_text(full_name(*entry.claim)) + ", " + form_name(entry.claim->form) +
                     ": <span class=\"" + status + "\">" + status + "</span></summary>\n<dl>\n";
  for (const Detail& detail : details(entry)) {
    text += "<dt>" + xml_text(detail.heading) + "</dt>\n";
    for (const std::string& line : detail.lines) text += "<dd>" + xml_text(line) + "</dd>\n";
  }
  return text + "</dl>\n</details>\n";
}

}  // namespace

std::string ledger_html(const Ledger& ledger) {
  std::string body =
      "<p>Statements of papers, of \"A Little Depth Goes a Long Way\" (MS25, Merrill and "
      "Sabharwal) before all, as written, repaired and optimised, decided by exact runs of weights "
      "files. That a claim as written is contradicted is the finding, not a failure of the "
      "check.</p>\n<p>" +
      xml_text(totals_text(ledger)) + "</p>\n<h2>Summary</h2>\n" + summary_table(ledger);
  for (const DepthCurve& curve : ledger.curves)
    body += "<h2>Depth against n: " + xml_text(curve.subject) + "</h2>\n<figure>\n" +
            depth_curve_svg(curve) + "</figure>\n" + depth_curve_html(curve);
  body += "<h2>All claims</h2>\n" + overview_table(ledger) + "<h2>Details</h2>\n";
  for (const LedgerEntry& entry : ledger.entries) body += entry_part(entry);
  body += "<h2>Circuits</h2>\n";
  for (const LedgerEntry& entry : ledger.entries) body += picture(entry);
  return html_page("Claims, checked", kStyle, body);
}

}  // namespace logdepth::inline proofs_check_ledger
