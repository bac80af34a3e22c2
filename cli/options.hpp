#pragma once

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "compiler/program/program.hpp"
#include "library/requests/automaton_request.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/export.hpp"
#include "objects/graph.hpp"
#include "objects/text_format.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

/// Absent values are null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& content, const std::optional<T>& value) {
    content = value ? json(*value) : json();
  }
  static void from_json(const json& content, std::optional<T>& value) {
    if (!content.is_null()) value = content.get<T>();
  }
};

namespace logdepth { inline namespace cli {

/// Validates counts: CLI11 would wrap a negative one to a huge unsigned number.
inline CLI::Validator count_up_to(std::uint64_t limit) {
  return CLI::Validator(
      [limit](const std::string& text) {
        const auto value = whole_number(text);
        return value && *value <= limit ? std::string() : whole_number_expected(limit, text);
      },
      "COUNT");
}
inline const CLI::Validator kCount = count_up_to(kMostCounted);
inline const CLI::Validator kSmallCount = count_up_to(kMostParts);

/// Validates amounts, which may be fractions: "expected a number of GiB above 0 and at most 65536".
inline CLI::Validator amount_up_to(std::uint64_t limit, const std::string& unit,
                                   const std::string& name) {
  return CLI::Validator(
      [limit, unit](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value > 0 &&
            value <= static_cast<double>(limit))
          return std::string();
        return "expected a number of " + unit + " above 0 and at most " + std::to_string(limit) +
               ", found " + in_quotes(text);
      },
      name);
}

/// Validates a choice; help and completions show it as CLI11 shows its own.
inline CLI::Validator choice_of(const std::vector<std::string>& values) {
  return CLI::Validator(
      [values](const std::string& text) {
        return std::ranges::find(values, text) == values.end() ? one_of_expected(values, text)
                                                               : std::string();
      },
      "{" + joined(values, ",") + "}");
}

/// Validates a file to write: the work that fills it may be long, so a folder that does not exist
/// is noticed before it.
inline const CLI::Validator kInAFolder = CLI::Validator(
    [](const std::string& text) {
      const std::filesystem::path folder = std::filesystem::path(text).parent_path();
      return folder.empty() || std::filesystem::is_directory(folder)
                 ? std::string()
                 : text + ": cannot be written: no folder " + in_quotes(folder.string());
    },
    "");

/// An option that is absent where the user does not give it; an empty text is given, too.
template <class T>
CLI::Option* add_optional(CLI::App& app, const std::string& name, std::optional<T>& value,
                          const std::string& description) {
  return app.add_option_function<T>(
      name, [&value](const T& given) { value = given; }, description);
}

/// The options that name an automaton: at most one of --regex, --group and those of files.
struct AutomatonOptions {
  AutomatonSource source;
  std::vector<const CLI::Option*> options;  ///< in the order in which they are typed again

  void add_to(CLI::App& app);
};

/// The options that say what is right: --against, or those that name an automaton.
struct OracleOptions {
  std::string against;
  AutomatonOptions automaton;
  CLI::Option* against_option = nullptr;

  void add_to(CLI::App& app, const std::string& description);
  bool names_automaton() const { return logdepth::names_automaton(automaton.source); }
  bool given() const { return against_option->count() > 0 || names_automaton(); }
  OracleRequest request() const { return {against, automaton.source}; }
  /// The options as words of a shell.
  std::string as_typed() const;
};

/// --temperature of an export: a number, auto, tested or hard. Errors: InputError.
void read_temperature(const std::string& text, ExportSettings& settings);

inline const char* const kGraphFileDescription =
    "graph file: edge or adjacency list, DOT, GML, GraphML, GEXF, DIMACS, METIS, Matrix Market, "
    "graph6 or node-link JSON";

/// The format of the file of --graph, where its name and its content do not say it.
void add_graph_format(CLI::App& app, CLI::Option* graph, std::optional<std::string>& format);

/// The program of a .cells file. Errors: InputError.
Program read_program(const std::string& file);

/// --memory and --seconds, of every command that runs a file.
void add_run_limits(CLI::App& command);

/// One line on a terminal's standard error: how far, how fast, how long still. Silent in a
/// pipe, and for work of under a second.
class Progress {
 public:
  Progress(std::string what, std::string unit) : what_(std::move(what)), unit_(std::move(unit)) {}
  ~Progress();
  void operator()(std::size_t done, std::size_t total);

 private:
  std::string what_, unit_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
};

/// FILE for "@FILE", else nothing.
std::string file_of(const std::string& text);

/// The options that name inputs of any kind: words, a graph with pairs of vertices, raw streams, a
/// division.
struct InputOptions {
  std::string input, tokens, batch, graph, source, target, cells;
  std::uint64_t dividend = 0, divisor = 1;
  std::optional<std::string> format;  ///< of the graph file
  bool undirected = false;
  CLI::Option *input_option = nullptr, *tokens_option = nullptr, *batch_option = nullptr,
              *graph_option = nullptr, *source_option = nullptr, *target_option = nullptr,
              *cells_option = nullptr, *divide_option = nullptr, *by_option = nullptr;

  void add_to(CLI::App& app, bool with_batch);
  /// Those that name an input, of which one is given; null: not offered.
  std::vector<const CLI::Option*> options() const;
  bool given() const;
  /// The files that are read, for refuse_overwriting.
  std::vector<std::string> files() const;
};

/// The words, as letter names of `alphabet`. Errors: InputError naming the option or file and line.
std::vector<Letters> load_words(const InputOptions& options,
                                const std::vector<std::string>& alphabet);

struct GraphQuestions {
  Graph graph;
  std::vector<VertexPair> pairs;  ///< source and target, in the order of the answers
};
using CellRows = std::vector<std::vector<Real>>;
struct StreamQuestion {
  CellRows rows;
  bool divides = false;  ///< the last token, by --divide and --by
};
using Questions = std::variant<std::vector<Letters>, GraphQuestions, StreamQuestion>;

/// What the options ask of this model. Errors: InputError when they are for another kind of input,
/// naming the options that this one takes; for bad input, with file and line.
Questions load_questions(const InputOptions& options, const Model& model);

/// The only question, for commands that look at one input.
OneQuestion load_one(const InputOptions& options, const Model& model);

}}  // namespace logdepth::cli
