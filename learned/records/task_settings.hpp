#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/depth_reading.hpp"
#include "learned/records/measure_request.hpp"
#include "learned/records/settings_value.hpp"
#include "objects/action.hpp"

namespace logdepth::inline learned_records {

class Task;

/// Running products of maps of points, as a network made from a weights file is asked for them.
struct ProductQuestion {
  std::string name;                      ///< of the monoid, for messages
  std::vector<std::string> letters;      ///< what words are made of
  std::uint32_t longest = 0;             ///< letters of the longest word
  std::vector<Transformation> elements;  ///< what each answer stands for
};

/// The tokens that a task of text is read in: words of its own, or those of a language model.
struct TextTokens {
  std::vector<std::string> words;
  std::string model;  ///< a language model's file or folder; empty: the words
};

/// The settings of one kind of task. They stand with the task in the folder of the paper that it
/// comes from; everything else sees this class only.
class TaskSettings {
 public:
  virtual ~TaskSettings() = default;
  virtual std::unique_ptr<TaskSettings> clone() const = 0;

  /// The word for tasks of this kind in configurations and results.
  virtual const char* kind() const = 0;
  virtual void visit(SettingVisitor& visit) = 0;
  /// Errors: InputError where a setting is out of range that a model depends on; all others are
  /// looked at by `make_task`.
  virtual void validate() const {}
  /// The largest number of loops that a measure asks for; 0: it leaves them to the model.
  virtual std::uint32_t most_loops() const { return 0; }
  /// TaskFormat::taught.
  virtual std::uint32_t taught_levels() const { return 0; }
  /// Layers that samples of the largest size have edges of attention for (Samples::layer_views); 0: layers
  /// are alike.
  virtual std::uint32_t edge_levels() const { return 0; }
  /// Whether samples share rows (Samples::segments), so that every training batch has one shape.
  virtual bool packs() const { return false; }
  /// The task of these settings. Errors: InputError naming the setting and what was expected.
  virtual std::unique_ptr<Task> make_task(std::uint64_t seed) const = 0;

  /// Takes what a measurement asks for of its samples. Errors: InputError naming the option of
  /// `logdepth measure` that is out of range, or has no place in this kind of task.
  virtual void ask(const MeasureRequest& request);

  /// Whether the task asks for products of maps, so that a weights file may be its model.
  virtual bool asks_products() const { return false; }
  /// Precondition: asks_products(), and the task can be made.
  virtual ProductQuestion products() const;
  /// Of a task of text.
  virtual std::optional<TextTokens> text_tokens() const { return std::nullopt; }
  /// What a table of depths reads off a result of this task; absent where it has no place there.
  /// Errors: those of RecordFields.
  virtual std::optional<DepthReading> depth_reading(const RecordFields&) const {
    return std::nullopt;
  }

 protected:
  TaskSettings() = default;
  TaskSettings(const TaskSettings&) = default;
  TaskSettings(TaskSettings&&) = default;
  TaskSettings& operator=(const TaskSettings&) = default;
  TaskSettings& operator=(TaskSettings&&) = default;
};

/// Settings of a task of any kind, as a value.
using TaskConfig = SettingsValue<TaskSettings>;

/// The defaults of every kind of task, gathered from the list of papers (learned/papers.list).
template <>
const std::vector<TaskConfig>& known_kinds<TaskSettings>();

}  // namespace logdepth::inline learned_records
