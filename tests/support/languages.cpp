#include "tests/support/languages.hpp"

#include <algorithm>
#include <set>

#include "constructions/KR65/regular_language_cascade.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth::support {

void for_each_word(std::size_t letters, std::size_t longest,
                   const std::function<void(const Word&)>& visit) {
  for (std::size_t length = 0; length <= longest; ++length) {
    Word word(length, 0);
    while (true) {
      visit(word);
      std::size_t i = length;
      while (i > 0 && word[i - 1] + 1 == letters) word[--i] = 0;
      if (i == 0) break;
      ++word[i - 1];
    }
  }
}

Word random_word(std::mt19937_64& random, std::size_t letters, std::size_t length) {
  Word word(length);
  for (Letter& letter : word) letter = static_cast<Letter>(random() % letters);
  return word;
}

Word repeated(const Word& word, std::size_t times) {
  Word result;
  for (std::size_t i = 0; i < times; ++i) result.insert(result.end(), word.begin(), word.end());
  return result;
}

std::vector<std::size_t> lengths_around_powers(std::size_t exponent) {
  std::set<std::size_t> lengths = {0, 1};
  for (std::size_t k = 0; k <= exponent; ++k) {
    const std::size_t power = std::size_t{1} << k;
    lengths.insert({power - 1, power, power + 1});
  }
  return {lengths.begin(), lengths.end()};
}

std::vector<std::string> letter_names(const Alphabet& alphabet, const Word& word) {
  std::vector<std::string> names;
  names.reserve(word.size());
  for (const Letter letter : word) names.push_back(alphabet.name(letter));
  return names;
}

namespace {

Alphabet characters(const std::string& letters) {
  std::vector<std::string> names;
  for (const char letter : letters) names.emplace_back(1, letter);
  return Alphabet(names);
}

Language automaton_language(std::string name, const Dfa& dfa,
                            std::function<bool(const Word&)> member) {
  return {std::move(name), to_action(dfa), std::move(member)};
}

std::size_t count(const Word& word, Letter letter) {
  return static_cast<std::size_t>(std::count(word.begin(), word.end(), letter));
}

/// The maximal runs of equal letters.
std::vector<std::pair<Letter, std::size_t>> runs(const Word& word) {
  std::vector<std::pair<Letter, std::size_t>> found;
  for (const Letter letter : word) {
    if (found.empty() || found.back().first != letter) found.emplace_back(letter, 0);
    ++found.back().second;
  }
  return found;
}

bool tomita_member(int number, const Word& word) {
  const auto blocks = runs(word);
  switch (number) {
    case 1:
      return count(word, 0) == 0;
    case 2:  // (10)*
      for (std::size_t i = 0; i < word.size(); ++i)
        if (word[i] != (i % 2 == 0 ? 1u : 0u)) return false;
      return word.size() % 2 == 0;
    case 3:  // no odd run of 0 right after an odd run of 1
      for (std::size_t i = 1; i < blocks.size(); ++i)
        if (blocks[i].first == 0 && blocks[i].second % 2 == 1 && blocks[i - 1].second % 2 == 1)
          return false;
      return true;
    case 4:  // no 000
      return std::none_of(blocks.begin(), blocks.end(),
                          [](const auto& run) { return run.first == 0 && run.second >= 3; });
    case 5:
      return count(word, 0) % 2 == 0 && count(word, 1) % 2 == 0;
    case 6:
      return (count(word, 0) + 2 * count(word, 1)) % 3 == 0;
    default: {  // 0*1*0*1*
      const std::size_t most = blocks.empty() || blocks.front().first == 0 ? 4 : 3;
      return blocks.size() <= most;
    }
  }
}

/// How many heads all executed layers have together.
std::size_t heads_run(const Model& model, std::size_t letters) {
  std::size_t heads = 0;
  for (const Layer& layer : model.layers)
    heads += layer.attention.heads.size() *
             (layer.block == Block::repeated ? loops_at(model.unroll, letters) : 1);
  return heads;
}

/// Observes which layers ran.
class LayerCount : public ForwardObserver<ValueId> {
 public:
  void after(const Location& location, const Stream<ValueId>&) override {
    layers_ = std::max(layers_, location.step);
  }
  std::size_t layers() const { return layers_; }

 private:
  std::size_t layers_ = 0;
};

}  // namespace

Language regex_language(const std::string& expression, const std::string& letters) {
  const ParsedRegex regex = parse_regex(expression, characters(letters));
  const std::shared_ptr<const LanguageOracle> oracle = make_regex_oracle(regex);
  return automaton_language("regex " + expression, minimise(determinise(to_nfa(regex))),
                            [oracle](const Word& word) { return oracle->accepts(word); });
}

Language tomita(int number) {
  static const char* const expressions[] = {
      "1*", "(10)*",   "0*((11)+0+|1(11)*(00)+)*1*", "!(.*000.*)", "((1*01*0)*1*)&((0*10*1)*0*)",
      "",   "0*1*0*1*"};
  Dfa dfa;
  if (number == 6) {
    dfa = {characters("01"), 0, {true, false, false}, {1, 2, 2, 0, 0, 1}};
  } else {
    dfa = minimise(determinise(to_nfa(parse_regex(expressions[number - 1], characters("01")))));
  }
  return automaton_language(std::string("Tomita ") + std::to_string(number), dfa,
                            [number](const Word& word) { return tomita_member(number, word); });
}

Language bounded_dyck(std::size_t depth) {
  Dfa dfa;  // states 0..depth are levels, depth + 1 is lost
  dfa.alphabet = characters("ab");
  dfa.accepting.assign(depth + 2, false);
  dfa.accepting[0] = true;
  const auto lost = static_cast<State>(depth + 1);
  for (State level = 0; level <= depth; ++level) {
    dfa.next.push_back(level == depth ? lost : level + 1);
    dfa.next.push_back(level == 0 ? lost : level - 1);
  }
  dfa.next.insert(dfa.next.end(), {lost, lost});
  return automaton_language(std::string("brackets of depth ") + std::to_string(depth), dfa,
                            [depth](const Word& word) {
                              std::size_t open = 0;
                              for (const Letter letter : word) {
                                if (letter == 0 ? open == depth : open == 0) return false;
                                open = letter == 0 ? open + 1 : open - 1;
                              }
                              return open == 0;
                            });
}

Language word_problem(const std::string& name, bool all_letters) {
  Action action = named_monoid(name, all_letters ? NamedLetters::all : NamedLetters::generators);
  return {"word problem of " + name, action, [action](const Word& word) {
            if (word.empty()) return true;
            const Transformation last = products(action, word).back();
            for (State q = 0; q < action.points; ++q)
              if (last[q] != q) return false;
            return true;
          }};
}

Language length_divisible_by(std::size_t order) {
  const std::string name = std::string("Z") + std::to_string(order);
  return {name, named_monoid(name), [order](const Word& word) { return word.size() % order == 0; }};
}

Language random_automaton(std::mt19937_64& random, std::size_t states, std::size_t letters) {
  Dfa dfa;
  dfa.alphabet = characters(std::string("abcdefgh").substr(0, letters));
  dfa.initial = static_cast<State>(random() % states);
  for (std::size_t q = 0; q < states; ++q) dfa.accepting.push_back(random() % 2 == 0);
  std::string table;
  for (std::size_t i = 0; i < states * letters; ++i) {
    dfa.next.push_back(static_cast<State>(random() % states));
    table += std::string(" ") + std::to_string(dfa.next.back());
  }
  return automaton_language(
      std::string("automaton from ") + std::to_string(dfa.initial) + ":" + table, dfa,
      [dfa](const Word& word) {
        State state = dfa.initial;
        for (const Letter letter : word) state = dfa.step(state, letter);
        return dfa.accepting[state];
      });
}

std::vector<Language> small_languages() {
  std::vector<Language> all;
  all.push_back(regex_language("(a|b)*abb", "ab"));
  all.push_back(regex_language("b*(ab*ab*)*", "ab"));  // parity of a
  all.push_back(regex_language("a(a|b)*", "ab"));
  all.push_back(regex_language("(aa)*", "a"));
  all.push_back(regex_language("a|aaaa?", "a"));
  all.push_back(regex_language("!(.*)", "ab"));  // nothing
  all.push_back(regex_language("(a|b)*", "ab"));
  all.push_back(regex_language("()", "ab"));  // only the empty word
  all.push_back(regex_language("!()", "ab"));
  all.push_back(bounded_dyck(2));
  for (int number = 1; number <= 7; ++number) all.push_back(tomita(number));
  return all;
}

std::vector<Transformation> products(const Action& action, const Word& word) {
  std::vector<Transformation> all;
  Transformation current(action.points);
  for (State q = 0; q < action.points; ++q) current[q] = q;
  for (const Letter letter : word) {
    for (State& image : current) image = action.generators[letter][image];
    all.push_back(current);
  }
  return all;
}

Recogniser::Recogniser(Model model)
    : model_(std::make_unique<const Model>(std::move(model))),
      runner_(*model_),
      contracts_(*model_, runner_.arithmetic()),
      alphabet_(model_->alphabet) {}

Answer Recogniser::ask(const Word& word) {
  Answer answer;
  LayerCount layers;
  const std::size_t before = contracts_.total_evaluated();
  contracts_.clear_broken();
  const auto stream = runner_.run_word(letter_names(alphabet_, word), {&contracts_, &layers});
  answer.layers = layers.layers();
  answer.promises = contracts_.total_evaluated() - before;
  answer.broken = contracts_.broken();
  if (!stream.has_value()) {
    answer.refusal = describe(stream.refusal());
    return answer;
  }
  const auto verdict = runner_.accepts(stream.value(), stream.value().tokens - 1);
  if (verdict.has_value()) {
    answer.accepts = verdict.value();
  } else {
    answer.refusal = describe(verdict.refusal());
  }
  const bool states = reads_states(model());
  for (std::size_t i = 0; reads_prefixes(runner_.model()) && i < word.size(); ++i) {
    const auto prefix = runner_.prefix(stream.value(), first_letter(runner_.model()) + i);
    if (states) {
      answer.states.push_back(prefix.has_value() ? std::optional(std::get<State>(prefix.value()))
                                                 : std::nullopt);
    } else {
      answer.prefixes.push_back(prefix.has_value() ? std::get<Transformation>(prefix.value())
                                                   : Transformation{});
    }
  }
  return answer;
}

testing::AssertionResult agrees(Recogniser& recogniser, const Language& language,
                                const Word& word) {
  const Model& model = recogniser.model();
  const Answer answer = recogniser.ask(word);
  const auto failure = [&] {
    return testing::AssertionFailure()
           << language.name << ", word '" << language.action.alphabet.format_word(word) << "': ";
  };
  if (answer.broken) return failure() << *answer.broken;
  if (!answer.accepts) return failure() << answer.refusal;
  const bool expected = language.member(word);
  if (*answer.accepts != expected)
    return failure() << "expected " << (expected ? "accept" : "reject");
  if (reads_states(model)) {
    State state = language.action.initial.value();
    for (std::size_t i = 0; i < word.size(); ++i) {
      state = language.action.generators[word[i]][state];
      if (answer.states[i] != state)
        return failure() << "state after the first " << i + 1 << " letters is "
                         << (answer.states[i] ? std::to_string(*answer.states[i]) : "none")
                         << ", expected " << state;
    }
  }
  const auto expected_products =
      reads_states(model) ? std::vector<Transformation>{} : products(language.action, word);
  if (answer.prefixes.size() != expected_products.size())
    return failure() << answer.prefixes.size() << " prefix products";
  for (std::size_t i = 0; i < expected_products.size(); ++i)
    if (answer.prefixes[i] != expected_products[i])
      return failure() << "product of the first " << i + 1 << " letters is "
                       << format_transformation(answer.prefixes[i]) << ", expected "
                       << format_transformation(expected_products[i]);
  if (answer.layers != depth_at(model, word.size()))
    return failure() << answer.layers << " layers ran, the file says "
                     << depth_at(model, word.size());
  // Every head of every layer, asked at the beginning token and at every letter.
  if (answer.promises != heads_run(model, word.size()) * (word.size() + 1))
    return failure() << answer.promises << " promises were checked in " << answer.layers
                     << " layers";
  return testing::AssertionSuccess();
}

std::string WordForm::name() const {
  std::string text = by == By::scan ? "Scan" : by == By::tree ? "Tree" : "Radix";
  if (text == "Radix") text += std::to_string(radix);
  if (by == By::radix) text += "Length" + std::to_string(max_length);
  if (by == By::uniform_radix) text += "Block" + std::to_string(block);
  if (by == By::scan || by == By::radix) text += positions_name(positions);
  text += table == ScanTable::matrix ? "Matrix" : table == ScanTable::monoid ? "Monoid" : "Auto";
  text += norm == Norm::rms ? "Rms" : "Layernorm";
  if (strict) text += "Strict";
  return unroll ? text + "Unrolled" + std::to_string(*unroll) : text;
}

Program program_of(const Action& action, const WordForm& form, const std::string& name) {
  switch (form.by) {
    case By::scan:
      return regular_language_scan_MS25_thm4_1(action, name, {form.positions, form.table});
    case By::tree:
      return regular_language_tree_MS25_thm4_1(action, name, {form.table});
    case By::radix:
      return regular_language_radix_MS25_cor4_2(
          action, name, {form.radix, form.max_length, form.positions, form.table});
    case By::uniform_radix:
      break;
  }
  return regular_language_uniform_radix_MS25_cor4_2(action, name,
                                                    {form.radix, form.block, form.table});
}

ProductForecast forecast_of(const Action& action, const WordForm& form) {
  switch (form.by) {
    case By::scan:
      return forecast_scan(action, {form.positions, form.table});
    case By::tree:
      return forecast_tree(action, {form.table});
    case By::radix:
      return forecast_radix(action, {form.radix, form.max_length, form.positions, form.table});
    case By::uniform_radix:
      break;
  }
  return forecast_uniform_radix(action, {form.radix, form.block, form.table});
}

Compiled compiled_form(const Action& action, const WordForm& form) {
  CompileOptions options;
  options.norm = form.norm;
  options.strict = form.strict;
  options.unroll = form.unroll;
  return compile(program_of(action, form, form.name()), options);
}

Model compile_form(const Action& action, const WordForm& form) {
  return compiled_form(action, form).model;
}

std::vector<WordForm> in_all_positions(const WordForm& form) {
  if (form.by == By::tree || form.by == By::uniform_radix) return {form};
  std::vector<WordForm> forms;
  for (const auto positions : kScanPositions) {
    forms.push_back(form);
    forms.back().positions = positions;
  }
  return forms;
}

std::vector<WordForm> all_forms(const WordForm& form) {
  std::vector<WordForm> forms;
  for (WordForm one : in_all_positions(form))
    for (const auto table : {ScanTable::matrix, ScanTable::monoid})
      for (const auto norm : {Norm::rms, Norm::layernorm}) {
        one.table = table;
        one.norm = norm;
        forms.push_back(one);
      }
  return forms;
}

std::size_t levels_to_reach(std::uint64_t factor, std::uint64_t length) {
  std::size_t levels = 0;
  for (std::uint64_t reach = 1; reach < length; reach *= factor) ++levels;
  return levels;
}

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
