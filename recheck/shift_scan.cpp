#include <algorithm>

#include "recheck/accepted.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"

// The theorem of scan and radix networks: one generic token is run through the layers as forms, the loop once for any stride.
// Lemma induction: if pointers and interval lengths are the certificate's forms in s for s = 1 where the loop begins [checked by
//   at_one, length], all else reads no product [checked by entry], and one pass over the block turns the stream of stride s into
//   the same stream of stride f s [checked by after, times_stride], then after L loops s = f^L. A coordinate of stride t = s/f,
//   which the loop overwrites, holds what it was given one loop before, or at s = 1 where it begins [checked by kBefore].
// Lemma loops: with ceil(log_b(n - minus)) loops and f >= b [checked by base], s >= max(1, n - minus). Intervals of length u s + v
//   with u >= 1 and u + v >= minus + 1 [checked by check_covered] are then at least n long, so those of all tokens begin at position 0: u
//   s + v - n >= (u - 1) s + v - minus.

namespace recheck {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;

Shift times_stride(Shift b, std::int64_t factor) {
  return {times({b.strides, 0}, factor).strides, b.constant};
}

/// factor * component of the code at a shift: [coordinate, component, factor, strides, constant].
Pointer pointer_of_code(const Json& entry, std::int64_t factor) {
  if (entry.array().size() != 5)
    throw Malformed("wrong pointer; expected [coordinate, component, factor, strides, constant]");
  const int part = static_cast<int>(entry.items[1].integer(0, 3));
  const mpq_class value = entry.items[2].rational();
  const Shift b = to_shift(entry.items[3], entry.items[4]);
  const auto form = [part, &value](Shift at) {
    Form out;
    add(out, Atom{{'K', 0, 0, at}, part}, value);
    return out;
  };
  return {form({0, b.strides + b.constant}), form(b), form(times_stride(b, factor))};
}

/// A component of the direction of (p, s, 1), or, if it is old, of (p, t, 1) where t was the stride one loop before.
Pointer pointer_of_direction(Frame& frame, const Json& entry, std::int64_t factor) {
  if (entry.array().size() != 6)
    throw Malformed(
        "wrong direction; expected [coordinate, number, factor, old, weight of the stride, "
        "weight of 1]");
  const std::int64_t number = entry.items[1].integer(0, 2);
  const mpq_class value = entry.items[2].rational(), weight = entry.items[4].rational(),
                  rest = entry.items[5].rational();
  need(weight > 0 && rest > 0, "a direction of weight " + shown(std::min(weight, rest)));
  const auto form = [&](int stride, std::int64_t times) {  // of (p, times * stride, 1)
    const int numbers[3] = {kPosition, stride, kUnit};
    std::map<int, mpq_class> weights = {{kPosition, 1}};
    weights[stride] += weight * exact(times) * exact(times);
    weights[kUnit] += rest;
    Linear linear;
    if (value != 0) linear[numbers[number]] = number == 1 ? mpq_class(value * exact(times)) : value;
    return along(frame, {weights.begin(), weights.end()}, linear, 1);
  };
  if (entry.items[3].boolean()) return {form(kUnit, 1), form(kBefore, 1), form(kStride, 1)};
  return {form(kUnit, 1), form(kStride, 1), form(kStride, factor)};
}

class ShiftScan : ProductProof {
 public:
  using ProductProof::ProductProof;

  Theorem prove() {
    Theorem theorem;
    Stream h = embedded(frame_);
    const std::vector<Images> maps = products_.begin(frame_, h);
    run_block("initial", h);
    const std::int64_t factor = weights_.has_loop() ? loop(h) : 0;
    run_block("final", h);
    check_covered(factor);
    LabelReader(frame_, products_, h).read(maps, theorem);
    theorem.steps = std::move(steps_);
    return theorem;
  }

 private:
  void run_block(const std::string& block, Stream& h) {
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      if (weights_.layers[n].block != block) continue;
      const std::string where = layer_name(n);
      add_attention(frame_, weights_.layers[n], h, where + ", attention");
      seen(where + ", attention", frame_, h, &products_);
      const std::string place = where + ", feed-forward";
      steps_ += products_.multiply(frame_, add_feed_forward(frame_, weights_.layers[n], h, place),
                                   h, place);
      seen(place, frame_, h, &products_);
    }
  }

  /// The loop, by induction; returns the factor of the stride.
  std::int64_t loop(Stream& h) {
    const Json& claim = certificate_.at("loop");
    claim.only({"factor", "length", "pointers"}, {"directions"});
    const std::int64_t factor = claim.at("factor").integer(2, kMost);
    if (claim.at("length").array().size() != 2)
      throw Malformed("length: expected [strides, constant]");
    const Shift length = to_shift(claim.at("length").items[0], claim.at("length").items[1]);
    need(products_.length == Shift{0, length.strides + length.constant},
         "the loop begins with intervals of length " + shown(products_.length) + "; expected " +
             std::to_string(length.strides + length.constant));
    Stream entry = h;
    for (const auto& [c, n] : products_.owner) entry.erase(c);
    const std::map<int, Pointer> pointers = read_pointers(frame_, claim, factor);
    for (const auto& [c, pointer] : pointers) {
      need(!products_.owner.contains(c), "pointer " + std::to_string(c) + " is in a product cell");
      need_same(frame_, at(h, c), pointer.at_one,
                "coordinate " + std::to_string(c) + " enters the loop");
      entry[c] = pointer.at_stride;
    }
    for (const auto& [c, form] : entry)
      for (const auto& [atom, value] : form)
        need(atom.cell.kind != 'X',
             "coordinate " + std::to_string(c) + " enters the loop with " + shown(form));
    for (const auto& [c, form] : entry) h[c] = form;
    products_.length = length;
    run_block("repeated", h);
    need(products_.length == times_stride(length, factor) || products_.cells.empty(),
         "one loop makes intervals of length " + shown(products_.length) + "; expected " +
             shown(times_stride(length, factor)));
    for (int c = 0; c < weights_.width; ++c) {
      if (products_.owner.contains(c)) continue;
      const auto pointer = pointers.find(c);
      need_same(frame_, at(h, c), pointer == pointers.end() ? at(entry, c) : pointer->second.after,
                "coordinate " + std::to_string(c) + " ends a loop");
    }
    for (const auto& [c, form] : entry) h[c] = form;  // s = factor^loops from here on
    products_.length = length;
    seen("loop", frame_, h, &products_);
    steps_ += "induction: stride s to " + std::to_string(factor) + " s, intervals of length " +
              shown(length) + "\n";
    return factor;
  }

  /// All intervals begin at position 0, up to the limit of letters or for every number of them.
  void check_covered(std::int64_t factor) const {
    const Json& unroll = weights_.unroll;
    const Shift l = products_.length;
    const std::optional<std::int64_t> limit = weights_.limit();
    const std::string& kind = unroll.at("kind").string();
    if (products_.cells.empty()) return;  // no interval matters
    if (kind == "fixed") {
      mpz_class reach = exact(l.strides);
      const auto small = [&] { return reach > 0 && mpz_sizeinbase(reach.get_mpz_t(), 2) < 120; };
      for (std::int64_t left = unroll.at("loops").integer(0, std::int64_t{1} << 60);
           left > 0 && factor > 0 && small(); --left)
        reach *= exact(factor);
      reach += exact(l.constant);
      need(limit && reach >= exact(*limit),
           "intervals of length " + reach.get_str() + " are too short; expected " +
               (limit ? std::to_string(*limit) : "a largest length"));
      return;
    }
    const std::int64_t minus = unroll.at("minus").integer(0, 1);
    const std::int64_t base = kind == "ceil_log" ? unroll.at("base").integer(3, kMost) : 2;
    need((kind == "ceil_log2") != unroll.has("base") && unroll.at("of").string() == "letters" &&
             factor > 0,
         "unroll: not a number of loops of this theorem");
    need(factor >= base, "a loop multiplies the stride by " + std::to_string(factor) +
                             "; expected at least the base " + std::to_string(base));
    need(l.strides >= 1 && l.strides + l.constant >= minus + 1,
         "intervals of length " + shown(l) + " are too short for the number of loops");
  }

  std::string steps_;
};

}  // namespace

Shift to_shift(const Json& strides, const Json& constant) {
  const Shift shift{strides.integer(0, kMost), constant.integer(-kMost, kMost)};
  need(shift.strides + shift.constant >= 0, "the shift " + shown(shift) + " is negative");
  return shift;
}

std::map<int, Pointer> read_pointers(Frame& frame, const Json& loop, std::int64_t factor) {
  std::map<int, Pointer> pointers;
  const auto add_pointer = [&](const Json& entry, const Pointer& pointer) {
    const int c = static_cast<int>(entry.items[0].integer(0, frame.weights.width - 1));
    need(pointers.emplace(c, pointer).second, "two claims of coordinate " + std::to_string(c));
  };
  for (const Json& entry : loop.at("pointers").array())
    add_pointer(entry, pointer_of_code(entry, factor));
  if (loop.has("directions"))
    for (const Json& entry : loop.at("directions").array())
      add_pointer(entry, pointer_of_direction(frame, entry, factor));
  return pointers;
}

Theorem prove_shift_scan(const Weights& weights, const Json& certificate) {
  certificate.only({"format", "version", "theorem", "sha256", "cells", "decode"}, {"loop"});
  return ShiftScan(weights, certificate).prove();
}

}  // namespace recheck
