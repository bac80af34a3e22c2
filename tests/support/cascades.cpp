#include "tests/support/cascades.hpp"

namespace logdepth::support {

std::string CascadeForm::name() const {
  std::string text = positions_name(positions);
  text += table == ScanTable::matrix ? "Matrix" : table == ScanTable::monoid ? "Monoid" : "Auto";
  return text + (norm == Norm::rms ? "Rms" : "Layernorm");
}

std::vector<CascadeForm> cascade_forms() {
  std::vector<CascadeForm> forms;
  for (const auto positions : {ScanPositions::first_flag, ScanPositions::fine})
    for (const auto norm : {Norm::rms, Norm::layernorm})
      forms.push_back({positions, norm, ScanTable::automatic});
  return forms;
}

Compiled compiled_cascade(const Action& action, const CascadeForm& form) {
  CompileOptions options;
  options.norm = form.norm;
  return compile(
      regular_language_cascade_KR65(cascade_of(action), form.name(), {form.positions, form.table}),
      options);
}

Model compile_cascade(const Action& action, const CascadeForm& form) {
  return compiled_cascade(action, form).model;
}

Dfa automaton_of(const std::vector<Transformation>& letters, State initial) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < letters.size(); ++i)
    names.emplace_back(1, static_cast<char>('a' + i));
  Dfa dfa;
  dfa.alphabet = Alphabet(names);
  dfa.initial = initial;
  dfa.accepting.assign(letters.front().size(), false);
  dfa.accepting[0] = true;
  for (State q = 0; q < dfa.states(); ++q)
    for (const Transformation& letter : letters) dfa.next.push_back(letter[q]);
  return dfa;
}

Language language_of(const Dfa& dfa) {
  const Action action = to_action(dfa);
  std::string name = "automaton from " + std::to_string(dfa.initial) + ":";
  for (const Transformation& letter : action.generators) name += format_transformation(letter);
  return {name, action, [dfa](const Word& word) {
            State state = dfa.initial;
            for (const Letter letter : word) state = dfa.step(state, letter);
            return bool{dfa.accepting[state]};
          }};
}

Dfa dependent_product(const Dfa& first, const Dfa& second,
                      const std::function<Letter(State p, Letter letter)>& below) {
  Dfa product;
  product.alphabet = first.alphabet;
  const auto number = [&](State p, State q) { return static_cast<State>(p * second.states() + q); };
  product.initial = number(first.initial, second.initial);
  for (State p = 0; p < first.states(); ++p)
    for (State q = 0; q < second.states(); ++q) {
      product.accepting.push_back(first.accepting[p] == second.accepting[q]);
      for (Letter a = 0; a < first.alphabet.size(); ++a)
        product.next.push_back(number(first.step(p, a), second.step(q, below(p, a))));
    }
  return product;
}

Dfa memory_of(std::size_t letters) {
  const State states = State{1} << letters;
  std::vector<Transformation> reads(2);
  for (State q = 0; q < states; ++q)
    for (Letter a = 0; a < 2; ++a) reads[a].push_back((2 * q + a) % states);
  return automaton_of(reads);
}

}  // namespace logdepth::support
