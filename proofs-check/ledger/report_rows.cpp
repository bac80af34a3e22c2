#include "proofs-check/ledger/report_rows.hpp"

#include <algorithm>
#include <map>

#include "base/phrases.hpp"

namespace logdepth::inline proofs_check_ledger {
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

/// What the forms of one kind measure, those with equal numbers together.
class MeasuredForms {
 public:
  void add(const LedgerEntry& entry) {
    if (!entry.measures) return;
    const bool words = entry.position != kFirstFlag;
    const std::string numbers =
        measured_text(entry) + (words ? " (positions: " + entry.position + ")" : std::string());
    const std::string& variant = entry.claim->variant;
    for (auto& [text, names] : forms_)
      if (text == numbers) {
        names += ", " + variant;
        return;
      }
    forms_.emplace_back(numbers, variant);
  }
  std::string text() const {
    std::string result;
    for (const auto& [numbers, names] : forms_)
      result += (result.empty() ? "" : "; ") + (names.empty() ? "" : names + ": ") + numbers;
    return result.empty() ? "-" : result;
  }

 private:
  std::vector<std::pair<std::string, std::string>> forms_;  // numbers, variants
};

/// Paths in the order in which they come, each once.
class PathsOnce {
 public:
  void add(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      if (!path.empty() && std::find(paths_.begin(), paths_.end(), path) == paths_.end())
        paths_.push_back(path);
  }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

/// For how many files a certificate was found; empty for none.
std::string proved_text(const std::vector<CheckedFile>& files) {
  std::size_t proved = 0, every_length = 0;
  for (const CheckedFile& file : files) {
    proved += !file.proved.empty();
    every_length += file.proved.starts_with("every length");
  }
  if (proved == 0) return "";
  if (every_length == files.size()) return "proved for every length";
  return "proved for " + number(proved) + " of " + counted(files.size(), "file");
}

}  // namespace

std::string measured_text(const LedgerEntry& entry) {
  if (!entry.measures) return "-";
  const Measures& m = *entry.measures;
  if (m.repeated == 0 && m.final == 0)
    return counted(m.initial, "layer") +
           (entry.limit ? " up to n = " + number(*entry.limit) : std::string());
  return "(" + number(m.initial) + ", " + number(m.repeated) + ", " + number(m.final) +
         "), depth " + entry.depth_formula;
}

std::string sizes_text(const LedgerEntry& entry) {
  if (!entry.measures) return "-";
  const Measures& m = *entry.measures;
  return "width " + number(m.width) + ", strict width " + number(m.strict_width) + ", cells " +
         number(m.cells) + ", heads " + number(m.heads) + ", units " + number(m.units);
}

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
    add(proved_text(entry.files));
    add(entry.files.front().verdict.bound);
  }
  return text;
}

std::string entry_heading(const LedgerEntry& entry) {
  return full_name(*entry.claim) + " (" + form_name(entry.claim->form) +
         "): " + status_name(entry.status);
}

std::vector<Detail> details(const LedgerEntry& entry) {
  const Claim& claim = *entry.claim;
  std::vector<Detail> result;
  const auto add = [&](const std::string& heading, std::vector<std::string> lines,
                       bool files = false) {
    std::erase(lines, "");
    if (!lines.empty()) result.push_back({heading, std::move(lines), files});
  };
  if (claim.defect) {
    add("the text", {"\"" + claim.defect->quote + "\""});
    add("the one change", {claim.defect->change});
    add("what repairs it", {claim.defect->repair});
  } else {
    add("statement", {claim.statement});
  }
  add("source", {claim.source});
  add("file", {claim.file}, true);
  add("tests", claim.tests, true);
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
    std::string name = file.instance;
    if (file.norm == Norm::layernorm)
      name += (name.empty() ? "" : ", ") + std::string(norm_name(file.norm));
    std::string line = (name.empty() ? "" : name + ": ") + file.verdict.bound;
    if (file.verdict.answers > 0)
      line += "; " + counted(file.verdict.answers, "answer") + " and " +
              counted(file.verdict.promises, "contract instance") + " compared";
    if (!file.proved.empty()) line += "; proved for " + file.proved;
    if (!file.selections.empty()) line += "; heads and norms proved for " + file.selections;
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

std::vector<StatementSummary> summaries(const Ledger& ledger) {
  std::vector<StatementSummary> result;
  for (std::size_t i = 0; i < ledger.entries.size();) {
    StatementSummary line;
    line.id = ledger.entries[i].claim->id;
    std::map<Status, std::size_t> written, ours;
    MeasuredForms repaired, optimised;
    PathsOnce our_files, our_tests, text_files, text_tests;
    line.first_entry = entry_heading(ledger.entries[i]);
    for (; i < ledger.entries.size() && ledger.entries[i].claim->id == line.id; ++i) {
      const LedgerEntry& entry = ledger.entries[i];
      const Claim& claim = *entry.claim;
      if (line.title.empty()) line.title = claim.title;
      if (line.claimed.empty()) line.claimed = claim.claimed.text;
      ++(claim.form == Form::as_written ? written : ours)[entry.status];
      const bool text = claim.form == Form::as_written;
      (text ? text_files : our_files).add({claim.file});
      (text ? text_tests : our_tests).add(claim.tests);
      if (claim.form == Form::repaired) repaired.add(entry);
      if (claim.form == Form::optimised) optimised.add(entry);
    }
    line.as_written = written.empty() ? "-" : status_counts(written);
    line.repaired = repaired.text();
    line.optimised = optimised.text();
    line.ours = ours.empty() ? "-" : status_counts(ours);
    our_files.add(text_files.paths());
    our_tests.add(text_tests.paths());
    line.files = our_files.paths();
    line.tests = our_tests.paths();
    result.push_back(std::move(line));
  }
  return result;
}

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

}  // namespace logdepth::inline proofs_check_ledger
