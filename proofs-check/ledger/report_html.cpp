#include "objects/input_error.hpp"
#include "proofs-check/ledger/report_rows.hpp"
#include "proofs-check/pictures/save_drawing.hpp"
#include "proofs-check/pictures/svg_text.hpp"

namespace logdepth {
namespace {

constexpr const char* kStyle =
    "body{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:15px;line-height:1.45;"
    "margin:2em auto;max-width:90em;padding:0 1em;color:#1a1a1a}"
    "h1{font-size:1.6em}h2{font-size:1.25em;margin-top:2em}"
    "table{border-collapse:collapse;margin-bottom:1.5em;font-size:14px}"
    "th,td{text-align:left;vertical-align:top;padding:.3em .9em .3em 0;border-bottom:1px solid "
    "#e3e3e3}table.law td,table.law th{padding-right:.6em;white-space:nowrap}"
    "td.found{overflow-wrap:anywhere}.checked,.certified{color:#1b6e2c}.tested{color:#1f5fa8}"
    ".contradicted{color:#b22222}.undecided,.unchecked{color:#a65f00}.not-executable{color:#555}"
    "details{margin:.6em 0;padding-left:.2em}summary{cursor:pointer}"
    "dt{font-weight:600;margin-top:.5em}dd{margin:0 0 0 1.2em;overflow-wrap:anywhere}"
    "figure{margin:1em 0;overflow-x:auto}";

std::string header(const std::vector<std::string>& headings) {
  std::string text = "<table>\n<tr>";
  for (const std::string& heading : headings) text += "<th>" + xml_text(heading) + "</th>";
  return text + "</tr>\n";
}

std::string td(const std::string& text) {
  return "<td>" + xml_text(text) + "</td>";
}

std::string status_td(Status status) {
  const std::string name = status_name(status);
  return "<td class=\"" + name + "\">" + name + "</td>";
}

std::string anchor(const LedgerEntry& entry) {
  return xml_text(full_name(*entry.claim) + "-" + form_name(entry.claim->form));
}

/// The circuit, or why there is none: Graphviz may not be installed, and the report does not
/// depend on it.
std::string picture(const LedgerEntry& entry) {
  if (entry.circuit.empty()) return "";
  std::string inside;
  try {
    inside = bare_svg(render_dot(entry.circuit));
  } catch (const InputError& error) {
    inside = "<p>" + xml_text(error.what()) + "</p>\n";
  }
  return "<details><summary>circuit of " + xml_text(full_name(*entry.claim)) +
         "</summary>\n<figure>\n" + inside + "</figure>\n</details>\n";
}

std::string summary_table(const Ledger& ledger) {
  std::string text = header({"statement", "about", "claimed", "repaired", "optimised", "as written",
                             "repaired and optimised forms"});
  for (const StatementSummary& line : summaries(ledger))
    text += "<tr>" + td(line.id) + td(line.title) + td(line.claimed) + td(line.repaired) +
            td(line.optimised) + td(line.as_written) + td(line.ours) + "</tr>\n";
  return text + "</table>\n";
}

std::string overview_table(const Ledger& ledger) {
  std::string text = header({"claim", "form", "status", "measured", "sizes", "finding"});
  for (const LedgerEntry& entry : ledger.entries)
    text += "<tr><td><a href=\"#" + anchor(entry) + "\">" + xml_text(full_name(*entry.claim)) +
            "</a></td>" + td(form_name(entry.claim->form)) + status_td(entry.status) +
            td(measured_text(entry)) + td(sizes_text(entry)) + "<td class=\"found\">" +
            xml_text(finding_text(entry)) + "</td></tr>\n";
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
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<title>Claims of MS25, checked</title>\n<style>" +
      std::string(kStyle) +
      "</style>\n</head>\n<body>\n<h1>Claims of MS25, checked</h1>\n<p>Statements of \"A Little "
      "Depth Goes a Long Way\" (Merrill and Sabharwal) as written, repaired and optimised, decided "
      "by exact runs of weights files. That a claim as written is contradicted is the finding, not "
      "a failure of the check.</p>\n<p>" +
      xml_text(totals_text(ledger)) + "</p>\n<h2>Summary</h2>\n" + summary_table(ledger);
  for (const DepthLaw& law : ledger.laws)
    text += "<h2>Depth against n: " + xml_text(law.subject) + "</h2>\n<figure>\n" +
            depth_law_svg(law) + "</figure>\n" + depth_law_html(law);
  text += "<h2>All claims</h2>\n" + overview_table(ledger) + "<h2>Details</h2>\n";
  for (const LedgerEntry& entry : ledger.entries) text += entry_part(entry);
  text += "<h2>Circuits</h2>\n";
  for (const LedgerEntry& entry : ledger.entries) text += picture(entry);
  return text + "</body>\n</html>\n";
}

}  // namespace logdepth
