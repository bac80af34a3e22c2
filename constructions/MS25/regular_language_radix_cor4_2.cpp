// MS25 Corollary 4.2, optimised: one layer per factor k of the length.
//
// Statement (MS25 Cor 4.2). For every regular language L there is a family of causally masked
//   transformers T_n with 4 ceil(log2 n) + 5 layers such that T_n recognises, on any string w$ of
//   length n, whether w is in L.
// Here. For every radix k >= 2 and every promised length T a transformer (all layers initial,
//   nothing repeated) that decides every word of at most T letters, and yields every prefix
//   product, with ceil(log_k T) layers (rational position encodings) or ceil(log_k T) + 1 (the
//   paper's minimal assumption: the encoding separates the first position). k - 1 heads a layer.
//
// Nothing is multiplied, and no layer but the first-flag's is there, when no point can move.
//
// Invariant. After l layers, with s = k^l: the interval of token p is [max(p-s+1, 0), p], and d is
//   the product of its letters (the identity for position 0).
//   Start, s = 1: d is the token's own letter.
//   Step: head c reads token j = max(p-cs, 0), whose interval [max(j-s+1, 0), j] ends where that of
//   head c-1 begins, or both contain position 0, whose letter is the identity; there nothing is
//   left to multiply. Together they cover [max(p-ks+1, 0), p].
//   End: s >= T covers positions 1..p for every p <= T.
#include <fmt/core.h>

#include <limits>

#include "constructions/MS25/regular_language.hpp"
#include "constructions/construction.hpp"
#include "constructions/product_cells.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace constructions_MS25 {

std::vector<std::vector<std::uint32_t>> radix_shifts(const RadixOptions& options) {
  if (options.radix < 2 || options.radix > kMaxRadix)
    throw InputError(
        fmt::format("radix {}: expected a number from 2 to {}", options.radix, kMaxRadix));
  constexpr std::uint64_t limit = std::numeric_limits<std::uint32_t>::max();
  if (options.max_length > limit)
    throw SizeLimit(
        fmt::format("a length of {} letters; the limit is {}", options.max_length, limit));
  std::vector<std::vector<std::uint32_t>> layers;
  for (std::uint64_t reach = 1; reach < options.max_length; reach *= options.radix) {
    auto& shifts = layers.emplace_back();
    for (unsigned c = 1; c < options.radix && c * reach < options.max_length; ++c)
      shifts.push_back(static_cast<std::uint32_t>(c * reach));
  }
  return layers;
}

ProductForecast forecast_radix(const Action& action, const RadixOptions& options) {
  ProductDemand demand;
  demand.table = options.table;
  for (const auto& shifts : radix_shifts(options)) ++demand.layers[shifts.size() + 1];
  // The direction of the counts goes to I: two signs of each component.
  demand.other_units = options.positions == ScanPositions::first_flag ? 4 : 0;
  demand.advice = "a smaller --radix";
  return forecast_products(action, demand);
}

Program regular_language_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                           const RadixOptions& options) {
  using namespace cells;
  const ProductForecast forecast = forecast_radix(action, options);
  const auto products = make_product_cells(action, forecast);
  const bool first_flag = options.positions == ScanPositions::first_flag;
  const std::string length = std::to_string(options.max_length);
  const std::string radix = std::to_string(options.radix);

  cells::Program p(name);
  p.construction("radix").source("MS25 Cor 4.2 (optimised: one layer per factor " + radix + ")");
  p.hypothesis(causal_network());
  p.hypothesis(clause(Assumption::begin_token) + ", " +
               clause(Assumption::letters_at_most, length));
  // Levels may multiply more than two products, at the price of |M|^k or path units.
  p.deviation("intervals that grow by a factor " + radix +
              " replace the binary tree, so a level is one layer and needs no activeness");
  // Shifts that would leave the word fall on it, and every token holds its prefix product.
  p.deviation("a beginning token that acts as the identity replaces $ at the end");
  p.alphabet(action.alphabet.names()).fixed_loops(0).at_most(options.max_length);

  const OwnPosition position = declare_own_position(p, options.positions);
  const auto layers = radix_shifts(options);
  // s_{k-1}, ..., s_1, d from the left, as they are multiplied; the first layer has the most heads.
  // d is the product of the interval, s_c what the token c intervals to the left holds.
  std::vector<ProductCells::Declaration> factors;
  for (std::size_t c = layers.empty() ? 0 : layers.front().size(); c > 0; --c)
    factors.push_back({fmt::format("s{}", c), scratch});
  factors.push_back({"d", state});
  const auto copies = products->declare(p, factors);
  const auto& d = copies.back();
  products->embed(p, d);
  if (first_flag) p.initial(own_position(position));

  // Position max(i - shift, 0), read off a code of its own, or off I with a shifted query.
  const auto left = [&](std::size_t l, std::size_t c, std::uint32_t shift) {
    if (first_flag) return match(position.I).back(shift).key(position.I);
    const auto P = p.pointer(fmt::format("P.{}.{}", l, c), position.code);
    p.position(P, shift);
    return match(P).key(position.I);
  };
  for (std::size_t l = 0; l < layers.size() && !d.empty(); ++l) {
    const auto& shifts = layers[l];  // c k^l for c = 1, 2, ..., where it is less than T
    const std::vector<Product> multiplied(copies.end() - 1 - shifts.size(), copies.end());
    CellList fetched;
    for (std::size_t c = 1; c <= shifts.size(); ++c) {
      const auto& s = multiplied[shifts.size() - c];
      p.initial(
          fetch(fmt::format("left.{}.{}", l, c)).causal(left(l, c, shifts[c - 1])).copy(s, d));
      fetched += s;
    }
    p.initial(products->multiply(multiplied), erase(fetched));
  }

  products->read(p, d, position.one);
  p.parameter("radix", radix).parameter("max_length", length);
  note_product_table(p, action, forecast);
  return p.program();
}

namespace {

RadixOptions radix_options(const Values& values) {
  return {static_cast<unsigned>(number_of(values, "radix")), number_of(values, "unroll"),
          positions_of(values), table_of(values)};
}

/// Larger tables are not built for a comparison, only when they are asked for by name.
constexpr std::size_t kMostComparedUnits = 100000;

/// The radix of the fewest layers within these units, the smallest of them; 2 if none is.
std::optional<Values> best_radix(const Action& action, Values asked, std::uint64_t length,
                                 bool cheap) {
  if (length == 0 || length > UINT32_MAX) return std::nullopt;
  asked["unroll"] = length;
  asked["radix"] = 2u;
  std::size_t fewest = SIZE_MAX;
  for (unsigned radix = 2; radix <= kMaxRadix && !cheap; ++radix) {
    RadixOptions options = radix_options(asked);
    options.radix = radix;
    const std::size_t layers = radix_shifts(options).size();
    if (layers >= fewest) continue;
    // Tables grow with the radix.
    const ProductForecast forecast = forecast_radix(action, options);
    if (forecast.refusal || forecast.units() > kMostComparedUnits) break;
    fewest = layers;
    asked["radix"] = radix;
  }
  return asked;
}

}  // namespace

Option radix_option() {
  return {"radix", CountOption{.otherwise = 2, .from = 2, .to = kMaxRadix},
          fmt::format("number of products that a layer of --construction radix multiplies: 2 to {} "
                      "(default: 2)",
                      kMaxRadix)};
}

Construction radix_record() {
  return {.key = {"MS25", "Cor 4.2", "radix"},
          .problem = Problem::words,
          .help = "Corollary 4.2, up to --unroll N letters",
          .given = "unroll",
          .options = {radix_option(), positions_option(), table_option()},
          .program =
              [](const Request& r) {
                return regular_language_radix_MS25_cor4_2(*r.action, r.name,
                                                          radix_options(r.values));
              },
          .compared = 2,
          .multiplies = true,
          .forecast = best_radix,
          .depths = {
              {false, "radix 4 (a network per n)", {{"radix", 4u}}, "unroll", 64, "ceil(log4 n)"}}};
}

}}  // namespace logdepth::constructions_MS25
