#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/reading.hpp"
#include "learned/records/training_config.hpp"
#include "learned/report/series.hpp"

namespace logdepth { inline namespace learned_report {

// What a paper says of trained networks, as data: papers/NAME.json. Which runs it is about, what is asked of them,
// what it printed, and how a page shows them.

/// What a number has to be: "<= 0.1", "= 7", "within 0.02" of 0, and of the interval of a slope "contains 4.8", "excludes 4.8".
struct Bound {
  std::string sign;
  double limit = 0;
};

/// One condition on the runs of a series, or on two series.
struct Ask {
  enum class Seeds {
    median,  ///< of the seeds; of two series the difference of their medians
    every,   ///< it holds for each seed
    best,    ///< it holds for one
    apart,   ///< every seed of the one lies beyond every seed of the other
    paired   ///< the mean of the differences of seeds that both series have
  };
  struct Against {
    bool other_runs = false;  ///< else the same runs, by other readings
    Conditions runs, readings;
  };
  std::string text;           ///< of what has to hold before something is asked
  Conditions runs, readings;  ///< which series, which of their readings
  std::optional<Conditions>
      line;  ///< of these series the slope of layers on log2 n*, in place of `runs`
  std::string statistic = "mean";
  Seeds seeds = Seeds::median;
  double errors = 0;  ///< paired: less so many standard errors of the mean
  std::optional<Against> against;
  bool ratio = false;  ///< to `against`, in place of the difference
  Bound is;
  std::vector<std::string>
      equal;  ///< budgets and settings that both series share, or nothing is decided
  std::size_t least_seeds = 3;  ///< fewer decide nothing
  double least_samples = 0;     ///< readings of fewer do not count
  bool settled = false;         ///< undecided where most networks still improve
};

struct PaperCriterion {
  std::string id, text;
  std::string published, place;  ///< what the paper has, and where; or empty
  std::vector<Ask> asks;         ///< all of them hold
  std::vector<Ask> only_if;      ///< nothing is decided unless these hold
  std::string held_by;           ///< the tests that hold it, in place of runs
  std::string yes = "reproduced", no = "not reproduced";
};

/// Readings of one difficulty beside each other, by its sizes.
struct TablePart {
  enum class Show {
    score,
    iterations,      ///< of samples that are right
    all_iterations,  ///< of all samples
    n_star,
    fewest_iterations
  };
  std::string of;
  std::string pooled;  ///< head of the one column of all sizes, and difficulties, together
  Conditions readings;
  Show show = Show::score;
  double share = 0;             ///< fewest_iterations: with which so many are right
  std::vector<double> columns;  ///< sizes; empty: all
};
struct ReadingTable {
  std::string name, title;
  Conditions where;
  std::vector<TablePart> parts;
};

/// Numbers that a paper printed, compared with and never mixed with what was measured.
struct PublishedNumbers {
  std::string table, label;
  std::vector<double> at;
  std::vector<std::optional<double>> score;
  std::optional<FittedLine> line;  ///< layers on log2 n
  double from = 0, to = 0;         ///< the lengths in which it may be used
  std::vector<std::string> groups;
};

struct PaperFile {
  std::string name;                     ///< "ms25"
  std::string title, about;             ///< of its page
  Conditions runs;                      ///< that it is about
  std::optional<Conditions> layers;     ///< of them, those of a fixed depth and a free length
  std::optional<Conditions> scheduled;  ///< of them, those whose iterations a schedule prescribes
  std::string scheduled_label;
  std::string label;  ///< what series are called (label_of)
  std::map<std::string, std::string> say;
  std::vector<ReadingTable> tables;
  std::vector<PaperCriterion> criteria;
  std::vector<PublishedNumbers> published;
  std::vector<std::string> notes;
};

/// Reads the text of such a file. Every member is known, or it is refused: a misspelt "against" would turn a
/// comparison into a threshold. Errors: InputError naming `place` and the member.
PaperFile paper_from_json(const std::string& name, const std::string& text,
                          const std::string& place);
/// The papers that the program brings, by name.
const std::map<std::string, std::string>& paper_texts();
/// Changes what a preset of one of them changes: its settings, after those of the presets that its
/// "after" lists. Precondition: there is such a preset.
void apply_preset(RunConfig& config, const std::string& paper, const std::string& name);
/// The default configuration with these changes.
RunConfig preset(const std::string& paper, const std::string& name);
/// One of them, or a file (NAME.json). Errors: InputError with the list of names.
PaperFile paper_named(const std::string& name);

/// What the runs say of a criterion.
struct Verdict {
  std::string word;    ///< "reproduced", "not reproduced", "undecided", or the criterion's own
  std::string found;   ///< the numbers, "–" without any
  std::string remark;  ///< why it is undecided, or what else is to know; or empty
};

/// Judged is the series with enough seeds and the most parameters; a smaller one with enough seeds that says otherwise
/// is named in the remark. A failure of training that ended early is undecided, a pass that ended early counts.
/// `name`: what a series is called.
Verdict judge(const PaperCriterion& criterion, const std::vector<const RunSeries*>& series,
              const std::function<std::string(const RunSeries&)>& name);

}}  // namespace logdepth::learned_report
