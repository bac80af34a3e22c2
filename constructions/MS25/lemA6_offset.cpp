// MS25 Lemma A.6: position offsets.
//
// Statement (MS25 Lemma A.6). From 1[i = 0] and 1[i < k] in the stream, one layer adds phi(i - k) at
//   indices i >= k.
// Here. One layer, from 1[i = 0] alone, at every index; the attention of the next one takes the raw
//   averages away. `shifted_query`: none, where phi(i - k) is only asked for by a head.
//
// Why. Of the i + 1 visible tokens one is the first: the averages are 1 - (k + 1)/(i + 1) =
//   (i - k)/(i + 1) and 1/(i + 1), the second positive. Shifted query: with phi(i) = (x0, x1),
//   (x0 - k x1, x1) is a positive multiple of phi(i - k), and a linear image of the stream.
// Contract. position, position_again: all tokens up to this one; before: exactly one.
#include "constructions/MS25/building_blocks_appA.hpp"

namespace logdepth { inline namespace constructions_MS25 {

cells::Fetch blocks::offset(const std::string& name, const cells::Number& number,
                            const cells::Constant& one, const cells::Flag& first, std::uint32_t k) {
  using namespace cells;
  // The averages of 1 - (k + 1) 1[j = 0] and of 1[j = 0], which is (one + first)/2.
  const std::int64_t steps = k;
  return fetch(name)
      .causal(uniform())
      .add(number[0], ((1 - steps) * one - (1 + steps) * first) / 2)
      .add(number[1], (one + first) / 2);
}

namespace {

Program shifted_query(cells::Program p, std::uint32_t k) {
  using namespace cells;
  p.construction("shifted query");
  p.hypothesis("I = phi(i) at position i, from 0; s is a unit vector");
  // A query does without the cell: the head's query is phi(i), shifted.
  p.deviation("phi(i - k) is not stored: the query is shifted");

  const auto I = p.key("I", phi);   // phi(i)
  const auto s = p.direction("s");  // a unit vector
  const auto x = p.direction("x");  // the s of position max(i - k, 0)
  p.constant();
  p.given(I).given(s);

  p.initial(fetch("before").causal(match(I).back(k).key(I)).copy(x, s));
  p.outputs("before", x);
  return p.program();
}

}  // namespace

Program offset_MS25_lemA6(std::uint32_t k, OffsetForm form) {
  using namespace cells;
  cells::Program p("offset");
  p.source("MS25 Lemma A.6").parameter("k", std::to_string(k)).reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");
  if (form == OffsetForm::shifted_query) return shifted_query(std::move(p), k);

  p.construction(form == OffsetForm::cleared ? "cleared" : "one layer");
  p.hypothesis("the position encoding separates the first position; positions from 0");
  // Uniform heads with values 1[j = 0] and 1[j >= k] return, for positions from 0, 1/(i + 1) and
  // (i - k + 1)/(i + 1), the direction of i - k + 1.
  p.deviation("the head's value is 1 - (k+1) 1[j = 0]: 1[j >= k] gives phi(i - k + 1)");
  // And so phi(i - k) is right for i < k as well.
  p.deviation("1[i < k] is not needed");

  const auto kept = p.direction("kept");  // not read: raw streams have at least one given value
  const auto one = p.constant();
  const auto fst = p.flag("fst");   // i = 0
  const auto a = p.number("a", 2);  // (i - k, 1)/(i + 1)
  const auto x = p.direction("x");  // phi(i - k)
  p.given(kept).position(fst);

  const auto averages = blocks::offset("position", a, one, fst, k);
  p.initial(averages, normalise(x).from(a[0], a[1]));
  if (form == OffsetForm::cleared) p.initial(undone(averages));
  p.outputs("phi", x);
  return p.program();
}

}}  // namespace logdepth::constructions_MS25
