#pragma once

// What the heads of a cascade remember, as a finite machine. Every token has one of finitely many classes: its kind, then for
// every head the class of the token that the head selects, or the parity of a count divided. Owes: `classes` are all classes
// that occur in any word.

// Tokens of finitely many classes: the stream of each, and what heads select and write by class.

#include <map>
#include <set>
#include <vector>

#include "recheck/sublayers.hpp"

namespace recheck {

/// Which token a head selects.
struct Selection {
  enum class Kind { last, back, floor } kind = Kind::last;
  std::set<int> classes;  // last: the last visible token of one of these
  std::int64_t back = 0;  // back: the token so many positions back; position 0 before that
  int counter = 0;        // floor: the token at position floor((count + offset) / divisor)
  std::int64_t divisor = 1, offset = 0;
  bool of_position = false;  // floor: the count is the own position
  bool operator==(const Selection&) const = default;
};

/// Counts the tokens after <begin>, up to and with the own one, by weights of their classes before attention number `stage`.
struct Counter {
  int stage = 0;
  std::map<int, std::int64_t> weights;
  bool operator==(const Counter&) const = default;
  std::int64_t largest() const;
};

struct Stage {  // an attention sublayer: its heads, and the classes after it
  std::vector<Selection> heads;
  std::map<std::vector<int>, int>
      classes;  // class before, classes selected (floor: 0 for an even position, 1 for an odd one)
};

/// Of every head: the class that it holds, its last `back` classes, or its count modulo twice the divisor.
using State = std::vector<std::vector<int>>;

struct Machine {
  std::vector<Stage> stages;
  std::vector<Counter> counters;
  std::vector<State> states;  // the first one is that after <begin>
  std::vector<std::vector<std::pair<int, int>>>
      next;  // of a state and a letter: class of the token, state after it
  std::set<int> classes;
  int begin_class = 0;

  void explore(int kinds);

 private:
  int token(const State* before, int kind, State& after);
};

using ByClass = std::map<int, Stream>;

/// What a head writes, by the class of the token that it selects.
struct Read {
  const Head* head;
  Selection selection;
  ByClass values;
};

/// Adds what a head writes where it selects this class; floor: 0 for an even position, 1 for an odd one.
void add_read(const Selection& selection, const ByClass& values, int selected, Stream& h);

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
