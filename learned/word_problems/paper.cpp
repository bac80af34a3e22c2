#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "learned/papers.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/word_files.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/point_maps.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_word_problems {
namespace {

class WordProblemExperiment final : public Experiment {
 public:
  const char* name() const override { return "word-problem"; }
  const char* help() const override {
    return "train decoders on prefix products of groups (MS25 section 7) and measure the length "
           "that each depth reaches\nExample: logdepth train word-problem --monoid Z2,S3 --depths "
           "1,2,4 --jobs 2 --out runs";
  }

  void add_options(ExperimentOptions& add) override {
    add("--monoid", "groups or monoids, named as in compile regular --group: S3,A5 (default: S3)",
        monoids_);
    add("--group",
        "a group or monoid by a file of its generators, a line each: (1,2,3)(4,5) or [1,2,0]",
        group_);
    add("--regex", "the states of this regular expression's minimal automaton, after every letter",
        regex_);
    add("--automaton",
        "the same of an automaton file: OpenFst, JFLAP, DOT, Mata or JSON, by its content",
        automaton_);
    add("--labels",
        "labels of --regex and --automaton: states of the minimal automaton, or verdicts, "
        "whether it accepts",
        labels_, {"states", "verdicts"});
    add("--crasp", "the verdicts of this C-RASP program, after every letter", crasp_);
    add("--kind",
        "stack (different layers), loop (one repeated block) or adaptive-loop (--depths "
        "iterations of the block per doubling of the length)",
        kind_, {"stack", "loop", "adaptive-loop"});
    add("--depths", "numbers of layers; for adaptive-loop, iterations per doubling of the length",
        depths_, {1, 512});
    add("--widths", "one run per width, as 32,64,128", widths_, {4, 8192});
    add("--block", "layers of the repeated block", block_, {1, 512});
    add("--max-length", "largest length of the curriculum 2, 4, 8, ...", max_length_, {2, 65536});
    add("--mixed-lengths", "draw the length of half of the batches from all stages so far", mixed_);
    add("--packed",
        "pack words into rows of one size, so that seeds are trained together; for stack and loop, "
        "with the settings for a fixed depth and a free length",
        packed_);
    add("--teach",
        "auxiliary supervision; windows: a readout after layer l predicts the product of the "
        "last 2^l letters",
        teach_, {"none", "windows"});
    add("--edges",
        "radices of a scan, as 2,2,2: attention between letters has its edges only, a level for "
        "each layer that runs",
        edges_, {2, 65536});
    add("--data",
        "train on the words of this CSV file, with columns input and target: its own letters and "
        "labels, one per letter or per word",
        data_);
  }

  TrainingPlan runs() const override {
    static const char* const kNames[] = {"stack", "loop", "adaptive-loop"};
    if (kind_ == WordModel::stack && block_ != 1)
      throw InputError("--block: a stack has no repeated block, expected --kind loop");
    if (packed_ && kind_ == WordModel::adaptive_loop)
      throw InputError(
          "--packed: expected --kind stack or loop, since all rows run as many layers");
    const bool with_states = !regex_.empty() || !automaton_.empty();
    const bool own = with_states || !crasp_.empty();
    if (!regex_.empty() && !automaton_.empty())
      throw InputError("--regex: expected one of --regex and --automaton, found both");
    if (with_states && !crasp_.empty())
      throw InputError("--crasp: expected one of --regex, --automaton and --crasp, found " +
                       std::string(regex_.empty() ? "--automaton" : "--regex") + " as well");
    if (!group_.empty() && (own || !monoids_.empty() || !data_.empty()))
      throw InputError(
          "--group: expected it without --monoid, --regex, --automaton, --crasp and --data");
    if (own && !monoids_.empty())
      throw InputError(
          "--monoid: expected one of --monoid, --regex, --automaton and --crasp, found " +
          std::string(!regex_.empty()       ? "--regex"
                      : !automaton_.empty() ? "--automaton"
                                            : "--crasp") +
          " as well");
    if (!with_states && labels_ != WordTaskConfig::Labels::states)
      throw InputError("--labels: expected --regex or --automaton beside it");
    if (!data_.empty() && (own || !monoids_.empty()))
      throw InputError(
          "--data: a file has its own letters and labels, expected no --monoid, --regex, "
          "--automaton or --crasp beside it");
    std::vector<std::string> problems = monoids_;
    if (monoids_.empty()) problems = {own || !data_.empty() ? "" : "S3"};
    std::string own_name;
    std::uint32_t longest = 0;  // word of a file
    if (!data_.empty()) {
      const OwnWords words = read_own_words(data_);
      own_name = words.name;
      longest = std::max(2u, packed_ ? words.longest() / 2 : words.longest());
    } else if (!group_.empty()) {
      problems = {own_group()};
      own_name = name_with_digits(group_, problems[0]);
    } else if (!crasp_.empty()) {
      own_name = own_crasp(crasp_, "--").name;
    } else if (own) {
      own_name = name_of_automaton(own_automaton(regex_, automaton_), automaton_,
                                   labels_ == WordTaskConfig::Labels::verdicts);
    }
    TrainingPlan plan;
    for (const std::string& monoid : problems)
      for (const std::uint32_t depth : depths_) {
        RunConfig config = word_problem(monoid, kind_, depth, block_);
        auto& task = config.task.as<WordTaskConfig>();
        task.regex = regex_;
        task.automaton = automaton_;
        task.labels = labels_;
        task.crasp = crasp_;
        if (longest > 0) task.max_length = longest;
        if (max_length_) task.max_length = *max_length_;
        if (packed_) pack(config);
        task.data = data_;
        task.teach = teach_;
        task.edges = edges_;
        if (mixed_) task.mixed_lengths = 0.5;
        const std::string name = fmt::format(
            "{}/{}-{}{}{}{}{}", own_name.empty() ? monoid : own_name,
            kNames[static_cast<int>(kind_)], depth,
            teach_ == WordTaskConfig::Teach::none ? "" : "-taught", packed_ ? "-packed" : "",
            mixed_ ? "-mixed" : "",
            edges_.empty() ? std::string() : fmt::format("-edges-{}", fmt::join(edges_, "-")));
        if (widths_.empty()) plan.push_back({name, config});
        for (const std::uint32_t width : widths_) {
          config.model.width = width;
          config.model.hidden = 4 * width;
          plan.push_back({fmt::format("{}-width-{}", name, width), config});
        }
      }
    return plan;
  }

 private:
  /// By its generators, as named_monoid takes them.
  std::string own_group() const {
    std::vector<std::string> maps;
    for (const Transformation& map : read_generators(read_text_file(group_), group_))
      maps.push_back(format_transformation(map));
    return joined(maps, " ");
  }

  std::vector<std::string> monoids_;
  std::string group_, regex_, automaton_, crasp_;
  WordTaskConfig::Labels labels_ = WordTaskConfig::Labels::states;
  WordModel kind_ = WordModel::stack;
  std::vector<std::uint32_t> depths_ = {1, 2, 4, 6}, widths_, edges_;
  std::uint32_t block_ = 1;
  std::optional<std::uint32_t> max_length_;
  std::string data_;
  WordTaskConfig::Teach teach_ = WordTaskConfig::Teach::none;
  bool mixed_ = false, packed_ = false;
};

class ConstructionExperiment final : public Experiment {
 public:
  const char* name() const override { return "construction"; }
  const char* help() const override {
    return "fine-tune compiled weights by gradient descent and measure whether the construction is "
           "kept\nExample: logdepth train construction a5.json --monoid A5 --out runs/kept";
  }
  bool begins_with_weights() const override { return true; }

  void add_options(ExperimentOptions& add) override {
    add.required("weights", "weights file of compile regular --group", weights_);
    add.required("--monoid", "group of the weights file", monoid_);
    add("--letters", "letters of the weights file: all elements or generators", letters_,
        {"all", "generators"});
    add("--attention", "attention: hard (without gradient through the selection) or softmax",
        attention_, {"hard", "softmax"});
    add.above_zero("--temperature", "factor of the scores in the softmax", temperature_);
    add("--length", "largest word length in letters", length_, {2, 4096});
  }

  TrainingPlan runs() const override {
    RunConfig config = from_construction(weights_, monoid_, letters_, length_);
    config.constructed->attention = attention_;
    config.constructed->temperature = temperature_;
    return {{monoid_ + "/construction", std::move(config)}};
  }

 private:
  std::string weights_, monoid_;
  WordTaskConfig::Letters letters_ = WordTaskConfig::Letters::generators;
  ConstructedConfig::Attention attention_ = ConstructedConfig::Attention::hard;
  double temperature_ = 1;
  std::uint32_t length_ = 32;
};

}  // namespace

Paper word_problems_paper() {
  return {{WordTaskConfig()},
          {make_experiment<WordProblemExperiment>, make_experiment<ConstructionExperiment>}};
}

}}  // namespace logdepth::learned_word_problems
