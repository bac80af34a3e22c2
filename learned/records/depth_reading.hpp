#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace logdepth::inline learned_records {

/// An object of a stored run, whose fields are what they should be or are refused. Errors of all:
/// InputError "PLACE.NAME: expected ...".
class RecordFields {
 public:
  /// `place`: as in "runs/one/record.json: result". The object must outlive this.
  RecordFields(const nlohmann::ordered_json& json, std::string place);

  /// A number up to 2^53, so that whole ones are exact.
  double number(const char* name) const;
  double share(const char* name) const;  ///< a number from 0 to 1
  /// A whole number from `least` to 10^9.
  std::uint32_t count(const char* name, std::uint32_t least = 1) const;
  std::string text(const char* name) const;
  bool truth(const char* name) const;
  const nlohmann::ordered_json& list(const char* name) const;
  std::vector<double> shares(const char* name) const;  ///< a list of numbers from 0 to 1
  bool has(const char* name) const;
  RecordFields object(const char* name) const;
  /// The fields of the object `item`, an entry of the list `name`.
  RecordFields entry(const char* name, const nlohmann::ordered_json& item) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& expected) const;

 private:
  const nlohmann::ordered_json& json_;
  std::string place_;
};

/// How far a trained network got, as tables of depth read it off the result of its task.
struct DepthReading {
  /// The reach if every share of right answers were at the lower, or the upper, end of its 95 %
  /// interval.
  struct Interval {
    double low = 0, high = 0;
  };
  struct Point {
    double reach = 0;
    bool censored = false;  ///< the measure ended there: the network may reach further
    /// How often the repeated block was told to run; absent: as often as the model's own rule says.
    std::optional<std::uint64_t> loops = {};
    std::optional<Interval> interval = {};
    std::optional<double> loose = {};  ///< the largest single size that is solved
  };
  std::string problem;  ///< "S3": rows of one problem stand together
  std::string network;  ///< as in "row tokens"; empty: named after its loop
  std::string reach;    ///< the name of the measure: "n*"
  std::string unit;     ///< what it counts: "letters"
  double threshold = 0;
  double size = 0;          ///< of the largest input that was measured
  bool unfinished = false;  ///< the curriculum did not come to its last stage
  /// One under the model's own rule, one for every number of loops that it was asked with, or both.
  std::vector<Point> points;

  /// Accuracy at sizes 1, 2, ..., under the model's own rule; empty where a task has no indices.
  std::vector<double> accuracy;
  /// Of words over a monoid, whether all of its groups are solvable.
  std::optional<bool> solvable;

  /// Of each executed layer, the share of the positions whose attention is that of the doubling scan; empty
  /// where the result does not say.
  std::vector<double> circuit;

  /// Settings of the task that may differ within a series.
  std::set<std::string> free_settings;
  /// The setting that is the size of the input, free where the loops grow with it; or empty.
  std::string size_setting;
  /// Settings that make a run a control when they are true, or not empty, and what it is then called.
  std::map<std::string, std::string> controls;
};

}  // namespace logdepth::inline learned_records
