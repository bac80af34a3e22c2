#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// E(token) + position code, as forms. <begin> is kind 0 and stands at position 0 and nowhere else, so the first flag is T0.

namespace recheck {

Stream embedded(Frame& frame, const Atom& first) {
  const Weights& weights = frame.weights;
  const Json& position = weights.position;
  Stream h;
  for (int kind = 0; kind < static_cast<int>(weights.kinds.size()); ++kind)
    for (const auto& [c, value] : weights.embedding[static_cast<std::size_t>(kind)])
      add(h[c], own('T', kind), value);
  const std::string& code = position.at("kind").string();
  if (code == "first-flag") {
    position.only({"kind", "first", "rest"});
    for (const auto& [c, value] : to_row(position.at("rest"), weights.width)) {
      add(h[c], kOne, value);
      add(h[c], first, -value);
    }
    for (const auto& [c, value] : to_row(position.at("first"), weights.width))
      add(h[c], first, value);
  } else {
    need(code == "circle" || code == "two-circle" || code == "fine", "position: " + code);
    position.only({"kind", "fills"}, {"offset", "parity"});
    frame.set_code(code, code == "fine" ? position.at("offset").integer(1, 1 << 30) : 0);
    if (position.has("parity"))
      for (const auto& [c, value] : to_row(position.at("parity"), weights.width))
        add(h[c], own('P'), value);
    std::map<int, int> filled;
    for (const Json& fill : position.at("fills").array()) {
      fill.only({"at", "back", "scale"});
      const auto& at = fill.at("at").array();
      if (at.size() != (code == "two-circle" ? 4u : 2u))
        throw Malformed("position: a fill of the wrong size");
      for (int i = 0; i < static_cast<int>(at.size()); ++i) {
        const int c =
            static_cast<int>(at[static_cast<std::size_t>(i)].integer(0, weights.width - 1));
        if (filled[c]++ > 0) throw Malformed("position: a coordinate is filled twice");
        add(h[c], Atom{{'K', 0, 0, {0, fill.at("back").integer(0, 1 << 30)}}, i},
            fill.at("scale").rational());
      }
    }
  }
  for (auto& [c, form] : h) frame.laws.simplify(form);
  return h;
}

}  // namespace recheck
