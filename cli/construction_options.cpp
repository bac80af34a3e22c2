#include "cli/construction_options.hpp"

#include "base/overload.hpp"
#include "cli/commands.hpp"
#include "cli/validators.hpp"

namespace logdepth::inline cli {

void add_construction_options(CLI::App& app, Problem problem, Values& values,
                              const Catalogue& constructions) {
  for (const Option& option : construction_options(problem, constructions)) {
    const std::string typed = "--" + option.name;
    const auto take = [&values, name = option.name](const auto& given) { values[name] = given; };
    std::visit(Overload{[&](const FlagOption&) {
                          app.add_flag_callback(
                              typed, [take] { take(std::uint64_t{1}); }, option.help);
                        },
                        [&](const CountOption& count) {
                          app.add_option_function<std::uint64_t>(typed, take, option.help)
                              ->check(count.most == kMostCounted ? kCount : kSmallCount);
                        },
                        [&](const ChoiceOption& choice) {
                          app.add_option_function<std::string>(typed, take, option.help)
                              ->check(choice_of(choice.words));
                        },
                        [](const RefusedOption&) {}},
               option.type);
  }
}

}  // namespace logdepth::inline cli
