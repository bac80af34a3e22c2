#include "learned/word_problems/own_crasp.hpp"

#include <span>
#include <vector>

#include "base/quoted_text.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "logdepth/errors.hpp"
#include "oracle/crasp_oracle.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline learned_word_problems {

OwnCrasp own_crasp(const std::string& file, const std::string& prefix) {
  try {
    OwnCrasp own{"", read_text_file(file), {}};
    own.program = parse_crasp(own.text, file);
    own.name = name_with_digits(file, own.text);
    if (own.program.alphabet.size() < 2)
      throw InputError(file + ": expected an alphabet of at least 2 letters, found " +
                       in_quotes(own.program.alphabet.name(0)) + " alone");
    return own;
  } catch (const InputError& error) {
    throw InputError(prefix + "crasp: " + error.what());
  }
}

Labelling labelling_of(const OwnCrasp& own) {
  Labelling verdicts{own.name, static_cast<std::uint32_t>(own.program.alphabet.size()), 0, 2};
  verdicts.of_word = [&program = own.program](std::span<const std::uint32_t> word) {
    CraspRun run(program);
    std::vector<std::uint32_t> labels;
    for (const std::uint32_t letter : word) {
      run.read(letter);
      labels.push_back(run.accepts());
    }
    return labels;
  };
  return verdicts;
}

nlohmann::ordered_json crasp_to_json(const OwnCrasp& own) {
  return {{"letters", own.program.alphabet.names()}, {"program", own.text}};
}

std::optional<CraspProgram> crasp_from_json(const nlohmann::ordered_json& json) {
  try {
    return parse_crasp(json.at("program").get<std::string>(), "program");
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace logdepth::inline learned_word_problems
