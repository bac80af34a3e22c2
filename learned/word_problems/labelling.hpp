#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "objects/automaton.hpp"
#include "objects/crasp.hpp"
#include "objects/named_monoids.hpp"

namespace logdepth { inline namespace learned_word_problems {

/// A finite monoid by its multiplication table, the source of the labels of word problems.
/// Elements are numbers 0 ... size-1.
struct MonoidTable {
  std::string name;
  std::size_t size = 0;
  std::vector<std::uint32_t> product;  ///< [size, size]: entry a*size+b is "a, then b"
  std::vector<std::uint32_t> letters;  ///< the element of each letter
  std::uint32_t identity = 0;
  std::vector<std::string> element_names;  ///< lists of images where it acts on points
  /// The number that published word problems give to each element (labelling.cpp); empty
  /// where they have no such monoid.
  std::vector<std::uint32_t> published;

  std::uint32_t times(std::uint32_t first, std::uint32_t second) const {
    return product[first * size + second];
  }
};

/// Tables are quadratic in this.
inline constexpr std::size_t kMostElements = 4096;

/// The monoid of that name (named_monoids.hpp), its elements in breadth-first order whatever the
/// letters are, so that element 0 is the identity.
/// Errors: InputError naming the unknown name; SizeLimit beyond kMostElements.
MonoidTable make_monoid_table(const std::string& name, NamedLetters letters = NamedLetters::all);

/// How the running products of a word w_1 w_2 ... are multiplied.
enum class ProductOrder {
  first_letter_first,  ///< p_i = p_(i-1), then w_i, as everywhere in this project
  published            ///< p_i = p_(i-1) w_i with (a b)(x) = a(b(x)): w_i acts first
};

/// What a network answers with after every letter: of a monoid the elements, which letters change by products
/// from the right, of an automaton its states.
struct Labelling {
  std::string name;
  std::uint32_t letters = 0, start = 0, labels = 0;
  std::vector<std::uint32_t> next = {};   ///< [states, letters]
  std::vector<std::uint32_t> label = {};  ///< of every state
  /// In place of `next` and `label`: labels after every letter, of a language without states.
  std::function<std::vector<std::uint32_t>(std::span<const std::uint32_t>)> of_word = {};

  std::uint32_t step(std::uint32_t state, std::uint32_t letter) const {
    return next[std::size_t{state} * letters + letter];
  }
  /// The labels after every letter of a word.
  std::vector<std::uint32_t> after(std::span<const std::uint32_t> word) const {
    if (of_word) return of_word(word);
    std::vector<std::uint32_t> found;
    std::uint32_t state = start;
    for (const std::uint32_t one : word) {
      state = step(state, one);
      found.push_back(label[state]);
    }
    return found;
  }
};

inline Labelling labelling_of(const MonoidTable& table) {
  Labelling moves{table.name, static_cast<std::uint32_t>(table.letters.size()), table.identity,
                  static_cast<std::uint32_t>(table.size)};
  for (std::uint32_t state = 0; state < table.size; ++state) {
    for (const std::uint32_t letter : table.letters)
      moves.next.push_back(table.times(state, letter));
    moves.label.push_back(state);
  }
  return moves;
}

/// `verdicts`: labelled by acceptance, in place of states.
inline Labelling labelling_of(const Dfa& automaton, const std::string& name, bool verdicts) {
  Labelling moves{name, static_cast<std::uint32_t>(automaton.alphabet.size()), automaton.initial,
                  verdicts ? 2 : static_cast<std::uint32_t>(automaton.states())};
  moves.next = automaton.next;
  for (std::uint32_t state = 0; state < automaton.states(); ++state)
    moves.label.push_back(verdicts ? automaton.accepting[state] : state);
  return moves;
}

/// States of a minimal automaton that words are labelled by.
inline constexpr std::size_t kMostStates = 1024;

/// The minimal complete automaton of a regular expression, or of a file in a format that its content says;
/// one of both is empty. Errors: InputError naming the setting, or with another prefix the option, also for
/// an automaton without letters, with one state, or with more than kMostStates.
Dfa own_automaton(const std::string& regex, const std::string& file,
                  const std::string& prefix = "task.");

/// "regex-1a2b3c4d", "stem-1a2b3c4d": what tables, figures and folders call the task. The digits are
/// those of the automaton itself, so that runs of different ones never stand in one row. `verdicts`: of
/// words labelled by acceptance.
std::string name_of_automaton(const Dfa& automaton, const std::string& file, bool verdicts = false);

/// "stem-1a2b3c4d": the file's name, fit for folders, and digits of the content's hash. Without a file "regex".
std::string name_with_digits(const std::string& file, const std::string& content);

/// As a result holds it, so that tables need no file again.
nlohmann::ordered_json automaton_to_json(const Dfa& automaton);
/// Absent where `json` is not what automaton_to_json writes.
std::optional<Dfa> automaton_from_json(const nlohmann::ordered_json& json);

/// A C-RASP program that words are labelled by: its verdict on every beginning of a word.
struct OwnCrasp {
  std::string name;  ///< of the task: the file's, and digits of the text's hash
  std::string text;
  CraspProgram program;
};

/// Reads the program. Errors: InputError naming the setting, or with another prefix the option, also for an
/// alphabet of one letter.
OwnCrasp own_crasp(const std::string& file, const std::string& prefix = "task.");

/// Keeps a pointer to `own`.
Labelling labelling_of(const OwnCrasp& own);

/// As a result holds it, so that tables need no file again.
nlohmann::ordered_json crasp_to_json(const OwnCrasp& own);
/// Absent where `json` is not what crasp_to_json writes.
std::optional<CraspProgram> crasp_from_json(const nlohmann::ordered_json& json);

}}  // namespace logdepth::learned_word_problems
