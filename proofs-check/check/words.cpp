#include "proofs-check/check/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { inline namespace proofs_check_check {

RightPrefixes::RightPrefixes(const Model& model, const LanguageOracle& oracle)
    : model_(model), oracle_(oracle) {
  if (!reads_prefixes(model)) return;
  automaton_ = oracle.minimal_automaton();
  if (automaton_) number_states();
  std::visit(Overload{[](std::monostate) {},
                      [&](const TransformationReadout& readout) { find_products(readout.points); },
                      [&](const ElementReadout& readout) {
                        find_products(readout.elements.front().size());
                      },
                      [&](const StateReadout& readout) {
                        states_ = true;
                        known_ = automaton_ && automaton_->states() == readout.states;
                        if (!automaton_) {
                          note_ = "the oracle has no states";
                        } else if (!known_) {  // of another automaton of the same language
                          note_ = fmt::format(
                              "the file reads one of {} states and the minimal automaton has {}",
                              readout.states, automaton_->states());
                        }
                      }},
             std::get<AcceptOutput>(model.output).prefix);
}

/// Breadth first from the initial state.
void RightPrefixes::number_states() {
  const std::size_t states = automaton_->states();
  std::vector<State> reached = {automaton_->initial};
  std::vector<bool> seen(states);
  seen[automaton_->initial] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::string& letter : model_.alphabet) {
      const State next = automaton_->step(reached[i], *oracle_.alphabet().find(letter));
      if (!seen[next]) reached.push_back(next);
      seen[next] = true;
    }
  numbers_.resize(states);
  for (State i = 0; i < reached.size(); ++i) numbers_[reached[i]] = i;
}

void RightPrefixes::find_products(std::size_t points) {
  for (Letter letter = 0; letter < oracle_.alphabet().size() && !own_products_; ++letter)
    if (const auto products = oracle_.prefix_products({letter}))
      own_products_ = products->front().size() == points;
  known_ = own_products_;
  if (own_products_) return;
  auto products = products_of_letters();
  if (!products) {
    note_ = "the file has no product of a single letter";
    return;
  }
  of_letters_ = std::move(*products);
  known_ = true;
  if (!acts_as_automaton())
    note_ =
        "the file's points are not the oracle's; products are compared with those of their letters";
}

/// The file's answers to words of one letter.
std::optional<std::vector<Transformation>> RightPrefixes::products_of_letters() const {
  Runner runner(model_);
  std::vector<Transformation> products;
  for (const std::string& letter : oracle_.alphabet().names()) {
    const auto stream = runner.run_word({letter});
    if (!stream.has_value()) return std::nullopt;
    const auto product = runner.prefix(stream.value(), first_letter(runner.model()));
    if (!product.has_value()) return std::nullopt;
    products.push_back(std::get<std::vector<std::uint32_t>>(product.value()));
  }
  return products;
}

/// The letters send the points as they send the states of the minimal automaton.
bool RightPrefixes::acts_as_automaton() const {
  if (!automaton_) return false;
  for (Letter letter = 0; letter < of_letters_.size(); ++letter) {
    if (of_letters_[letter].size() != automaton_->states()) return false;
    for (State q = 0; q < automaton_->states(); ++q)
      if (of_letters_[letter][numbers_[q]] != numbers_[automaton_->step(q, letter)]) return false;
  }
  return true;
}

std::optional<std::vector<State>> RightPrefixes::states_of(const Word& word) const {
  if (!automaton_) return std::nullopt;
  std::vector<State> states;
  State state = automaton_->initial;
  for (const Letter letter : word) states.push_back(state = automaton_->step(state, letter));
  return states;
}

std::optional<std::vector<PrefixAnswer>> RightPrefixes::of(const Word& word) const {
  if (!known_) return std::nullopt;
  std::vector<PrefixAnswer> answers;
  if (states_) {
    const auto reached = states_of(word);
    for (const State state : *reached) answers.emplace_back(numbers_[state]);
  } else if (own_products_) {
    const auto products = oracle_.prefix_products(word);
    answers.assign(products->begin(), products->end());
  } else if (!word.empty()) {
    Transformation product = identity_transformation(of_letters_.front().size());
    for (const Letter letter : word)
      answers.emplace_back(product = compose(product, of_letters_[letter]));
  }
  return answers;
}

namespace {

constexpr std::size_t kMaxWords = std::size_t{1} << 24;

/// Lengths that expose off-by-one loops: around powers of two half of the time.
std::size_t random_length(std::mt19937_64& random, std::size_t max_length) {
  if (random() % 2 == 0) {
    const std::size_t near = (std::size_t{1} << (random() % 20)) + random() % 3 - 1;
    if (near <= max_length) return near;
  }
  return random() % (max_length + 1);
}

/// What counts or remembers goes wrong on words of little variety: runs, and one letter almost
/// everywhere.
Word random_word(std::mt19937_64& random, std::size_t length, std::size_t letters) {
  Word word;
  const auto any = [&] { return static_cast<Letter>(random() % letters); };
  switch (random() % 4) {
    case 0: {  // runs of few letters
      const std::size_t few = 1 + random() % letters, first = any();
      while (word.size() < length) {
        const auto letter = static_cast<Letter>((first + random() % few) % letters);
        const std::size_t longest = std::size_t{1} << (random() % 7);
        const std::size_t run =
            std::min(1 + static_cast<std::size_t>(random() % longest), length - word.size());
        word.insert(word.end(), run, letter);
      }
      break;
    }
    case 1: {  // one letter, but for at most three places
      word.assign(length, any());
      for (std::size_t others = random() % 4; others > 0 && length > 0; --others)
        word[random() % length] = any();
      break;
    }
    default:
      while (word.size() < length) word.push_back(any());
  }
  return word;
}

/// The letters of the model as the oracle has them. Errors: InputError where the alphabets do not fit.
std::vector<Letter> common_letters(const Model& model, const LanguageOracle& oracle) {
  std::vector<Letter> letters;
  for (const std::string& name : model.alphabet) {
    const auto letter = oracle.alphabet().find(name);
    if (!letter)
      throw InputError("letter " + in_quotes(name) + " of the model is not in the alphabet of " +
                       oracle.name());
    letters.push_back(*letter);
  }
  for (const std::string& name : oracle.alphabet().names())
    if (std::find(model.alphabet.begin(), model.alphabet.end(), name) == model.alphabet.end())
      throw InputError("letter " + in_quotes(name) + " of " + oracle.name() +
                       " is not in the alphabet of the model");
  return letters;
}

}  // namespace

WordDomain::WordDomain(const Model& model, const LanguageOracle& oracle)
    : TestDomain(model),
      oracle_(oracle),
      letters_(common_letters(model, oracle)),
      right_(model, oracle) {
  if (!std::holds_alternative<WordInput>(model.input))
    throw InputError("the weights file " + in_quotes(model.name) + " does not take words");
}

std::vector<std::string> WordDomain::names(const Word& word) const {
  std::vector<std::string> result;
  for (const Letter letter : word) result.push_back(model_.alphabet[letter]);
  return result;
}

Word WordDomain::word_of(const std::vector<std::string>& names) const {
  Word word;
  for (const std::string& name : names)
    word.push_back(static_cast<Letter>(
        std::find(model_.alphabet.begin(), model_.alphabet.end(), name) - model_.alphabet.begin()));
  return word;
}

std::string WordDomain::text(const Word& word) const {
  if (word.empty()) return "the empty word";
  return in_quotes(Alphabet(model_.alphabet).format_word(word));
}

Word WordDomain::asked(const Word& word) const {
  Word letters;
  for (const Letter letter : word) letters.push_back(letters_[letter]);
  return letters;
}

Outcome<Tokens> WordDomain::tokens(const Word& word) const {
  return tokens_of(model_, names(word));
}

bool WordDomain::outside(const Word& word) const {
  // Without a token that begins or ends the word the empty one has none that could answer.
  const auto& input = std::get<WordInput>(model_.input);
  if (word.empty() && !input.begin && !input.end) return true;
  return model_.unroll.max_length && word.size() > *model_.unroll.max_length;
}

std::optional<std::pair<ProductOfTwoStates, Word>> WordDomain::two_states() const {
  if (!two_states_) return std::nullopt;
  Word word;
  for (const Letter letter : two_states_->second)
    word.push_back(static_cast<Letter>(std::ranges::find(letters_, letter) - letters_.begin()));
  return std::pair(two_states_->first, std::move(word));
}

FileAnswer WordDomain::expected(const Word& word) const {
  const auto* output = std::get_if<CellsOutput>(&model_.output);
  if (!output) return Acceptance{oracle_.accepts(asked(word))};
  NamedNumbers numbers{{}, output->names, {}};
  for (const Real& value : named_values(asked(word))) numbers.values.push_back(value.text());
  return numbers;
}

/// In the order of the file's names.
std::vector<Real> WordDomain::named_values(const Word& asked) const {
  const auto& names = std::get<CellsOutput>(model_.output).names;
  const auto text = oracle_.named_values(asked);
  if (!text)
    throw InputError("the weights file " + in_quotes(model_.name) +
                     " has named values and no verdict; " + oracle_.name() + " has verdicts only");
  std::vector<std::optional<Real>> values(names.size());
  bool fits = true;
  for (const std::string_view field : fields_of(*text)) {
    const std::size_t equals = std::min(field.find('='), field.size());
    const auto name = std::find(names.begin(), names.end(), field.substr(0, equals));
    fits = fits && equals < field.size() && name != names.end();
    if (!fits) break;
    auto& value = values[static_cast<std::size_t>(name - names.begin())];
    fits = !value;
    value = parse_real(field.substr(equals + 1));
    fits = fits && value;
  }
  std::vector<Real> result;
  for (auto& value : values)
    if (value) result.push_back(std::move(*value));
  if (!fits || result.size() < names.size())
    throw InputError(
        fmt::format("{}, input {}: expected one exact value for each of the names {}, as "
                    "{}=1/2, found {}",
                    oracle_.name(), in_quotes(oracle_.alphabet().format_word(asked)), joined(names),
                    names.front(), in_quotes(*text)));
  return result;
}

std::optional<Failure> WordDomain::judge(const Word& word, DecidedRun& run,
                                         ComparedCounts& counts) {
  const std::size_t last = run.tokens() - 1;
  if (const auto* output = std::get_if<CellsOutput>(&model_.output)) {
    const std::vector<Real> right = named_values(asked(word));
    const auto same = run.has_logits(last, right);
    if (!same.has_value()) return NoAnswer{expected(word), same.refusal()};
    counts.numbers += right.size();
    counts.answers += right.size();
    if (!same.value()) {
      const auto got = run.logits(last);
      if (!got.has_value()) return NoAnswer{expected(word), got.refusal()};
      return WrongAnswer{expected(word), NamedNumbers{{}, output->names, got.value()}};
    }
    return std::nullopt;
  }
  const bool right = oracle_.accepts(asked(word));
  counts.positive += right;
  const auto verdict = run.accepts(last);
  if (!verdict.has_value()) return NoAnswer{Acceptance{right}, verdict.refusal()};
  ++counts.answers;
  if (verdict.value() != right) return WrongAnswer{Acceptance{right}, Acceptance{verdict.value()}};
  if (!reads_prefixes(model_)) return std::nullopt;
  return judge_prefixes(asked(word), run, counts);
}

std::optional<Failure> WordDomain::judge_prefixes(const Word& asked, DecidedRun& run,
                                                  ComparedCounts& counts) {
  const auto right = right_.of(asked);
  const auto states = right_.states_of(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto got = run.prefix(first_letter(model_) + i);
    const auto value = [&](const PrefixAnswer& answer) {
      return PrefixValue{i + 1, right_.states(), answer};
    };
    if (!got.has_value())
      return NoAnswer{value(right ? (*right)[i] : PrefixAnswer()), got.refusal()};
    if (!right) continue;
    ++counts.prefixes;
    ++counts.answers;
    if (got.value() != (*right)[i]) return WrongAnswer{value((*right)[i]), value(got.value())};
    if (!states) continue;
    const auto [known, added] = state_of_product_.try_emplace(got.value(), (*states)[i]);
    if (known->second != (*states)[i] && !two_states_)
      two_states_.emplace(ProductOfTwoStates{i + 1, got.value()}, asked);
  }
  return std::nullopt;
}

Answered WordDomain::judge(const Word& word, const FloatRunner& runner,
                           const FloatStream& stream) const {
  const Word letters = asked(word);
  Answered worst = judged(runner.accepts(stream, stream.tokens - 1), oracle_.accepts(letters));
  const auto right = right_.of(letters);
  for (std::size_t i = 0; right && i < right->size() && worst > Answered::wrong; ++i)
    worst = std::min(worst, judged(runner.prefix(stream, first_letter(model_) + i), (*right)[i]));
  return worst;
}

/// Leaves out chunks of letters, halves first and single letters last, then turns letters into the
/// first letter, as long as the word keeps failing.
Word WordDomain::shrunk(Word word, const std::function<bool(const Word&)>& fails) const {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(word.size() / 2, 1); chunk >= 1; chunk /= 2) {
      for (std::size_t at = 0; at + chunk <= word.size();) {
        Word candidate = word;
        candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(at),
                        candidate.begin() + static_cast<std::ptrdiff_t>(at + chunk));
        if (fails(candidate)) {
          word = std::move(candidate);
          smaller = true;
        } else {
          at += chunk;
        }
      }
    }
    for (Letter& letter : word) {
      if (letter == 0) continue;
      const Letter old = std::exchange(letter, 0);
      if (fails(word)) {
        smaller = true;
      } else {
        letter = old;
      }
    }
  }
  return word;
}

namespace {

/// Words of the largest length that the file is made for, where that is not long, and one that is
/// longer.
CaseGenerator<Word> words_at_the_limit(const Model& model, std::uint64_t seed) {
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 20, kLongestRun = 4096;
  constexpr std::size_t kFull = 3;
  const auto limit = model.unroll.max_length;
  const std::size_t letters = model.alphabet.size();
  std::vector<AskedCase<Word>> cases;
  if (limit && *limit < kLongest && letters > 0) {
    std::mt19937_64 random(seed);
    const auto longest = static_cast<std::size_t>(*limit);
    for (std::size_t i = 0; i < kFull && longest <= kLongestRun; ++i)
      cases.push_back({CaseStage::limit, {random_word(random, longest, letters)}});
    cases.push_back({CaseStage::limit, {Word(longest + 1, 0)}});
  }
  return listed_cases(std::move(cases));
}

}  // namespace

Examination<Word> examine_words(WordDomain& questions, const Bounds& bounds, const Asking& how,
                                const std::vector<Word>& given) {
  const Model& model = questions.model();
  const auto limit = model.unroll.max_length;
  const Bounds within = limit ? bounds.cut(*limit, *limit) : bounds;
  std::vector<AskedCase<Word>> first;
  for (const Word& word : given) first.push_back({CaseStage::given, {word}});
  auto result =
      examine(questions,
              listed_cases(std::move(first)) + every_word(model, within.up_to) +
                  words_but_for_one_place(model, within.random > 0 ? within.max_size : 0) +
                  random_words(model, within.random, within.max_size, within.seed) +
                  words_at_the_limit(model, within.seed),
              how);
  result.bounds = within;
  // That some word goes on wrongly; a word that does is the better example.
  if (const auto found = questions.two_states(); found && !result.counterexample)
    result.counterexample = {found->second, found->first, found->second, result.asked};
  return result;
}

CaseGenerator<Word> every_word(const Model& model, std::size_t up_to) {
  const std::size_t letters = model.alphabet.size();
  std::size_t total = 1;
  for (std::size_t length = 1, words = 1; length <= up_to && letters > 0; ++length) {
    words *= letters;
    total += words;
    if (total > kMaxWords)
      throw InputError(
          fmt::format("--up-to {} requires more than {} words over {} letters; lower it", up_to,
                      kMaxWords, letters));
  }
  // As an odometer.
  return {
      [letters, up_to, word = Word(), ended = false]() mutable -> std::optional<AskedCase<Word>> {
        if (ended) return std::nullopt;
        AskedCase<Word> found{CaseStage::exhaustive, {word}};
        std::size_t i = word.size();
        while (i > 0 && word[i - 1] + 1 == letters) word[--i] = 0;
        if (i > 0) {
          ++word[i - 1];
        } else {
          ended = letters == 0 || word.size() == up_to;
          word.assign(word.size() + 1, 0);
        }
        return found;
      },
      total};
}

CaseGenerator<Word> words_but_for_one_place(const Model& model, std::size_t up_to) {
  constexpr std::size_t kLongest = 17, kMost = 2000;
  const std::size_t letters = model.alphabet.size();
  std::vector<AskedCase<Word>> cases;
  for (std::size_t length = 2; length <= std::min(up_to, kLongest); ++length) {
    if (cases.size() + length * letters * (letters - 1) > kMost) break;
    for (std::size_t place = 0; place < length; ++place)
      for (Letter all = 0; all < letters; ++all)
        for (Letter one = 0; one < letters; ++one) {
          if (one == all) continue;
          Word word(length, all);
          word[place] = one;
          cases.push_back({CaseStage::chosen, {std::move(word)}});
        }
  }
  return listed_cases(std::move(cases));
}

CaseGenerator<Word> words_of_length(const Model& model, std::size_t length) {
  const std::size_t letters = model.alphabet.size();
  return {[letters, word = Word(length, 0),
           ended = letters == 0 && length > 0]() mutable -> std::optional<AskedCase<Word>> {
            if (ended) return std::nullopt;
            AskedCase<Word> found{CaseStage::chosen, {word}};
            std::size_t i = 0;
            while (i < word.size() && word[i] + 1 == letters) word[i++] = 0;
            ended = i == word.size();
            if (!ended) ++word[i];
            return found;
          },
          0};
}

CaseGenerator<Word> random_words(const Model& model, std::size_t count, std::size_t max_length,
                                 std::uint64_t seed) {
  const std::size_t letters = model.alphabet.size();
  if (letters == 0) count = 0;
  return {[letters, count, max_length, random = std::mt19937_64(seed),
           drawn = std::size_t{0}]() mutable -> std::optional<AskedCase<Word>> {
            if (drawn == count) return std::nullopt;
            ++drawn;
            const std::size_t length = random_length(random, max_length);
            return AskedCase<Word>{CaseStage::random, {random_word(random, length, letters)}};
          },
          count};
}

}}  // namespace logdepth::proofs_check_check
