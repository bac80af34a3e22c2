#include "library/given_answers.hpp"

#include <algorithm>
#include <utility>

#include "base/overload.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth {
namespace {

static_assert(static_cast<int>(Certainty::certified) == static_cast<int>(Certificate::certified));
static_assert(static_cast<int>(Certainty::ambiguous) == static_cast<int>(Certificate::ambiguous));
static_assert(static_cast<int>(Certainty::uncertified) ==
              static_cast<int>(Certificate::uncertified));
Certainty certainty_of(Certificate certificate) {
  return static_cast<Certainty>(certificate);
}

Decision decision_of(const RunAnswer& read) {
  if (read.refusal)
    return std::visit(
        Overload{[](const Undecided&) { return Decision::undecided; },
                 [](const OutsideField&) { return Decision::outside_field; },
                 [](const OutsideHypotheses&) { return Decision::outside_hypotheses; }},
        *read.refusal);
  if (!read.verdict) return Decision::computed;
  return *read.verdict ? Decision::accepted : Decision::rejected;
}

/// Nothing where one of them has no answer.
template <class Given>
void give_prefixes(const Model& model, const RunAnswer& read, Given& answer) {
  if (!read.prefixes ||
      !std::ranges::all_of(*read.prefixes, [](const auto& prefix) { return prefix.has_value(); }))
    return;
  if (reads_states(model)) {
    answer.states.emplace();
  } else {
    answer.products.emplace();
  }
  for (const Read<PrefixAnswer>& prefix : *read.prefixes)
    std::visit(Overload{[&](std::uint32_t state) { answer.states->push_back(state); },
                        [&](const std::vector<std::uint32_t>& product) {
                          answer.products->push_back(product);
                        }},
               prefix.value().value);
}

/// What all answers have; `number` makes a number of one that was read.
template <class Given, class Number>
void give_all(const Model& model, RunAnswer& read, Given& answer, const Number& number) {
  if (read.limit) throw SizeLimit(*read.limit);
  answer.decision = decision_of(read);
  answer.reason = read.refusal ? describe(*read.refusal) : std::move(read.reason);
  answer.depth = read.depth.value_or(0);
  for (std::vector<ReadNumber>& logits : read.numbers)
    for (std::size_t i = 0; i < logits.size(); ++i)
      answer.numbers[std::get<CellsOutput>(model.output).names[i]].push_back(
          number(std::move(logits[i])));
  give_prefixes(model, read, answer);
}

}  // namespace

void give(const Model& model, RunAnswer read, Answer& answer) {
  give_all(model, read, answer, [](ReadNumber number) {
    return ExactNumber{std::move(number.exact), number.value};
  });
  answer.broken_promise = std::move(read.broken_promise);
  answer.left_field = std::move(read.left_field);
}

void give(const Model& model, RunAnswer read, RoundedAnswer& answer) {
  give_all(model, read, answer, [](const ReadNumber& number) {
    return RoundedNumber{number.value, number.error};
  });
  if (!read.refusal) answer.certainty = certainty_of(read.certificate);
  if (answer.products || answer.states)
    for (const Read<PrefixAnswer>& prefix : *read.prefixes)
      answer.prefixes.push_back(certainty_of(prefix.value().certificate));
}

std::string text(Certainty certainty) {
  return certificate_name(static_cast<Certificate>(certainty));
}

}  // namespace logdepth
