#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/cells.hpp"

/// What a program says about its cells: heads with their selectors, tables, and the rest
/// (program.hpp).
namespace logdepth::cells {

// Members that return a new value leave theirs unchanged: `head.copy(a, b)` alone does nothing. Every
// class is therefore [[nodiscard]], and a compiler warns where such a value is not used.

// --- what a head selects among the visible positions ---------------------------------------------

/// A selector. Each is the arg max of a score for every length; compiler/README.md says what each
/// promises and what it asks of its cells.
class [[nodiscard]] Selector {
 public:
  struct Hidden;
  const Hidden& hidden() const { return *hidden_; }

 protected:
  friend class Selectors;
  explicit Selector(std::shared_ptr<const Hidden> hidden) : hidden_(std::move(hidden)) {}
  std::shared_ptr<const Hidden> hidden_;
};

/// All visible positions.
Selector uniform();
/// All visible positions whose cells equal the token's own.
Selector same(const CellList& cells);
template <class... More>
Selector same(const CellList& first, const CellList& second, const More&... more) {
  return same(CellList{first, second, CellList(more)...});
}

/// `match(E).back(1).key(I)`: the position max(e - 1, 0), where E codes e.
class [[nodiscard]] Match {
 public:
  explicit Match(const Cell& pointer) : pointer_(pointer.id()) {}
  Match back(std::uint32_t by) const;
  Selector key(const Key& key) const;

 private:
  std::uint32_t pointer_, back_ = 0;
};
Match match(const Pointer& pointer);
Match match(const Key& key);

/// `rightmost(e).key(I)`: the last of the visible positions where most of the values hold. With
/// `.same(A, B)` one of them is that B there has the label of the token's own A (one-hot cells of the
/// same labels): `rightmost().same(letter, before).key(I)` is an induction head.
class [[nodiscard]] Rightmost {
 public:
  explicit Rightmost(std::vector<Value> values) : values_(std::move(values)) {}
  Rightmost same(const OneHot& own, const OneHot& there) const;
  Selector key(const Key& key) const;

 private:
  std::vector<Value> values_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> same_;
};
template <class... Values>
Rightmost rightmost(const Values&... values) {
  return Rightmost(std::vector<Value>{Value(values)...});
}

/// `nearest(R).key(I)`: the visible position whose code, phi or fine, is nearest in angle to the
/// direction of R: among codes of phi over L to the number L R, 0 if R < 0.
class [[nodiscard]] Nearest {
 public:
  explicit Nearest(Ratio target) : target_(std::move(target)) {}
  Selector key(const Key& key) const;

 private:
  Ratio target_;
};
Nearest nearest(Ratio target);

/// `flagged(f)`: all visible positions where f holds, or all visible ones if there is none.
class [[nodiscard]] Flagged : public Selector {
 public:
  using Selector::Selector;
  /// Tokens where `value` does not hold select all visible positions.
  Flagged when(const Value& value) const;
};
Flagged flagged(const Value& value);

/// `find(row).key(U).also(k).key(J)`: all visible positions where U is the direction of row and J
/// that of k; broken where there is none, with `find_one` where there are several.
class [[nodiscard]] Found : public Selector {
 public:
  using Selector::Selector;
  class [[nodiscard]] Term {
   public:
    Found key(const Cell& key) const;

   private:
    friend class Found;
    friend Term find(const Ratio& wanted);
    friend Term find_one(const Ratio& wanted);
    Term(Ratio wanted, std::shared_ptr<const Hidden> before, bool one)
        : wanted_(std::move(wanted)), before_(std::move(before)), one_(one) {}
    Ratio wanted_;
    std::shared_ptr<const Hidden> before_;
    bool one_;
  };
  Term also(const Ratio& wanted) const;
  /// Among them those where `value` holds if there is one. The margin is positive and smaller than
  /// what any mismatch costs: a hypothesis that the construction proves.
  Selector prefer(const Value& value, const Form& margin) const;
};
Found::Term find(const Ratio& wanted);
Found::Term find_one(const Ratio& wanted);

/// `related(R).label(v).prefer(f)`: the visible positions whose one-hot v is some l with R[l] true
/// at the token, of these those where f holds, if there is one.
class [[nodiscard]] Related {
 public:
  explicit Related(const std::vector<Flag>& flags) : flags_(CellList(flags).cells()) {}
  Related label(const OneHot& cell) const;
  Selector prefer(const Value& value) const;

 private:
  std::vector<std::uint32_t> flags_;
  std::optional<std::uint32_t> label_;
};
Related related(const std::vector<Flag>& flags);

// --- statements ----------------------------------------------------------------------------------

/// Statements that run one after the other.
class [[nodiscard]] Statements {
 public:
  struct Hidden;
  Statements();
  Statements(std::initializer_list<Statements> parts);
  explicit Statements(std::shared_ptr<const Hidden> hidden) : hidden_(std::move(hidden)) {}
  bool empty() const;
  Statements& operator+=(const Statements& more);
  const Hidden& hidden() const { return *hidden_; }

 private:
  std::shared_ptr<const Hidden> hidden_;
};

/// One head: `fetch("prev").causal(match(E).key(I)).copy(sd, d)`.
class [[nodiscard]] Fetch {
 public:
  struct Hidden;
  explicit Fetch(const std::string& name);
  /// Among the token and what stands to its left.
  Fetch causal(const Selector& selector) const;
  /// Among all tokens.
  Fetch unmasked(const Selector& selector) const;
  /// Selector and forms read these cells divided by their joint norm.
  Fetch under(const CellList& cells) const;
  template <class... More>
  Fetch under(const CellList& first, const CellList& second, const More&... more) const {
    return under(CellList{first, second, CellList(more)...});
  }
  /// target := what the selected positions hold in source, all the same; target was blank.
  Fetch copy(const Cell& target, const Cell& source) const;
  Fetch copy(const Product& target, const Product& source) const;
  /// target += the average of the form over the selected positions.
  Fetch add(const Component& target, const Form& form) const;
  Fetch add(const Number& target, const Form& form) const;  ///< of one component
  /// cell := value, where the head selects the token itself; overwrites.
  Fetch set(const Value& value) const;
  operator Statements() const;  // NOLINT: a head is a statement

 private:
  template <class Change>
  Fetch with(const Change& change) const;
  std::shared_ptr<const Hidden> hidden_;
};
inline Fetch fetch(const std::string& name) {
  return Fetch(name);
}

/// The same heads once more, named NAME_again, with the signs of their averages flipped, which takes
/// back what they added if no cell that they read has been written since. What they copied and set
/// stays: that is what `erase` removes. Errors: InputError for a statement that is no head.
Statements undone(const Statements& heads);

/// Where all conditions hold, the cells get these values. No cell twice on either side.
struct [[nodiscard]] Rule {
  std::vector<Value> when, then;
};
using Rules = std::vector<Rule>;
/// `when(act, !odd).then(act)`, `when().then(!act)`: the values after `then` are what is assigned.
class [[nodiscard]] When {
 public:
  explicit When(std::vector<Value> values) : values_(std::move(values)) {}
  template <class... Values>
  Rule then(const Values&... values) const {
    return {values_, {Value(values)...}};
  }

 private:
  std::vector<Value> values_;
};
template <class... Values>
When when(const Values&... values) {
  return When({Value(values)...});
}
/// The rules, each under these conditions as well, which stand first.
Rules under(const std::vector<Value>& conditions, Rules rules);

/// A finite table: for each cell that is assigned exactly one of its rules holds, whatever the
/// cells of the conditions hold; a cell of `otherwise` gets that value where none does. Overwrites.
Statements lookup(const std::string& name, const Rules& rules,
                  const std::vector<Value>& otherwise = {});
/// target := source, of the same type; overwrites. With conditions, no cell twice, only where all of
/// them hold: `move(J, sJ, {act, kind == "leaf"})`; the target has a value before.
Statements move(const Cell& target, const Cell& source, const std::vector<Value>& when = {});
/// cells := 0.
Statements erase(const CellList& cells);
template <class... More>
Statements erase(const CellList& first, const CellList& second, const More&... more) {
  return erase(CellList{first, second, CellList(more)...});
}

/// `normalise(I, E).from(a[0], a[1])`: the targets, blank before, := the group divided by its norm,
/// every component multiplied by its factor > 0 first.
class [[nodiscard]] Normalise {
 public:
  explicit Normalise(const CellList& targets) : targets_(targets) {}
  template <class... Components>
  Statements from(const Components&... components) const {
    return from(std::vector<Form>{Form(components)...});
  }
  Statements from(const std::vector<Form>& group) const;

 private:
  CellList targets_;
};
template <class... More>
Normalise normalise(const CellList& target, const More&... more) {
  return Normalise(CellList{target, CellList(more)...});
}

/// `test(e).zero(D)`: e := [D = 0], where e was true at every token; `test(e).positive(D)`: e :=
/// [D > 0], where e was false at every token.
class [[nodiscard]] Test {
 public:
  explicit Test(const Flag& flag) : flag_(flag.id()) {}
  Statements zero(const Form& number) const;
  Statements positive(const Form& number) const;

 private:
  std::uint32_t flag_;
};
inline Test test(const Flag& flag) {
  return Test(flag);
}

}  // namespace logdepth::cells
