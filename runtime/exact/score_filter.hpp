#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/exact/attention_question.hpp"

namespace logdepth::inline runtime_exact {

/// Double scores of the key classes of a question, with one rigorous bound per query.
///
/// Rational vectors with small common denominators are scaled to integers. Their scores are then
/// computed without any rounding, the bound is 0, and a tie is proved where two doubles are equal.
class ScoreFilter {
 public:
  /// Keeps a reference.
  explicit ScoreFilter(const Question& question);

  struct Query {
    std::vector<double> values;  ///< per asked dimension
    double bound = 0;            ///< on the error of every score
    bool rounded = true;         ///< false: scores are exact multiples of the scores
  };
  Query query(TupleId id) const;

  /// Scores of the classes in [begin, end) into score[begin .. end); the largest of them.
  double score(const Query& query, std::size_t begin, std::size_t end, double* score) const;

  /// The score itself.
  Real exact(TupleId query, std::uint32_t key_class) const;

 private:
  void load(std::int64_t common);  ///< fills the tables below, keys times `common` if integer_

  const Question& q_;
  std::vector<std::uint32_t> dimensions_;
  std::vector<double> keys_;  // dimensions x classes, so the inner loop runs over classes
  std::vector<double> largest_, error_;  // per dimension
  bool integer_ = false;                 // keys are multiplied by a common denominator
};

}  // namespace logdepth::inline runtime_exact
