#include "library/requests/construction_request.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "library/requests/option_checks.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline library_requests {
namespace {

bool has(const Construction& construction, const std::string& option) {
  const Option* const own = construction.option(option);
  return own && !std::holds_alternative<RefusedOption>(own->type);
}

/// The constructions for an input, as a user tells them apart.
class Offered {
 public:
  Offered(Problem problem, const Catalogue& constructions) {
    for (const Construction& construction : constructions)
      if (construction.problem == problem) all_.push_back(&construction);
  }

  const std::vector<const Construction*>& all() const { return all_; }

  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const Construction* one : all_) add_new(words, one->typed());
    return words;
  }

  const Construction& named(const Values& values) const {
    const Construction* found = nullptr;
    const std::string word =
        values.contains(kConstruction) ? word_of(values, kConstruction) : all_.front()->typed();
    require_one_of("--construction", word, words());
    for (const Construction* one : all_)
      if (one->typed() == word && (one->given.empty() ? !found : values.contains(one->given)))
        found = one;
    return *found;
  }

  /// "radix", or "radix without --unroll" where another construction has the same word.
  std::string called(const Construction& construction) const {
    for (const Construction* other : all_)
      if (other != &construction && other->typed() == construction.typed())
        return construction.typed() + (construction.given.empty()
                                           ? " without --" + other->given
                                           : " with --" + construction.given);
    return construction.typed();
  }

  /// "radix", "compact, rows or radix": those that have an option.
  std::string which_have(const std::string& option) const {
    std::vector<std::string> words;
    for (const Construction* one : all_) {
      const bool all = std::ranges::all_of(all_, [&](const Construction* other) {
        return other->typed() != one->typed() || has(*other, option);
      });
      if (has(*one, option))
        add_new(words, all || one->given == option ? one->typed() : called(*one));
    }
    const std::string last = words.back();
    words.pop_back();
    return words.empty() ? last : joined(words) + " or " + last;
  }

  static void add_new(std::vector<std::string>& words, const std::string& word) {
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }

 private:
  std::vector<const Construction*> all_;
};

/// "scan: MS25 Theorem 4.1; tree: ...": what is said of one word by several stands together.
Option construction_option(const Offered& offered) {
  Option option{kConstruction, ChoiceOption{offered.words()}};
  for (const std::string& word : offered.words()) {
    std::string meaning;
    for (const Construction* one : offered.all())
      if (one->typed() == word && !one->help.empty())
        meaning += (meaning.empty() ? "" : ", ") + one->help;
    option.help += (option.help.empty() ? "" : "; ") + word + ": " + meaning;
  }
  return option;
}

/// "(default: two-circle; fine for cascade)" where constructions like different words best.
std::string preferred(const Offered& offered, const std::string& option) {
  std::vector<std::string> words, parts;
  std::vector<std::vector<std::string>> liked_by;
  for (const Construction* one : offered.all()) {
    if (!has(*one, option)) continue;
    const auto* choice = std::get_if<ChoiceOption>(&one->option(option)->type);
    if (!choice || choice->otherwise.empty()) continue;
    const auto at = std::ranges::find(words, choice->otherwise) - words.begin();
    Offered::add_new(words, choice->otherwise);
    liked_by.resize(words.size());
    liked_by[static_cast<std::size_t>(at)].push_back("for " + offered.called(*one));
  }
  if (words.size() < 2) return "";
  for (std::size_t i = 0; i < words.size(); ++i)
    parts.push_back(i == 0 ? "default: " + words[i]
                           : words[i] + " " + joined(liked_by[i], ", and "));
  return " (" + joined(parts, "; ") + ")";
}

void check_value(const std::string& name, const Option& own, const OptionValue& value,
                 const std::string& called) {
  const std::string typed = "--" + name;
  std::visit(Overload{[](const FlagOption&) {},
                      [&](const CountOption& count) {
                        const std::uint64_t number = std::get<std::uint64_t>(value);
                        if (number < count.from || number > count.to)
                          throw InputError(fmt::format("{} {}: expected a number from {} to {}",
                                                       typed, number, count.from, count.to));
                      },
                      [&](const ChoiceOption& choice) {
                        const std::string& word = std::get<std::string>(value);
                        if (std::ranges::find(choice.words, word) == choice.words.end())
                          throw InputError(
                              fmt::format("{} {}: --construction {} supports only {} {}", typed,
                                          word, called, joined(choice.words, " and "), name));
                      },
                      [&](const RefusedOption& refused) {
                        throw InputError(fmt::format("{} is not allowed with --construction {}{}",
                                                     typed, called, refused.reason));
                      }},
             own.type);
}

}  // namespace

std::vector<Option> construction_options(Problem problem, const Catalogue& constructions) {
  const Offered offered(problem, constructions);
  std::vector<Option> options;
  const auto place = [&](const std::string& name) {
    return std::ranges::find(options, name, &Option::name);
  };
  for (const Construction* one : offered.all())
    for (auto own = one->options.begin(); own != one->options.end(); ++own) {
      if (std::holds_alternative<RefusedOption>(own->type)) continue;
      if (const auto there = place(own->name); there != options.end()) {
        if (auto* const choice = std::get_if<ChoiceOption>(&there->type))
          for (const std::string& word : std::get<ChoiceOption>(own->type).words)
            Offered::add_new(choice->words, word);
        continue;
      }
      auto before = options.end();
      for (auto next = own + 1; next != one->options.end() && before == options.end(); ++next)
        before = place(next->name);
      options.insert(before, *own);
    }
  for (Option& option : options) option.help += preferred(offered, option.name);
  options.insert(options.begin(), construction_option(offered));
  return options;
}

const Construction& chosen_construction(Problem problem, const Values& values,
                                        const Catalogue& constructions) {
  const Offered offered(problem, constructions);
  const Construction& chosen = offered.named(values);
  for (const Option& option : construction_options(problem, constructions)) {
    const auto given = values.find(option.name);
    if (given == values.end() || option.name == kConstruction) continue;
    if (const auto* count = std::get_if<CountOption>(&option.type))
      require_at_most("--" + option.name, std::get<std::uint64_t>(given->second), count->most);
    if (const auto* choice = std::get_if<ChoiceOption>(&option.type))
      require_one_of("--" + option.name, std::get<std::string>(given->second), choice->words);
    if (!chosen.option(option.name))
      throw InputError(fmt::format("--{} requires --construction {}", option.name,
                                   offered.which_have(option.name)));
  }
  for (const Option& own : chosen.options) {
    const auto given = values.find(own.name);
    if (given != values.end()) check_value(own.name, own, given->second, offered.called(chosen));
    const auto* count = std::get_if<CountOption>(&own.type);
    if (count && given == values.end() && !count->needed.empty())
      throw InputError(
          fmt::format("--construction {} needs --{} {}", chosen.typed(), own.name, count->needed));
  }
  if (chosen.check) chosen.check(chosen.with_defaults(values));
  return chosen;
}

Values with_unroll(Values values, const CompileSettings& compiling) {
  if (compiling.unroll) {
    require_at_most("--unroll", *compiling.unroll, kMostCounted);
    values["unroll"] = *compiling.unroll;
  }
  return values;
}

Program requested_program(Problem problem, const Values& values) {
  return chosen_construction(problem, values).make({values});
}

}  // namespace logdepth::inline library_requests
