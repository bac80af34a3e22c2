#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace logdepth::support {

/// A decoder of the llama or the olmo2 family in plain loops over doubles, from arrays named as
/// Hugging Face names them. It shares no code with what reads and runs language models.
struct PlainDecoder {
  using Rows = std::vector<std::vector<double>>;

  bool olmo2 = false;
  std::size_t width = 0, heads = 0, key_heads = 0, hidden = 0;
  double epsilon = 1e-5, rotary_base = 10000;
  std::map<std::string, std::vector<double>> arrays;
  std::vector<std::size_t> order;  ///< layers as they run: 0 1 2 1 2 3 is a loop

  struct Pass {
    std::vector<Rows> streams;  ///< [order + 1][tokens][width]: before each layer and at the end
    Rows logits;                ///< [tokens][vocabulary]
  };
  Pass operator()(const std::vector<std::int32_t>& tokens) const;

 private:
  std::vector<double> times(const std::string& name, const std::vector<double>& x) const;
  std::vector<double> normed(const std::string& name, const std::vector<double>& x) const;
  void turn(std::vector<double>& x, std::size_t position) const;
  void layer(const std::string& at, Rows& h) const;
  Rows attended(const std::string& at, const Rows& z) const;
  std::vector<double> fed_forward(const std::string& at, const std::vector<double>& z) const;
};

/// The mean over tokens of minus the logarithm of the next one's probability.
double plain_loss(const PlainDecoder::Rows& logits, const std::vector<std::int32_t>& tokens);

}  // namespace logdepth::support
