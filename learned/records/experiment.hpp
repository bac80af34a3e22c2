#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "learned/records/training_plan.hpp"

namespace logdepth::inline learned_records {

/// Is told every option of an experiment, with its variable, which holds the default. The command
/// line is one; the experiments know none.
class OptionVisitor {
 public:
  struct Range {
    int least, most;
  };
  using Words = std::span<const char* const>;
  virtual ~OptionVisitor() = default;

  /// `name`: "--monoid", or "weights" for what is given without a name.
  virtual void required(const char* name, const char* help, std::string& value) = 0;
  virtual void operator()(const char* name, const char* help, std::string& value) = 0;
  virtual void operator()(const char* name, const char* help, std::vector<std::string>& value) = 0;
  virtual void operator()(const char* name, const char* help, std::uint32_t& value,
                          Range range) = 0;
  virtual void operator()(const char* name, const char* help, std::optional<std::uint32_t>& value,
                          Range range) = 0;
  virtual void operator()(const char* name, const char* help, std::vector<std::uint32_t>& value,
                          Range range) = 0;
  /// A flag.
  virtual void operator()(const char* name, const char* help, bool& value) = 0;
  virtual void above_zero(const char* name, const char* help, double& value) = 0;
  virtual void above_zero(const char* name, const char* help, std::optional<double>& value) = 0;

  /// One value of an enumeration, whose words stand in the order of its values from 0 on.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const char* name, const char* help, E& value,
                  std::initializer_list<const char*> words) {
    choice(name, help, {words.begin(), words.size()},
           words.begin()[static_cast<std::size_t>(value)],
           [&value](std::size_t index) { value = static_cast<E>(index); });
  }
  /// A list of them, which holds one or is empty: then the option may be left out.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const char* name, const char* help, std::vector<E>& values,
                  std::initializer_list<const char*> words) {
    choices(name, help, {words.begin(), words.size()},
            values.empty() ? nullptr : words.begin()[static_cast<std::size_t>(values.front())],
            [&values](const std::vector<std::size_t>& indices) {
              values.clear();
              for (const std::size_t index : indices) values.push_back(static_cast<E>(index));
            });
  }

 protected:
  virtual void choice(const char* name, const char* help, Words words, const char* now,
                      std::function<void(std::size_t)> set) = 0;
  /// `now`: null where there is none.
  virtual void choices(const char* name, const char* help, Words words, const char* now,
                       std::function<void(const std::vector<std::size_t>&)> set) = 0;
};

/// A series of training runs by its options: `logdepth train NAME`. It stands in the folder of the
/// paper that it comes from.
class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual const char* name() const = 0;
  /// What it is for, and an example.
  virtual const char* help() const = 0;
  virtual void visit(OptionVisitor& visit) = 0;
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

}  // namespace logdepth::inline learned_records
