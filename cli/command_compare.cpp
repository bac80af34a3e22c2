#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "cli/options.hpp"
#include "learned/jobs/training_jobs.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/task.hpp"
#include "learned/report/comparison.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/task_words.hpp"
#include "learned/word_problems/word_files.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// Where a command puts a report on training runs: its files into the folder of `--out`, else its page on standard
/// output; with `--json` its data on standard output.
struct ReportOutput {
  std::string folder;
  bool json = false;

  /// `files`: what they are, for the help.
  void add(CLI::App& command, const std::string& files) {
    command.add_option("--out", folder, "write " + files + " to this folder");
    command.add_flag("--json", json, "print one JSON object");
  }
  /// `files`: NAME.md, NAME.json and the pictures. Errors: InputError when one cannot be written; before any is where a
  /// folder has its name.
  void give(const std::vector<report::File>& files) const {
    std::vector<std::string> written;
    if (!folder.empty()) {
      for (const report::File& file : files) {
        const std::string path = folder + "/" + file.name;
        if (std::filesystem::is_directory(path))
          throw InputError(path + ": is a directory; expected a file name for the report");
        written.push_back(file.name);
      }
      for (const report::File& file : files) write_whole_file(folder + "/" + file.name, file.text);
    }
    if (json) {
      std::cout << files.at(1).text;
    } else if (folder.empty()) {
      std::cout << files.at(0).text;
    } else {
      const std::string last = written.back();
      written.pop_back();
      std::cerr << "wrote " << joined(written) << " and " << last << " to " << folder << '\n';
    }
  }
};

/// Depths are counted, not run, but claims and files are evaluated at every doubling up to here.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 20;

struct CompareArguments {
  std::vector<std::string> runs;
  std::string paper;
  ReportOutput output;
};

struct DepthArguments : CompareArguments {
  std::string regex, automaton, crasp;
  std::uint64_t up_to = 512;
};

std::string text_of(const StoredRun& run, const char* setting) {
  const auto found = run.settings.find(setting);
  return found != run.settings.end() && found->second.is_string() ? found->second.get<std::string>()
                                                                  : std::string();
}

/// The groups of the specification, from easy to hard as theory suggests, then those of the runs.
std::vector<std::string> groups(const std::vector<StoredRun>& runs) {
  std::vector<std::string> names = {"Z2", "S3", "A4", "A5", "S5"};
  std::set<std::string> more;
  for (const StoredRun& run : runs)
    if (const std::string monoid = text_of(run, "task.monoid");
        !monoid.empty() && std::ranges::find(names, monoid) == names.end())
      more.insert(monoid);
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// Languages beside the groups: those of the options, and those that runs were trained on.
void add_languages(const DepthArguments& options, const std::vector<StoredRun>& runs,
                   ConstructedOptions& how) {
  if (!options.regex.empty() || !options.automaton.empty()) {
    require(options.regex.empty() || options.automaton.empty(),
            "--regex: expected one of --regex and --automaton, found both");
    const Dfa own = own_automaton(options.regex, options.automaton, "--");
    how.automata.emplace(name_of_automaton(own, options.automaton), to_action(own));
  }
  if (!options.crasp.empty()) {
    OwnCrasp own = own_crasp(options.crasp, "--");
    how.counting.emplace(own.name, std::move(own.program));
  }
  for (const StoredRun& run : runs) {
    const std::string name = run.language.value("monoid", "");
    if (run.language.contains("automaton") && text_of(run, "task.monoid").empty())
      if (const auto automaton = automaton_from_json(run.language["automaton"]))
        how.automata.emplace(name, to_action(*automaton));
    if (run.language.contains("crasp"))
      if (auto program = crasp_from_json(run.language["crasp"]))
        how.counting.emplace(name, std::move(*program));
  }
}

/// Before anything is computed; the folder of --out, with it.
std::optional<OutputFolder> prepare(const CompareArguments& options) {
  if (options.output.folder.empty()) return std::nullopt;
  return std::optional<OutputFolder>(std::in_place, options.output.folder);
}

/// Names the records that cannot be read, which the rest of the work goes on without.
std::vector<StoredRun> read_runs(const CompareArguments& options,
                                 std::vector<std::string>& unreadable) {
  std::vector<StoredRun> runs = stored_runs(options.runs, unreadable);
  if (runs.empty() && !unreadable.empty()) throw InputError(unreadable.front());
  for (const std::string& message : unreadable)
    std::cerr << "logdepth: left out: " << printable(message, kMostPrinted) << '\n';
  return runs;
}

int compare_runs(const CompareArguments& options) {
  if (options.runs.empty())
    throw InputError("compare: expected folders of training runs, or the subcommand depth");
  PaperFile paper;
  if (options.paper.empty()) {
    paper.name = "runs";
    paper.title = "Runs";
  } else {
    paper = paper_named(options.paper);
  }
  std::vector<std::string> unreadable;
  const std::vector<StoredRun> runs = read_runs(options, unreadable);
  const auto folder = prepare(options);
  options.output.give(report::files_of(comparison(series_of(runs), paper)));
  return unreadable.empty() ? kDone : kCheckFailed;
}

int compare_depth(const DepthArguments& options) {
  if (options.up_to < 4)
    throw InputError(
        fmt::format("--up-to: expected at least 4 (two sizes), found {}", options.up_to));
  std::vector<std::string> unreadable;
  const std::vector<StoredRun> runs = read_runs(options, unreadable);
  ConstructedOptions how;
  how.groups = groups(runs);
  add_languages(options, runs, how);
  how.up_to = options.up_to;
  const auto folder = prepare(options);
  std::vector<ConstructedDepths> counted;
  {
    Progress progress("compare depth", "forms");
    how.progress = std::ref(progress);
    counted = constructed_depths(how);
  }
  const std::vector<report::LayerCurve> curves(counted.begin(), counted.end());
  std::string command = "logdepth compare depth";
  for (const std::string& run : options.runs) command += " " + run;
  command += fmt::format(" --up-to {}", options.up_to);
  options.output.give(
      report::files_of(layers_page(series_of(runs), paper_named("ms25"), curves, command)));
  if (!unreadable.empty() || std::ranges::any_of(counted, &ConstructedDepths::failed))
    return kCheckFailed;
  const auto open = std::ranges::find_if(counted, &ConstructedDepths::unverified);
  if (open == counted.end()) return kDone;
  std::cerr << "logdepth: " << open->construction << " of " << open->problem << ": "
            << printable(open->verification, kMostPrinted) << '\n';
  return kNotDecided;
}

}  // namespace

Command add_compare(CLI::App& parent) {
  auto options = std::make_shared<CompareArguments>();
  auto depth = std::make_shared<DepthArguments>();
  CLI::App* command =
      parent.add_subcommand("compare",
                            "compare training runs: a table per difficulty, one figure, the "
                            "verdicts of a paper\nExample: logdepth compare "
                            "runs --paper thinking_deeper --out pages");
  command->require_subcommand(0, 1);
  command->add_option(
      "RUNS", options->runs,
      "folders of training runs, searched recursively, or files of records (.jsonl.gz)");
  std::vector<std::string> names;
  for (const auto& [name, text] : paper_texts()) names.push_back(name);
  command->add_option("--paper", options->paper,
                      "judge the criteria of " + joined(names) + ", or of a file NAME.json");
  options->output.add(*command, "NAME.md, NAME.json and NAME.svg");

  CLI::App* layers = command->add_subcommand(
      "depth",
      "compare learned depth with the published, claimed, repaired and optimised constructed "
      "depth\nExample: logdepth compare depth runs --out depth");
  layers->add_option("RUNS", depth->runs,
                     "folders of training runs (default: none, constructed depths only)");
  layers->add_option("--regex", depth->regex, "add the constructions of this regular expression");
  layers->add_option("--automaton", depth->automaton, "add those of an automaton file");
  layers->add_option("--crasp", depth->crasp, "add those of a file with a C-RASP program");
  layers
      ->add_option("--up-to", depth->up_to,
                   "count the layers of constructions for sizes 2, 4, 8, ... up to this size")
      ->check(count_up_to(kLargest))
      ->capture_default_str();
  depth->output.add(*layers, "depth.md, depth.json and depth.svg");
  add_run_limits(*layers);
  return [options, depth, layers] {
    return layers->parsed() ? compare_depth(*depth) : compare_runs(*options);
  };
}

namespace {

using nlohmann::ordered_json;

struct MeasureArguments {
  MeasureRequest request;
  std::string run, output, device = "cpu";
  bool json = false;
};

/// The result as a sentence, of words also the accuracy at every index.
std::string text(const RunConfig& config, const ordered_json& result) {
  std::string text = config.task->make_task(config.seed)->summary(result) + "\n";
  if (!config.task.try_as<WordTaskConfig>()) return text;
  text += "index  accuracy\n";
  for (std::size_t i = 0; i < result["accuracy"].size(); ++i)
    text += fmt::format("{:>5}  {:>8.4f}\n", i + 1, result["accuracy"][i].get<double>());
  return text;
}

int measure(const MeasureArguments& options) {
  const std::string folder = options.run + "/";
  refuse_overwriting(options.output,
                     {folder + kRunConfigFile, folder + kRecordFile, folder + kWeightsFile});
  ProgramOutput output;
  {
    Progress line("measure", "samples");
    output = output_of_training_program(
        {options.run, "--measure", to_json(options.request).dump(), "--device", options.device},
        std::ref(line));
  }
  if (output.status != kDone) return output.status;  // it has said why itself
  const auto measured = ordered_json::parse(output.text);
  if (!options.output.empty()) {
    write_whole_file(options.output, measured.dump(1) + "\n");
    std::cerr << "wrote " << options.output << '\n';
  }
  if (options.json) {
    std::cout << measured.dump(1) << '\n';
  } else {
    std::cout << text(read_run(options.run).config, measured["result"]);
  }
  return kDone;
}

}  // namespace

Command add_measure(CLI::App& app) {
  auto options = std::make_shared<MeasureArguments>();
  MeasureRequest& request = options->request;
  CLI::App* command = app.add_subcommand(
      "measure",
      "re-evaluate the network of a finished training run, without training\nExample: logdepth "
      "measure runs/A5/adaptive-loop-1/seed-1 --length 12 --loops 4");
  command->add_option("RUN", options->run, "folder of one training run")->required();
  command
      ->add_option("--length", request.length,
                   "sequence length in tokens (default: the length reached in training)")
      ->check(CLI::Range(2U, 1U << 16));
  command
      ->add_option("--loops", request.loops,
                   "iterations of the repeated block (default: as trained)")
      ->check(CLI::Range(1U, kLoopLimit));
  command
      ->add_option("--words", request.samples, "number of test sequences (default: as in the run)")
      ->check(CLI::Range(1U, 10000000U));
  const auto edges = [&](const char* name, std::vector<std::uint32_t>& radices,
                         const std::string& what) {
    return command
        ->add_option(
            name, radices,
            what +
                " of the scan with these radices, one for each layer that runs: with 2,2,2 "
                "layer l reads 2^(l-1) letters back")
        ->delimiter(',')
        ->check(CLI::Range(2U, 1U << 16));
  };
  CLI::Option* keep =
      edges("--keep-edges", request.keep_edges, "attention between letters keeps only the edges");
  edges("--cut-edges", request.cut_edges, "attention loses the edges")->excludes(keep);
  command->add_option("-o,--output", options->output, "also write the result as JSON to this file")
      ->check(kInAFolder);
  command->add_option("--device", options->device, "device to run on")
      ->check(choice_of({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return measure(*options); };
}

namespace {

/// Writes the file, which is whole or not there at all, or without a name to standard output. `inputs`: files that
/// were read. Returns the exit status. Errors: InputError naming the option or the file.
int write_data(const std::string& file, const std::vector<std::string>& inputs,
               const std::function<void(std::ostream&)>& content) {
  if (file.empty()) {
    print_by_lines();
    content(std::cout);
    return kDone;
  }
  refuse_overwriting(file, inputs);
  OutputFile output(file);
  content(output.stream());
  output.commit();
  return kDone;
}

/// What labels words: one of the first four.
struct LabelOptions {
  std::string monoid, regex, automaton, crasp, labels = "states";
};

struct WordsOptions : LabelOptions {
  std::string letters = "all", order = "ours", output;
  std::uint64_t length = 0, words = 1000, seed = 1;
};

struct CheckOptions : LabelOptions {
  std::string file, order;
  bool json = false;
};

/// Returns the option of the monoid, which others need.
CLI::Option* add_label_options(CLI::App& command, LabelOptions& options) {
  CLI::Option* const monoid =
      command.add_option("--monoid,--group", options.monoid,
                         "group or monoid of the letters and targets: Zk, Sk, Ak, Dk, V4, Q8, Tk, "
                         "flipflop, or a product such as A4_x_Z5");
  CLI::Option* const regex = command.add_option(
      "--regex", options.regex, "words over the letters of this regular expression");
  CLI::Option* const automaton = command.add_option(
      "--automaton", options.automaton,
      "the same of an automaton file: OpenFst, JFLAP, DOT, Mata or JSON, by its content");
  regex->excludes(monoid)->excludes(automaton);
  automaton->excludes(monoid);
  CLI::Option* const crasp =
      command.add_option("--crasp", options.crasp, "words over the letters of this C-RASP program");
  crasp->excludes(monoid)->excludes(regex)->excludes(automaton);
  command
      .add_option("--labels", options.labels,
                  "labels of --regex and --automaton: states of the minimal automaton, or "
                  "verdicts, whether it accepts")
      ->check(choice_of({"states", "verdicts"}))
      ->capture_default_str()
      ->excludes(monoid)
      ->excludes(crasp);
  return monoid;
}

void require_labels(const LabelOptions& options, const char* command) {
  require(!options.monoid.empty() || !options.regex.empty() || !options.automaton.empty() ||
              !options.crasp.empty(),
          std::string(command) +
              ": expected one of --monoid, --regex, --automaton and --crasp, found none");
}

ProductOrder order_of(const std::string& word) {
  return word == "published" ? ProductOrder::published : ProductOrder::first_letter_first;
}

void write_words(const WordsOptions& options, const MonoidTable& table, std::ostream& out) {
  const ProductOrder order = order_of(options.order);
  out << word_file_header(table, order);
  std::vector<std::uint32_t> word(options.length);
  for (std::uint64_t i = 0; i < options.words && out; ++i) {
    CounterRandom random(options.seed, RandomStream::data_files, 0, i);
    for (std::uint32_t& element : word) element = table.letters[random.below(table.letters.size())];
    out << word_file_row(table, order, options.seed, word);
  }
}

using Draw = std::function<Word(CounterRandom&)>;

/// Words with their labels after every letter.
void write_words(const WordsOptions& options, const Alphabet& alphabet, const Labelling& moves,
                 const Draw& draw, std::ostream& out) {
  out << "seed,input,target\n";
  for (std::uint64_t i = 0; i < options.words && out; ++i) {
    CounterRandom random(options.seed, RandomStream::data_files, 0, i);
    const Word word = draw(random);
    const std::vector<std::uint32_t> labels = moves.after(word);
    std::string input, target;
    for (std::size_t k = 0; k < word.size(); ++k) {
      input += (k > 0 ? " " : "") + alphabet.name(word[k]);
      target += (k > 0 ? " " : "") + std::to_string(labels[k]);
    }
    out << options.seed << ',' << csv_field(input) << ',' << target << '\n';
  }
}

int words_of_automaton(const WordsOptions& options) {
  const Dfa automaton = own_automaton(options.regex, options.automaton, "--");
  const Draw uniform = [&](CounterRandom& random) {
    return uniform_word(options.length, automaton.alphabet.size(), random);
  };
  return write_data(options.output, {options.automaton}, [&](std::ostream& out) {
    write_words(options, automaton.alphabet,
                labelling_of(automaton, "", options.labels == "verdicts"), uniform, out);
  });
}

int words_of_program(const WordsOptions& options) {
  const OwnCrasp own = own_crasp(options.crasp, "--");
  const auto length = static_cast<std::uint32_t>(options.length);
  const VerdictWords words(own.program, length);
  const Draw both_verdicts = [&](CounterRandom& random) { return words.draw(length, random); };
  return write_data(options.output, {options.crasp}, [&](std::ostream& out) {
    write_words(options, own.program.alphabet, labelling_of(own), both_verdicts, out);
  });
}

int data_words(const WordsOptions& options) {
  require(options.length > 0, "--length: expected at least 1");
  require(options.words > 0, "--words: expected at least 1");
  require_labels(options, "data words");
  if (!options.crasp.empty()) return words_of_program(options);
  if (options.monoid.empty()) return words_of_automaton(options);
  const MonoidTable table = make_monoid_table(
      options.monoid, options.letters == "all" ? NamedLetters::all : NamedLetters::generators);
  return write_data(options.output, {},
                    [&](std::ostream& out) { write_words(options, table, out); });
}

/// Reads the words whose labels are those of the options. `said` gets what labels them and their convention.
/// Result: the words, and what is right of them. Errors: as parse_word_file and read_labelled_words.
std::pair<std::vector<LabelledWord>, std::string> checked_words(const CheckOptions& options,
                                                                nlohmann::ordered_json& said) {
  const auto of_language = [&](const std::string& name, const Alphabet& alphabet,
                               const Labelling& moves, const std::string& labels) {
    said["language"] = name;
    said["labels"] = labels;
    return std::pair(read_labelled_words(options.file, alphabet, moves),
                     fmt::format("over {}, {} right", name, labels));
  };
  if (!options.crasp.empty()) {
    const OwnCrasp own = own_crasp(options.crasp, "--");
    return of_language(own.name, own.program.alphabet, labelling_of(own), "verdicts");
  }
  if (options.monoid.empty()) {
    const Dfa own = own_automaton(options.regex, options.automaton, "--");
    const std::string name = name_of_automaton(own, options.automaton);
    return of_language(name, own.alphabet, labelling_of(own, name, options.labels == "verdicts"),
                       options.labels);
  }
  const MonoidTable table = make_monoid_table(options.monoid);
  said["monoid"] = table.name;
  said["size"] = table.size;
  std::optional<ProductOrder> asked;
  if (!options.order.empty()) asked = order_of(options.order);
  WordFile file = parse_word_file(read_text_file(options.file), options.file, table, asked);
  said["order"] = file.either                             ? "both"
                  : file.order == ProductOrder::published ? "published"
                                                          : "ours";
  return {std::move(file.rows),
          fmt::format("over {}, targets right {}", table.name,
                      file.either ? "in either convention" : order_text(file.order))};
}

int data_check(const CheckOptions& options) {
  require_labels(options, "data check");
  nlohmann::ordered_json said = {{"schema", "logdepth/data-check/1"}, {"file", options.file}};
  try {
    const auto [words, right] = checked_words(options, said);
    const auto letters = [](const LabelledWord& word) { return word.letters.size(); };
    const std::size_t shortest = letters(std::ranges::min(words, {}, letters));
    const std::size_t longest = letters(std::ranges::max(words, {}, letters));
    said["right"] = true;
    said["words"] = words.size();
    said["shortest"] = shortest;
    said["longest"] = longest;
    if (!options.json)
      std::cout << options.file << ": " << counted(words.size(), "word") << " of length "
                << shortest << (shortest == longest ? "" : fmt::format(" to {}", longest)) << " "
                << right << '\n';
  } catch (const WrongTarget& wrong) {
    said["right"] = false;
    said["wrong"] = wrong.what();
    std::cerr << "logdepth: " << printable(wrong.what(), kMostPrinted) << '\n';
  }
  if (options.json) std::cout << said.dump(1) << '\n';
  return said["right"] == true ? kDone : kCheckFailed;
}

}  // namespace

Command add_data_words(CLI::App& data) {
  auto options = std::make_shared<WordsOptions>();
  CLI::App* command =
      data.add_subcommand("words",
                          "write random words over a group or monoid with their prefix products, "
                          "over an automaton with its states, or over a C-RASP program with its "
                          "verdicts, both of which occur, as CSV: seed,input,target\n"
                          "Example: logdepth data words --monoid A5 "
                          "--length 32 --words 1000 --seed 1 -o a5.csv");
  CLI::Option* const monoid = add_label_options(*command, *options);
  command->add_option("--length", options->length, "word length in letters")
      ->required()
      ->check(kSmallCount);
  command
      ->add_option("--words", options->words,
                   "number of words, drawn independently, and uniformly except for --crasp")
      ->check(kCount)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the words, written to the first column")
      ->check(kCount)
      ->capture_default_str();
  command->add_option("--letters", options->letters, "letters to draw: all elements or generators")
      ->check(choice_of({"all", "generators"}))
      ->capture_default_str()
      ->needs(monoid);
  command
      ->add_option("--order", options->order,
                   "convention. ours: the first letter acts first, elements in breadth-first "
                   "order; published: the last letter acts first, elements numbered as in "
                   "github.com/jopetty/word-problem")
      ->check(choice_of({"ours", "published"}))
      ->capture_default_str()
      ->needs(monoid);
  command->add_option("-o,--output", options->output, "file to write (default: standard output)")
      ->check(kInAFolder);
  return [options] { return data_words(*options); };
}

Command add_data_check(CLI::App& data) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      data.add_subcommand("check",
                          "check every target of a file of words, as data words writes them, and "
                          "print the convention of a group\n"
                          "Example: logdepth data check a5.csv --monoid A5");
  command->add_option("FILE", options->file, "CSV file with the columns input and target")
      ->required();
  CLI::Option* const monoid = add_label_options(*command, *options);
  command->add_option("--order", options->order, "required convention (default: that of the file)")
      ->check(choice_of({"ours", "published"}))
      ->needs(monoid);
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return data_check(*options); };
}

}}  // namespace logdepth::cli
