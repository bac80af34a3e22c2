#pragma once

// Tokens of finitely many classes: the stream of each, and what heads select and write by class.

#include "recheck/machine.hpp"
#include "recheck/sublayers.hpp"

namespace recheck {

using ByClass = std::map<int, Stream>;

/// What a head writes, by the class of the token that it selects.
struct Read {
  Selection selection;
  ByClass values;
};

struct ClassHeads {
  explicit ClassHeads(const Weights& weights);

  const Weights& weights;
  Frame frame;
  Machine machine;  // its classes are those of `streams`
  ByClass streams;
  std::string steps;

  /// What each head of a layer selects and writes. `everywhere` is what they add at every token, whatever its class.
  std::vector<Read> heads(const Layer& layer, const std::string& where, Stream& everywhere);

 private:
  std::optional<Selection> select(const std::set<Stream>& queries,
                                  const std::map<Stream, std::set<int>>& keys,
                                  const std::string& where);
  Selection match(const Bilinear& score, const std::string& where) const;
  Selection floor(const Bilinear& score, const std::string& where);
  std::optional<Selection> last_flag(const std::vector<Bilinear>& scores,
                                     const std::map<Stream, std::set<int>>& keys,
                                     const std::string& where) const;
  void add_mean(const ByClass& values, Stream& everywhere, const std::string& where);
  std::pair<int, mpq_class> counted(const std::map<int, mpq_class>& numbers,
                                    const mpq_class& wanted, const std::string& where);
};

}  // namespace recheck
