// The layers of column_layers.hpp on Thrust's host system: every prefix is compared with the product of the
// letters one by one, and planted broken contracts have to be named. Status 1 if one is not as it should be.
#include "bench/column_layers.hpp"

#include <fmt/core.h>

#include <numeric>

#include "bench/column_words.hpp"

namespace {

using namespace logdepth::column_bench;

bool complain(const std::string& what) {
  fmt::print("{}\n", what);
  return false;
}

/// Prefixes that differ from the direct product.
template <std::size_t points>
bool prefixes_agree(const PermutationGroup<points>& group, std::size_t letters, bool shuffled) {
  std::vector<Byte> word(letters);
  for (std::size_t i = 0; i < letters; ++i) word[i] = SeededLetter{letters, group.order}(i);
  std::vector<Token> keys(letters);
  std::iota(keys.begin(), keys.end(), Token{0});
  // The key of the last index is asked for by no row: the keys are read, not taken for their tokens.
  if (shuffled) keys.back() = 0;
  thrust::device_vector<Byte> one(word.begin(), word.end()), two(letters);
  const thrust::device_vector<Token> device_keys(keys.begin(), keys.end());
  ColumnLayers layers(group.product, group.order, 0);
  const auto& result = layers.run(one, two, device_keys);
  std::vector<Byte> prefixes(letters);
  thrust::copy(result.begin(), result.end(), prefixes.begin());
  std::size_t different = 0;
  Byte product = 0;
  for (std::size_t i = 0; i < letters; ++i) {
    product = group.product[product * group.order + word[i]];
    different += product != prefixes[i];
  }
  if (different > 0)
    return complain(fmt::format("{} letters of a group of {}: {} prefixes differ", letters,
                                group.order, different));
  return true;
}

/// Keys with one index planted as `token` are refused with that sentence.
bool broken_is_named(std::size_t index, Token token, const std::string& expected) {
  const PermutationGroup<5> group(true);
  std::vector<Token> keys(100);
  std::iota(keys.begin(), keys.end(), Token{0});
  keys[index] = token;
  thrust::device_vector<Byte> one(keys.size(), Byte{1}), two(keys.size());
  const thrust::device_vector<Token> device_keys(keys.begin(), keys.end());
  ColumnLayers layers(group.product, group.order, 0);
  try {
    layers.run(one, two, device_keys);
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).starts_with(expected)) return true;
    return complain(fmt::format("planted key {}: {}", index, error.what()));
  }
  return complain(fmt::format("planted key {}: nothing was refused", index));
}

}  // namespace

int main() {
  bool right = true;
  for (const std::size_t letters : {1u, 2u, 3u, 64u, 1000u, 4096u, 70001u})
    for (const bool shuffled : {false, true}) {
      right = prefixes_agree(PermutationGroup<5>(true), letters, shuffled && letters > 1) && right;
      right = prefixes_agree(PermutationGroup<3>(false), letters, shuffled && letters > 1) && right;
    }
  constexpr Token kSeveral = static_cast<Token>(-2);
  right = broken_is_named(40, kSeveral, "layer 0, head 0, row 41:") && right;
  // A key in the future of the first row that asks for it, though not of the rows of later layers.
  right = broken_is_named(40, 42, "layer 0, head 0, row 41:") && right;
  if (right) fmt::print("all prefixes are equal, all broken contracts are named\n");
  return right ? 0 : 1;
}
