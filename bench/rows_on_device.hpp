#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bench/lookup_head.hpp"
#include "runtime/floats/attend_head.hpp"

namespace logdepth {

/// The float runtime's attention of one head: its two steps for every row, on arrays that are on
/// the device already. A backend is one of pass_on_device.hpp that can also wait() for the device.
template <class Backend, class Number>
class RowsOnDevice final : public HeadContender {
 public:
  RowsOnDevice(Backend backend, const LookupHead& head)
      : backend_(backend),
        tokens_(head.tokens),
        values_(head.values),
        blocks_(head.dimension / 2),
        gap_(head.gap),
        query_(put(rounded(head.query))),
        scaled_query_(query_),
        key_(put(rounded(head.key))),
        value_(put(rounded(head.value))),
        average_(Backend::template zeros<Number>(head.value.size())),
        weight_(Backend::template zeros<Number>(blocks_ * head.tokens)),
        query_error_(put(errors(head.query))),
        scaled_query_error_(query_error_),
        key_error_(put(errors(head.key))),
        value_error_(Backend::template zeros<double>(head.value.size())),
        average_error_(Backend::template zeros<double>(head.value.size())),
        largest_error_(put(largest(errors(head.key)))),
        largest_size_(put(largest(head.key))),
        block_norm_(put(std::vector<Number>(blocks_, Number(1)))),
        block_end_(put(ends())),
        bounds_(Backend::template zeros<float_pass::RowBounds>(head.tokens)),
        states_(Backend::template zeros<std::uint8_t>(head.tokens)),
        promised_(Backend::template zeros<std::uint8_t>(head.tokens)) {
    rounding_.u = static_cast<double>(std::numeric_limits<Number>::epsilon()) / 2;
    rounding_.smallest = static_cast<double>(std::numeric_limits<Number>::min());
  }

  void prepare() override {
    scaled_query_ = query_;
    scaled_query_error_ = query_error_;
    backend_.wait();
  }
  void answer() override {
    if (blocks_ == 1)
      answer_with<float_pass::ScoreOfKey<Number, 0, 2, false>>();
    else
      answer_with<float_pass::ScoreOfKey<Number, 0, 4, false>>();
    backend_.wait();
  }
  std::vector<double> averages() const override {
    std::vector<Number> averages;
    backend_.fetch(average_, averages);
    return {averages.begin(), averages.end()};
  }
  std::vector<RowDecision> decisions() const override {
    using float_pass::RowState;
    std::vector<std::uint8_t> states;
    backend_.fetch(states_, states);
    std::vector<RowDecision> decisions;
    for (const std::uint8_t state : states)
      decisions.push_back(state == static_cast<std::uint8_t>(RowState::single) ? RowDecision::single
                          : state == static_cast<std::uint8_t>(RowState::tie)  ? RowDecision::tie
                          : state == static_cast<std::uint8_t>(RowState::alike)
                              ? RowDecision::alike
                              : RowDecision::ambiguous);
    return decisions;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  template <class T>
  static Array<T> put(const std::vector<T>& numbers) {
    return Array<T>(numbers.begin(), numbers.end());
  }
  static std::vector<Number> rounded(const std::vector<double>& numbers) {
    std::vector<Number> result;
    for (const double x : numbers) result.push_back(static_cast<Number>(x));
    return result;
  }
  /// Of numbers that were rounded once to double and once to Number.
  static std::vector<double> errors(const std::vector<double>& numbers) {
    std::vector<double> result;
    for (const double x : numbers)
      result.push_back(std::fabs(x) * static_cast<double>(std::numeric_limits<Number>::epsilon()));
    return result;
  }
  /// Per dimension.
  std::vector<double> largest(const std::vector<double>& numbers) const {
    std::vector<double> result;
    for (std::size_t begin = 0; begin < numbers.size(); begin += tokens_) {
      double most = 0;
      for (std::size_t j = begin; j < begin + tokens_; ++j)
        most = std::max(most, std::fabs(numbers[j]));
      result.push_back(most);
    }
    return result;
  }
  std::vector<std::uint32_t> ends() const {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t b = 1; b <= blocks_; ++b) ends.push_back(2 * b);
    return ends;
  }
  float_pass::Numbers<Number> numbers(Array<Number>& values, Array<double>& errors) const {
    return {Backend::pointer(values), Backend::pointer(errors), tokens_};
  }

  template <class Score>
  void answer_with() {
    const float_pass::HeadView<Number> view{true,
                                            0,
                                            2 * blocks_,
                                            blocks_,
                                            Backend::pointer(block_end_),
                                            Backend::pointer(block_norm_),
                                            Backend::pointer(largest_error_),
                                            Backend::pointer(largest_size_),
                                            true,
                                            gap_,
                                            float_pass::PlanHead<Number>::Selects::anything,
                                            false,
                                            numbers(scaled_query_, scaled_query_error_),
                                            numbers(key_, key_error_),
                                            Backend::pointer(weight_),
                                            Backend::pointer(bounds_)};
    float_pass::AttendHead<Backend, Number>(
        backend_, view, numbers(value_, value_error_), numbers(average_, average_error_), values_,
        tokens_, float_pass::Choice{}, rounding_,
        reinterpret_cast<float_pass::RowState*>(Backend::pointer(states_)),
        reinterpret_cast<float_pass::RowContract*>(Backend::pointer(promised_)))
        .template answer<Score>(scaled_query_, scaled_query_error_, key_);
  }

  Backend backend_;
  std::size_t tokens_;
  std::uint32_t values_, blocks_;
  double gap_;
  float_pass::Rounding rounding_;
  Array<Number> query_, scaled_query_, key_, value_, average_, weight_;
  Array<double> query_error_, scaled_query_error_, key_error_, value_error_, average_error_,
      largest_error_, largest_size_;
  Array<Number> block_norm_;
  Array<std::uint32_t> block_end_;
  Array<float_pass::RowBounds> bounds_;
  Array<std::uint8_t> states_, promised_;
};

}  // namespace logdepth
