// logdepth-recheck FILE CERTIFICATE [--against DFA.json] [--steps]: certifies what the certificate names of a weights file, or
// says which step fails. Exit status: 0 certified (and the same language), 1 not certified (or another language), 2 wrong input.

#include <iostream>
#include <optional>

#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"

namespace {

constexpr const char* kUsage =
    "Usage: logdepth-recheck FILE CERTIFICATE [--against DFA.json] [--steps]\n"
    "Certify a weights file correct for every word of every length, by a certificate of `logdepth "
    "certify`.\n"
    "  FILE, CERTIFICATE  JSON, not packed\n"
    "  --against DFA.json compare the automaton read off the file with this one (automata-lib's "
    "JSON)\n"
    "  --steps            print the steps of the proof\n"
    "Exit status: 0 certified, 1 not (or another language than DFA.json), 2 wrong input.\n";

/// Of a file: what `read` makes of its name, or its name and what is wrong.
template <typename Read>
auto of_file(const std::string& path, Read read) {
  try {
    return read(path);
  } catch (const recheck::Malformed& error) {
    throw recheck::Malformed(path + ": " + error.what());
  }
}

int check(const std::string& file, const std::string& certificate,
          const std::optional<std::string>& against, bool steps) {
  const recheck::Weights weights = of_file(
      file, [](const auto& name) { return recheck::read_weights(recheck::read_json(name)); });
  const std::string claim = of_file(certificate, recheck::read_text);
  const recheck::Json other = against ? of_file(*against, recheck::read_json) : recheck::Json();
  recheck::Theorem theorem;
  try {
    theorem = recheck::prove(weights, claim);
  } catch (const recheck::Refused& error) {
    std::cerr << file << ": not certified: " << error.what() << '\n';
    return 1;
  } catch (const recheck::Malformed& error) {
    throw recheck::Malformed(file + " with " + certificate + ": " + error.what());
  }
  if (steps) std::cout << theorem.steps;
  std::cout << statement(theorem, file);
  if (!against) return 0;
  if (!theorem.automaton) throw recheck::Malformed("--against requires a file with an automaton");
  const auto word =
      of_file(*against, [&](const auto&) { return difference(*theorem.automaton, other); });
  if (!word) {
    std::cout << "same language as " << *against << '\n';
    return 0;
  }
  std::cout << "another language than " << *against << ": they differ on the word \"" << *word
            << "\"\n";
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> files;
  std::optional<std::string> against;
  bool steps = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--help" || argument == "-h") return std::cout << kUsage, 0;
    if (argument == "--steps") {
      steps = true;
    } else if (argument == "--against" && i + 1 < count) {
      against = arguments[++i];
    } else if (argument.starts_with("-")) {
      return std::cerr << "logdepth-recheck: unknown option " << argument << '\n', 2;
    } else {
      files.push_back(argument);
    }
  }
  if (files.size() != 2) return std::cerr << kUsage, 2;
  try {
    return check(files[0], files[1], against, steps);
  } catch (const recheck::Refused& error) {
    std::cerr << "logdepth-recheck: " << error.what() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "logdepth-recheck: " << error.what() << '\n';
    return 2;
  }
}
