#include "library/requests/compile_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/YCA24/past_ltl.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "logdepth/errors.hpp"
#include "objects/crasp.hpp"
#include "objects/past_ltl.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace library_requests {
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
  if (offered.words().size() > 1) options.insert(options.begin(), construction_option(offered));
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

RequestedCrasp requested_program(const SourceFile& crasp, const Say& say) {
  const CraspProgram read = parse_crasp(content_of(crasp), crasp.name);
  RequestedCrasp requested{counting_program(read, "crasp " + base_name(crasp)), read.lines.size()};
  const auto& sizes = requested.program.parameters;
  say(fmt::format(
      "program: {}, {}, counts nested to depth {}; layers: {} for comparisons, {} for tables{}",
      requested.program.name, counted(requested.lines, "line"), sizes.at("nesting"),
      sizes.at("comparisons"), sizes.at("table_layers"),
      sizes.contains("position_layers")
          ? fmt::format(", at most {} for positions", sizes.at("position_layers"))
          : ""));
  return requested;
}

Program requested_formula(const std::string& formula,
                          const std::optional<std::vector<std::string>>& alphabet) {
  return past_ltl(parse_past_formula(formula, alphabet), formula);
}

CheckedModel requested_model(Program program, const CompileSettings& settings) {
  if (std::ranges::any_of(settings.name, [](unsigned char c) { return c < 32; }))
    throw InputError("--name: expected one line without control characters");
  if (!settings.name.empty()) program.name = settings.name;
  CompileOptions options;
  options.norm = settings.layernorm ? Norm::layernorm : Norm::rms;
  options.strict = settings.strict;
  options.unroll = settings.unroll;
  return with_derived(compile(program, options));
}

namespace {

/// The bits of "mpfr:BITS".
std::optional<std::uint64_t> mpfr_bits(const std::string& name) {
  const std::string prefix = "mpfr:";
  const auto bits =
      name.starts_with(prefix) ? whole_number(name.substr(prefix.size())) : std::nullopt;
  return bits && *bits <= UINT32_MAX ? bits : std::nullopt;
}

}  // namespace

FloatOptions requested_engine(const RoundedSettings& settings) {
  FloatOptions options;
  if (settings.engine == "float64") {
    options.engine = FloatOptions::Engine::float64;
  } else if (settings.engine == "float32") {
    options.engine = FloatOptions::Engine::float32;
  } else if (const auto bits = mpfr_bits(settings.engine)) {
    options.engine = FloatOptions::Engine::mpfr;
    options.bits = static_cast<std::uint32_t>(*bits);
    if (*bits < FloatOptions::kFewestBits || *bits > FloatOptions::kMostBits)
      throw InputError("--engine: expected mpfr:" + std::to_string(FloatOptions::kFewestBits) +
                       " to mpfr:" + std::to_string(FloatOptions::kMostBits) + ", found " +
                       settings.engine);
  } else {
    throw InputError("--engine: expected exact, float64, float32 or mpfr:BITS, found " +
                     in_quotes(settings.engine));
  }
  require_one_of("--device", settings.device, kFloatDevices);
  require_one_of("--rule", settings.rule, kFloatRules);
  if (settings.temperature && !(*settings.temperature > 0 && std::isfinite(*settings.temperature)))
    throw InputError("--temperature: expected a finite number above 0");
  if (!(settings.tolerance >= 0 && std::isfinite(settings.tolerance)))
    throw InputError("--tolerance: expected a finite number of at least 0");
  options.temperature = settings.temperature;
  options.device =
      settings.device == "cuda" ? FloatOptions::Device::cuda : FloatOptions::Device::cpu;
  options.rule = settings.rule == "plain"     ? FloatOptions::Rule::plain
                 : settings.rule == "snapped" ? FloatOptions::Rule::snapped
                                              : FloatOptions::Rule::bounded;
  options.tolerance = settings.tolerance;
  options.threads = std::max<std::size_t>(1, settings.threads);
  return options;
}

Outcome<Tokens> declared_tokens(const Model& model, std::vector<std::vector<Real>> rows) {
  Outcome<Tokens> tokens = tokens_of(model, std::move(rows));
  const CarriedProgram carried(model, Trust::plausible);
  if (carried.trust() != Trust::plausible || !tokens.has_value()) return tokens;
  try {
    start_states(*carried.program(), tokens.value());
  } catch (const InputError& error) {
    return OutsideHypotheses{error.what()};
  }
  return tokens;
}

std::vector<std::vector<Real>> dividing_rows(const Model& model, std::uint64_t dividend,
                                             std::uint64_t divisor) {
  division_file(model);
  if (divisor == 0) throw InputError("--by: expected at least 1, found 0");
  DivisionInput input{divisor, std::vector<std::uint64_t>(static_cast<std::size_t>(dividend + 1))};
  std::iota(input.dividends.begin(), input.dividends.end(), std::uint64_t{0});
  return division_rows(model, input);
}

std::optional<DividedNumbers> divided_numbers(const Model& model,
                                              const std::vector<std::string>& logits) {
  const DivisionFile file = division_file(model);
  const auto number = [&](std::size_t first) -> std::optional<Rational> {
    const auto x = parse_real(logits[file.rows[first]]);
    const auto y = parse_real(logits[file.rows[first + 1]]);
    return x && y ? phi_argument(*x, *y) : std::nullopt;
  };
  const auto quotient = number(0), remainder = number(2);
  if (!quotient || !remainder) return std::nullopt;
  return DividedNumbers{quotient->text(), remainder->text()};
}

}}  // namespace logdepth::library_requests
