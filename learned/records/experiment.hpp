#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_records {

inline const CLI::Validator kAboveZero(
    [](const std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return *end == '\0' && value > 0 && std::isfinite(value)
                 ? std::string()
                 : "expected a number above 0, found " + in_quotes(text);
    },
    "NUMBER");

/// Adds the options of an experiment to its command, each with its variable, which holds the default.
class ExperimentOptions {
 public:
  struct Range {
    int least, most;
  };
  using Words = std::initializer_list<const char*>;

  explicit ExperimentOptions(CLI::App& command) : command_(command) {}

  /// `name`: "--monoid", or "weights" for what is given without a name.
  void required(const char* name, const char* help, std::string& value) {
    command_.add_option(name, value, help)->required();
  }
  void operator()(const char* name, const char* help, std::string& value) {
    command_.add_option(name, value, help);
  }
  void operator()(const char* name, const char* help, std::vector<std::string>& value) {
    command_.add_option(name, value, help)->delimiter(',');
  }
  void operator()(const char* name, const char* help, std::uint32_t& value, Range range) {
    command_.add_option(name, value, help)->check(in(range))->capture_default_str();
  }
  void operator()(const char* name, const char* help, std::optional<std::uint32_t>& value,
                  Range range) {
    command_.add_option(name, value, help)->check(in(range));
  }
  void operator()(const char* name, const char* help, std::vector<std::uint32_t>& value,
                  Range range) {
    CLI::Option* const option =
        command_.add_option(name, value, help)->delimiter(',')->check(in(range));
    if (!value.empty()) option->capture_default_str();
  }
  /// A flag.
  void operator()(const char* name, const char* help, bool& value) {
    command_.add_flag(name, value, help);
  }
  void above_zero(const char* name, const char* help, double& value) {
    command_.add_option(name, value, help)->check(kAboveZero)->capture_default_str();
  }
  /// One value of an enumeration, whose words stand in the order of its values from 0 on.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const char* name, const char* help, E& value, Words words) {
    command_.add_option(name, value, help)
        ->transform(word_of(words))
        ->default_str(words.begin()[static_cast<std::size_t>(value)]);
  }
  /// A list of them, which holds one or is empty: then the option may be left out.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const char* name, const char* help, std::vector<E>& values, Words words) {
    CLI::Option* const option =
        command_.add_option(name, values, help)->delimiter(',')->transform(word_of(words));
    if (!values.empty())
      option->default_str(words.begin()[static_cast<std::size_t>(values.front())]);
  }

 private:
  static CLI::Range in(Range range) { return {range.least, range.most}; }
  static CLI::Validator word_of(Words given) {
    const std::vector<std::string> words(given.begin(), given.end());
    const std::string list = joined(words, "|");
    return CLI::Validator(
        [words, list](std::string& text) {
          for (std::size_t i = 0; i < words.size(); ++i)
            if (text == words[i]) {
              text = std::to_string(i);  // what CLI11 makes an enumeration of
              return std::string();
            }
          return "expected " + list + ", found " + in_quotes(text);
        },
        list);
  }

  CLI::App& command_;
};

/// A series of training runs by its options: `logdepth train NAME`. It stands in the folder of the
/// paper that it comes from.
class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual const char* name() const = 0;
  /// What it is for, and an example.
  virtual const char* help() const = 0;
  virtual void add_options(ExperimentOptions& add) = 0;
  /// Whether a weights file of the compiler is what is trained.
  virtual bool begins_with_weights() const { return false; }
  /// The runs, each for one seed: their names are without it. Errors: InputError naming the option
  /// and what was expected.
  virtual TrainingPlan runs() const = 0;
};

using MakeExperiment = std::unique_ptr<Experiment> (*)();
template <std::derived_from<Experiment> E>
std::unique_ptr<Experiment> make_experiment() {
  return std::make_unique<E>();
}

}}  // namespace logdepth::learned_records
