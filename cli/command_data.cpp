#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/data_output.hpp"
#include "cli/validators.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/word_problems/csv_fields.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/monoid_table.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/own_crasp.hpp"
#include "learned/word_problems/task_words.hpp"
#include "learned/word_problems/verdict_words.hpp"
#include "learned/word_problems/word_data.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline cli {
namespace {

constexpr const char* kMonoidHelp =
    "group or monoid of the letters and targets: Zk, Sk, Ak, Dk, V4, Q8, Tk, flipflop, or a "
    "product such as A4_x_Z5";

struct WordsOptions {
  std::string monoid, regex, automaton, crasp, letters = "all", order = "ours", labels = "states";
  DataOutput output;
  std::uint64_t length = 0, words = 1000, seed = 1;
};

struct CheckOptions {
  std::string file, monoid, order;
  bool json = false;
};

ProductOrder order_of(const std::string& word) {
  return word == "published" ? ProductOrder::published : ProductOrder::first_letter_first;
}

void write_words(const WordsOptions& options, const MonoidTable& table, std::ostream& out) {
  WordFileWriter writer(out, table, order_of(options.order));
  std::vector<std::uint32_t> word(options.length);
  for (std::uint64_t i = 0; i < options.words && out; ++i) {
    CounterRandom random(options.seed, RandomStream::data_files, 0, i);
    for (std::uint32_t& element : word) element = table.letters[random.below(table.letters.size())];
    writer.write(options.seed, word);
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
  return options.output.write(
      [&](std::ostream& out) {
        write_words(options, automaton.alphabet,
                    labelling_of(automaton, "", options.labels == "verdicts"), uniform, out);
      },
      {options.automaton});
}

int words_of_program(const WordsOptions& options) {
  const OwnCrasp own = own_crasp(options.crasp, "--");
  const auto length = static_cast<std::uint32_t>(options.length);
  const VerdictWords words(own.program, length);
  return options.output.write(
      [&](std::ostream& out) {
        write_words(
            options, own.program.alphabet, labelling_of(own),
            [&](CounterRandom& random) { return words.draw(length, random); }, out);
      },
      {options.crasp});
}

int data_words(const WordsOptions& options) {
  require(options.length > 0, "--length: expected at least 1");
  require(options.words > 0, "--words: expected at least 1");
  if (options.monoid.empty()) {
    if (!options.crasp.empty()) return words_of_program(options);
    require(!options.regex.empty() || !options.automaton.empty(),
            "data words: expected one of --monoid, --regex, --automaton and --crasp, found none");
    return words_of_automaton(options);
  }
  const MonoidTable table = make_monoid_table(
      options.monoid, options.letters == "all" ? NamedLetters::all : NamedLetters::generators);
  return options.output.write([&](std::ostream& out) { write_words(options, table, out); });
}

WordFile checked_file(const CheckOptions& options, const MonoidTable& table) {
  return options.order.empty() ? read_word_file(options.file, table)
                               : parse_word_file(read_text_file(options.file), options.file, table,
                                                 order_of(options.order));
}

int data_check(const CheckOptions& options) {
  const MonoidTable table = make_monoid_table(options.monoid);
  WordFile file;
  nlohmann::ordered_json said = {{"schema", "logdepth/data-check/1"},
                                 {"file", options.file},
                                 {"monoid", table.name},
                                 {"size", table.size}};
  try {
    file = checked_file(options, table);
  } catch (const WrongTarget& wrong) {
    said["right"] = false;
    said["wrong"] = wrong.what();
    if (options.json) std::cout << said.dump(1) << '\n';
    std::cerr << "logdepth: " << printable(wrong.what(), kMostPrinted) << '\n';
    return kCheckFailed;
  }
  const auto [shortest, longest] = std::minmax_element(
      file.rows.begin(), file.rows.end(),
      [](const WordRow& a, const WordRow& b) { return a.word.size() < b.word.size(); });
  const std::string from = std::to_string(shortest->word.size());
  const std::string to = std::to_string(longest->word.size());
  if (options.json) {
    const char* order = file.either                             ? "both"
                        : file.order == ProductOrder::published ? "published"
                                                                : "ours";
    said["right"] = true;
    said["words"] = file.rows.size();
    said["shortest"] = shortest->word.size();
    said["longest"] = longest->word.size();
    said["order"] = order;
    std::cout << said.dump(1) << '\n';
  } else {
    std::cout << options.file << ": " << counted(file.rows.size(), "word") << " of length "
              << (from == to ? from : from + " to " + to) << " over " << table.name
              << ", targets right "
              << (file.either ? "in either convention" : order_text(file.order)) << '\n';
  }
  return kDone;
}

}  // namespace

Command add_data_words(CLI::App& data) {
  auto options = std::make_shared<WordsOptions>();
  CLI::App* command =
      data.add_subcommand("words",
                          "write random words over a group or monoid with their prefix products, "
                          "over an automaton with its states, or over a C-RASP program with its "
                          "verdicts, as CSV: seed,input,target\n"
                          "Example: logdepth data words --monoid A5 "
                          "--length 32 --words 1000 --seed 1 -o a5.csv");
  CLI::Option* const monoid = command->add_option("--monoid,--group", options->monoid, kMonoidHelp);
  CLI::Option* const regex = command->add_option(
      "--regex", options->regex, "words over the letters of this regular expression");
  CLI::Option* const automaton = command->add_option(
      "--automaton", options->automaton,
      "the same of an automaton file: OpenFst, JFLAP, DOT, Mata or JSON, by its content");
  regex->excludes(monoid)->excludes(automaton);
  automaton->excludes(monoid);
  CLI::Option* const crasp =
      command->add_option("--crasp", options->crasp,
                          "words over the letters of this C-RASP program, drawn so that both of "
                          "its verdicts occur");
  crasp->excludes(monoid)->excludes(regex)->excludes(automaton);
  command
      ->add_option(
          "--labels", options->labels,
          "labels of --regex and --automaton: states of the minimal automaton, or verdicts, "
          "whether it accepts")
      ->check(choice_of({"states", "verdicts"}))
      ->capture_default_str()
      ->excludes(monoid)
      ->excludes(crasp);
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
  options->output.add(*command);
  return [options] { return data_words(*options); };
}

Command add_data_check(CLI::App& data) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      data.add_subcommand("check",
                          "check every target of a file of words and print its "
                          "convention\nExample: logdepth data check a5.csv --monoid A5");
  command->add_option("FILE", options->file, "CSV file with the columns seed,input,target")
      ->required();
  command->add_option("--monoid", options->monoid, kMonoidHelp)->required();
  command->add_option("--order", options->order, "required convention (default: that of the file)")
      ->check(choice_of({"ours", "published"}));
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return data_check(*options); };
}

}  // namespace logdepth::inline cli
