#include "cli/automaton_options.hpp"

#include "cli/optional_option.hpp"
#include "cli/validators.hpp"
#include "library/requests/automaton_request.hpp"

namespace logdepth::inline cli {

void AutomatonOptions::add_to(CLI::App& app) {
  auto* one_of = app.add_option_group("automaton", "Language (one of these options)");
  const auto add_file = [](CLI::App& to, const std::string& name, std::optional<SourceFile>& file,
                           const std::string& description) {
    return to.add_option_function<std::string>(
        name, [&file](const std::string& path) { file = path; }, description);
  };
  std::vector<CLI::Option*> sources = {
      add_optional(*one_of, "--regex", source.regex, "regular expression, such as (a|b)*abb")};
  for (const AutomatonFile& kind : automaton_files())
    sources.push_back(add_file(*one_of, kind.option, source.*kind.file, kind.description));
  sources.push_back(add_optional(*one_of, "--group", source.group,
                                 "word problem of a named group or monoid: Z6, S3, A5, D4, Q8, "
                                 "flipflop, A4_x_Z5, ..."));
  for (CLI::Option* option : sources)
    for (CLI::Option* other : sources)
      if (option != other) option->excludes(other);
  options.assign(sources.begin(), sources.end());
  options.push_back(app.add_option_function<std::string>(
      "--alphabet", [this](const std::string& text) { source.alphabet = split_letters(text); },
      "alphabet in order: abc, or open,close"));
  options.push_back(add_file(app, "--symbols", source.symbols, "OpenFst symbols file for --fst"));
  options.push_back(add_optional(app, "--letters", source.letters,
                                 "letters of --group: generators or all elements")
                        ->check(choice_of(kGroupLetters)));
}

}  // namespace logdepth::inline cli
