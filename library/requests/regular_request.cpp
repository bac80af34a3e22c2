#include "library/requests/regular_request.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/quoted_text.hpp"

namespace logdepth::inline library_requests {
namespace {

/// "a b c", cut off when there are many.
std::string list_letters(const Alphabet& alphabet) {
  std::string text;
  for (const std::string& name : alphabet.names()) {
    if (text.size() > 60) return fmt::format("{} ... ({})", text, alphabet.size());
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

}  // namespace

Program requested_program(const LoadedAutomaton& loaded, const Construction& construction,
                          const Values& values, const Say& say) {
  say("automaton: " + printable(loaded.name) + ", " + loaded.sizes() + ", letters " +
      list_letters(loaded.action.alphabet));
  Program program = construction.make({values, &loaded.action, loaded.name, say});
  if (const Values all = construction.with_defaults(values); all.contains("positions"))
    program.parameters.try_emplace("positions", word_of(all, "positions"));  // auto has said it
  program.parameters["automaton"] = loaded.name;
  program.parameters["automaton_sizes"] = loaded.sizes();
  if (!loaded.state_names.empty())
    program.parameters["states"] = nlohmann::json(loaded.state_names).dump();
  if (program.parameters.contains("table"))
    say("table: " + program.parameters["table"] + ", " + program.parameters["table_reason"]);
  return program;
}

}  // namespace logdepth::inline library_requests
