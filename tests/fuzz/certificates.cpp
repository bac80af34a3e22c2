#include <algorithm>
#include <random>
#include <string>

#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz { namespace {

using recheck::Automaton;
using recheck::Images;

/// The images of the points after a word of letter numbers.
Images product(const Automaton& x, const std::vector<std::size_t>& word) {
  Images images;
  for (int point = 0; point < x.points; ++point) {
    int at = point;
    for (const std::size_t letter : word)
      if (at >= 0) at = x.maps[letter][static_cast<std::size_t>(at)];
    images.push_back(at);
  }
  return images;
}

bool accepts(const Automaton& x, const Images& images) {
  return x.initial ? x.accepting.contains(images[static_cast<std::size_t>(*x.initial)])
                   : x.accepted_products.contains(images);
}

/// The run of the word gives what the theorem states of it and of its prefixes.
void hold_for_word(const recheck::Theorem& theorem, DecidedRun& run, const Model& model,
                   const std::vector<std::size_t>& word) {
  const Automaton& x = *theorem.automaton;
  std::vector<std::string> letters;
  for (const std::size_t letter : word) letters.push_back(x.letters[letter]);
  const Outcome<Tokens> tokens = tokens_of(model, letters);
  hold(tokens.has_value() && !run.run(tokens.value()), "the run of a certified file has an answer");
  const Outcome<bool> verdict = run.accepts(run.tokens() - 1);
  hold(verdict.has_value() && verdict.value() == accepts(x, product(x, word)),
       "the verdict is the certified one");
  if (theorem.prefixes.empty()) return;
  for (std::size_t length = 1; length <= word.size(); ++length) {
    const Images images =
        product(x, {word.begin(), word.begin() + static_cast<std::ptrdiff_t>(length)});
    const Outcome<PrefixAnswer> found = run.prefix(first_letter(run.runner().model()) + length - 1);
    const PrefixAnswer expected =
        theorem.prefixes == "states"
            ? PrefixAnswer(static_cast<std::uint32_t>(images[static_cast<std::size_t>(*x.initial)]))
            : PrefixAnswer(std::vector<std::uint32_t>(images.begin(), images.end()));
    hold(found.has_value() && found.value() == expected, "every prefix is the certified one");
  }
}

/// All words of a few letters, and some longer ones, by the numbers of their letters.
std::vector<std::vector<std::size_t>> some_words(const recheck::Theorem& theorem,
                                                 std::size_t letters) {
  constexpr std::size_t kWords = 64;
  const std::size_t limit =
      theorem.limit ? static_cast<std::size_t>(std::max(0L, *theorem.limit)) : SIZE_MAX;
  std::vector<std::vector<std::size_t>> words = {{}};
  for (std::size_t i = 0; i < words.size() && words.size() < kWords; ++i)
    for (std::size_t letter = 0; letter < letters && words[i].size() < limit; ++letter) {
      words.push_back(words[i]);
      words.back().push_back(letter);
    }
  std::mt19937_64 random(theorem.steps.size());
  for (const std::size_t length : {6, 7, 8, 9, 17})
    if (length <= limit && letters > 0) {
      words.emplace_back();
      while (words.back().size() < length)
        words.back().push_back(static_cast<std::size_t>(random() % letters));
    }
  return words;
}

/// They run as the theorem states.
void hold_for_words(const recheck::Theorem& theorem, const Model& model) {
  DecidedRun run(model);
  for (const auto& word : some_words(theorem, theorem.automaton->letters.size()))
    hold_for_word(theorem, run, model, word);
}

/// Every head selects what its contract states, as far as the numbers are sums of roots.
void hold_for_heads(const recheck::Theorem& theorem, const Model& model) {
  DecidedRun run(model);
  ContractCheck contracts(model, run.runner().arithmetic());
  for (const auto& word : some_words(theorem, model.alphabet.size())) {
    std::vector<std::string> letters;
    for (const std::size_t letter : word) letters.push_back(model.alphabet[letter]);
    const Outcome<Tokens> tokens = tokens_of(model, letters);
    if (tokens.has_value()) (void)run.run(tokens.value(), {&contracts});
    hold(!contracts.broken(), "every head selects what its contract states");
  }
}

/// Without what the checker does not read, and with the hash of what is left in both texts.
void seal(recheck::Json& document, recheck::Json& certificate) {
  recheck::Json hashed = document;
  std::erase_if(hashed.members, [](const recheck::Member& member) {
    return member.key == "cells" || member.key == "derived" || member.key == "sha256";
  });
  const std::string hash = recheck::sha256_of(recheck::canonical_text(hashed));
  std::erase_if(document.members, [](const recheck::Member& member) {
    return member.key == "cells" || member.key == "derived";
  });
  for (recheck::Json* json : {&document, &certificate})
    for (auto& [key, value] : json->members)
      if (key == "sha256") value.text = hash;
}

/// A weights file, a line with a tilde, a certificate. What the checker reads, the runtime's reader does not refuse; exact
/// runs of the runtime, which shares no code with the checker, agree with each theorem about an automaton or the heads of a
/// program.
const Registered kCertificate("certificate", [](const std::string& bytes) {
  const std::string line = "\n~\n";
  const std::size_t split = bytes.find(line);
  if (split == std::string::npos) return;
  try {
    recheck::Json document = recheck::parse_json(bytes.substr(0, split));
    recheck::Json certificate = recheck::parse_json(bytes.substr(split + line.size()));
    seal(document, certificate);
    const recheck::Weights weights = recheck::read_weights(document);
    Model model;
    hold(accepted([&] { model = parse_weights(recheck::canonical_text(document), "read"); }),
         "a file that the checker reads is a weights file");
    const recheck::Theorem theorem = recheck::prove(weights, recheck::canonical_text(certificate));
    hold(!statement(theorem, "file").empty(), "a proof has a statement");
    if (theorem.name == "selections")
      hold_for_heads(theorem, model);
    else if (theorem.automaton && theorem.program.empty())
      hold_for_words(theorem, model);
  } catch (const recheck::Refused&) {
  } catch (const recheck::Malformed&) {
  }
});

}}  // namespace logdepth::fuzz
