#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "library/exports/float_arrays.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::exports {

/// The arrays that are written, calculated with as plainly as other programs do: products and sums
/// in the precision of the export, softmax or averaging-hard attention, nothing known of errors.
template <class Real>
class Evaluation {
 public:
  /// Keeps references. `mirror`: where given values are negated (GivenPlace).
  Evaluation(const Network& network, const FloatArrays<Real>& arrays, std::size_t mirror);

  /// The logits of every token. Precondition: no more tokens than the network has positions for.
  std::vector<std::vector<double>> logits(const Tokens& tokens, std::uint64_t loops) const;

 private:
  using Row = std::vector<Real>;
  using Rows = std::vector<Row>;
  /// A dense matrix, its zeros skipped: adding nothing changes no sum.
  struct Factors {
    struct Factor {
      std::size_t column;
      Real value;
    };
    std::vector<std::vector<Factor>> rows;
    Row operator()(const Row& x) const;
  };
  struct PlainHead {
    Factors query, key, value, output;
  };
  struct PlainLayer {
    std::vector<PlainHead> heads;
    Factors in, out;
  };

  static Factors factors(const FloatArray<Real>& array);
  Row read(const Row& h, const NetworkNorm& norm, const std::string& mask) const;
  void attend(const NetworkLayer& layer, const PlainLayer& plain, const Rows& z, Rows& h) const;
  /// Turns scores into weights.
  void weigh(const NetworkHead& head, Row& scores) const;
  void run_layer(std::size_t layer, Rows& h) const;

  const Network& network_;
  const FloatArrays<Real>& arrays_;
  std::size_t mirror_;
  std::vector<PlainLayer> layers_;
  Factors unembedding_;
};

}  // namespace logdepth::exports
