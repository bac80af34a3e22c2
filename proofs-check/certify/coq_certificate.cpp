#include "proofs-check/certify/coq_certificate.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

namespace logdepth::inline proofs_check_certify {
namespace {

using recheck::Atom;
using recheck::Form;
using recheck::Images;
using recheck::need;
using recheck::own;
using recheck::Row;
using recheck::Shift;
using recheck::Stream;

constexpr std::size_t kMostLabels = 200;  // the kernel multiplies all triples

/// The monoid that the letters generate, the identity first.
std::vector<Images> generated(const std::vector<Images>& maps, std::size_t points) {
  Images identity(points);
  std::iota(identity.begin(), identity.end(), 0);
  std::vector<Images> labels = {identity};
  std::set<Images> seen = {identity};
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (const Images& map : maps) {
      Images next;
      for (const int q : labels[i]) next.push_back(map[static_cast<std::size_t>(q)]);
      if (!seen.insert(next).second) continue;
      need(labels.size() < kMostLabels,
           "Coq: the letters generate more than " + std::to_string(kMostLabels) + " products");
      labels.push_back(next);
    }
  return labels;
}

class ScanBuilder {
 public:
  ScanBuilder(const recheck::Weights& weights, const recheck::Json& certificate,
              const recheck::Theorem& theorem)
      : weights_(weights),
        certificate_(certificate),
        theorem_(theorem),
        products_(certificate, weights.width),
        frame_{weights, {}, "", 0} {
    frame_.laws.size_of = [this](const recheck::Cell& cell) {
      return cell.kind == 'T' ? static_cast<int>(weights_.kinds.size())
                              : products_.cells.at(static_cast<std::size_t>(cell.id)).size;
    };
  }

  CoqCertificate build() {
    Stream h = recheck::embedded(frame_);
    const std::vector<Images> maps = products_.begin(frame_, h);
    out_.labels = generated(maps, products_.decode.size());
    for (const Images& map : maps) out_.letters.push_back(out_.label_of(map));
    out_.start = stage(h, shifts_of(h), "the first layer");
    out_.initial = block("initial", out_.start, h);
    out_.length = products_.length;
    if (weights_.has_loop()) enter_loop(h);
    out_.loop = stage(h, shifts_of(h), "the loop");
    Stream after = h;
    out_.repeated = block("repeated", out_.loop, after);
    products_.length = out_.length;
    out_.final = block("final", out_.loop, h);
    out_.code = frame_.code;
    out_.parameter = frame_.parameter;
    make_automaton();
    return std::move(out_);
  }

 private:
  using Shifts = std::set<Shift>;

  static void see(const Form& form, Shift by, Shifts& shifts) {
    for (const auto& [atom, value] : form)
      if (atom.cell.kind == 'K') shifts.insert(recheck::plus(atom.cell.at, by));
  }

  static Shifts shifts_of(const Stream& h) {
    Shifts shifts;
    for (const auto& [c, form] : h) see(form, {}, shifts);
    return shifts;
  }

  int block_of(const std::vector<Shift>& shifts, Shift at) const {
    return static_cast<int>(std::find(shifts.begin(), shifts.end(), at) - shifts.begin());
  }

  /// The stream as constants of labels and atoms that are the same for all labels.
  CoqStage stage(const Stream& h, Shifts shifts, const std::string& where) {
    CoqStage made;
    made.shifts = {Shift{}};  // the own position comes first
    shifts.erase(Shift{});
    made.shifts.insert(made.shifts.end(), shifts.begin(), shifts.end());
    made.constants.resize(out_.labels.size());
    for (const auto& [c, form] : h)
      for (const auto& [atom, value] : form) add(made, c, atom, value, where);
    return made;
  }

  void add(CoqStage& made, int c, const Atom& atom, const mpq_class& value,
           const std::string& where) {
    const char kind = atom.cell.kind;
    const auto refuse = [&](const std::string& what) {
      need(false, "Coq: " + where + ", coordinate " + std::to_string(c) + ": " + what +
                      "; expected the product, constants and codes, found " +
                      shown(Form{{atom, value}}));
    };
    if (atom == recheck::kOne) {
      for (Row& row : made.constants) put(row, c, value);
    } else if (kind == 'X') {
      if (atom.cell.version != products_.version || atom.cell.at != Shift{})
        refuse("holds another product than that of the own token");
      const recheck::ProductCell& cell = products_.cells[static_cast<std::size_t>(atom.cell.id)];
      for (std::size_t x = 0; x < out_.labels.size(); ++x) {
        Images images;
        for (const int q : cell.points)
          images.push_back(out_.labels[x][static_cast<std::size_t>(q)]);
        if (cell.label_of.at(images) == atom.part) put(made.constants[x], c, value);
      }
    } else if (atom == own('V')) {
      made.parts.push_back({c, 1, value});
    } else if (atom == own('T', 0)) {
      made.parts.push_back({c, 2, value});
    } else if (kind == 'K') {
      made.parts.push_back(
          {c, kAtomsBefore + kAtomsOfCode * block_of(made.shifts, atom.cell.at) + atom.part,
           value});
    } else {
      refuse(kind == 'D' ? "directions of the stride are not covered" : "holds something else");
    }
  }

  static void put(Row& row, int c, const mpq_class& value) {
    row[c] += value;
    if (row[c] == 0) row.erase(c);
  }

  /// Label 0, of every product: whether a component of a cell is 1 there.
  bool in_first_label(const Atom& atom) const {
    Images images;
    const recheck::ProductCell& cell = products_.cells[static_cast<std::size_t>(atom.cell.id)];
    for (const int q : cell.points) images.push_back(out_.labels[0][static_cast<std::size_t>(q)]);
    return cell.label_of.at(images) == atom.part;
  }

  CoqNorm norm(const Row& mask, const Stream& h, const std::string& where) {
    return coq_norm(
        frame_, mask, h,
        [this](const Atom& atom) { return atom.cell.kind == 'X' && in_first_label(atom); }, where);
  }

  /// What a head selects. The shifts of what it reads go to `reached`; `factor` is the shift, if it reads a product.
  CoqHead head(const recheck::Head& weights, const Stream& z, const std::vector<Shift>& shifts,
               const std::string& where, Shifts& reached, std::optional<Shift>& factor) {
    const Stream values =
        recheck::apply(frame_, weights.output, recheck::apply(frame_, weights.value, z));
    if (values.empty()) return {};
    const recheck::Bilinear scores = recheck::score(
        frame_, recheck::apply(frame_, weights.query, z), recheck::apply(frame_, weights.key, z));
    if (scores.empty()) return {CoqHead::Kind::uniform, 0, 0, 0, 0};
    const Shift b = recheck::matched(frame_, scores, where);
    for (const auto& [c, form] : values) {
      see(form, b, reached);
      for (const auto& [atom, value] : form)
        if (atom.cell.kind == 'X') factor = b;
    }
    CoqHead made{CoqHead::Kind::match, 0, 0, 0, 0};
    for (const auto& [key, queries] : scores)
      for (const auto& [query, value] : queries) {
        if (key.part != query.part) continue;
        if (key.part == 0) made.first = value;
        if (key.part == 2) made.second = value;
        made.block = block_of(shifts, query.cell.at);
        made.back = b.constant - query.cell.at.constant;
      }
    return made;
  }

  std::vector<CoqLayer> block(const std::string& name, const CoqStage& before, Stream& h) {
    std::vector<CoqLayer> layers;
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const recheck::Layer& layer = weights_.layers[n];
      if (layer.block != name) continue;
      const std::vector<Shift>& shifts = layers.empty() ? before.shifts : layers.back().next.shifts;
      layers.push_back(one_layer(layer, shifts, h, "layer " + std::to_string(n)));
    }
    return layers;
  }

  CoqLayer one_layer(const recheck::Layer& layer, const std::vector<Shift>& shifts, Stream& h,
                     const std::string& where) {
    CoqLayer made;
    Shifts reached = shifts_of(h);
    if (!layer.heads.empty()) {
      made.attention = norm(layer.attention_mask, h, where + ", attention");
      const Stream z = recheck::normalised(frame_, layer.attention_mask, h, where + ", attention");
      std::map<Shift, int, std::greater<>> oldest_first;
      for (std::size_t i = 0; i < layer.heads.size(); ++i) {
        const std::string here = where + ", head " + std::to_string(i);
        std::optional<Shift> factor;
        made.heads.push_back(head(layer.heads[i], z, shifts, here, reached, factor));
        if (factor)
          need(oldest_first.emplace(*factor, static_cast<int>(i)).second,
               "Coq: " + here + ": a second head that fetches a product at shift " +
                   recheck::shown(*factor));
      }
      for (const auto& [shift, i] : oldest_first) made.factors.push_back(i);
    }
    recheck::add_attention(frame_, layer, h, where + ", attention");
    reached.merge(shifts_of(h));
    const std::string place = where + ", feed-forward";
    if (layer.in.rows > 0) made.feedforward = norm(layer.feedforward_mask, h, place);
    products_.multiply(frame_, recheck::add_feed_forward(frame_, layer, h, place), h, place);
    reached.merge(shifts_of(h));
    made.next = stage(h, reached, where);
    return made;
  }

  /// The stream at any stride: pointers as the certificate has them.
  void enter_loop(Stream& h) {
    const recheck::Json& loop = certificate_.at("loop");
    out_.factor = loop.at("factor").integer(1, 1 << 30);
    const auto shift = [](const recheck::Json& strides, const recheck::Json& constant) {
      return Shift{strides.integer(0, 1 << 30), constant.integer(-(1 << 30), 1 << 30)};
    };
    const auto& length = loop.at("length").array();
    out_.length = shift(length[0], length[1]);
    products_.length = out_.length;
    for (const recheck::Json& pointer : loop.at("pointers").array()) {
      const auto& [c, part, factor, strides, constant] = std::tie(
          pointer.items[0], pointer.items[1], pointer.items[2], pointer.items[3], pointer.items[4]);
      h[static_cast<int>(c.integer(0, weights_.width - 1))] =
          Form{{Atom{{'K', 0, 0, shift(strides, constant)}, static_cast<int>(part.integer(0, 3))},
                factor.rational()}};
    }
  }

  void make_automaton() {
    const recheck::Automaton& automaton = *theorem_.automaton;
    const std::size_t letters = automaton.maps.size();
    if (automaton.initial) {
      out_.automaton.first_state = *automaton.initial;
      for (int q = 0; q < automaton.points; ++q) {
        std::vector<int>& next = out_.automaton.successors.emplace_back();
        for (const Images& map : automaton.maps) next.push_back(map[static_cast<std::size_t>(q)]);
        out_.automaton.accepting.push_back(automaton.accepting.contains(q));
      }
      for (const Images& label : out_.labels)
        out_.state_of.push_back(label[static_cast<std::size_t>(*automaton.initial)]);
      return;
    }
    for (std::size_t x = 0; x < out_.labels.size(); ++x) {
      std::vector<int>& next = out_.automaton.successors.emplace_back();
      for (std::size_t a = 0; a < letters; ++a) {
        Images images;
        for (const int q : out_.labels[x])
          images.push_back(automaton.maps[a][static_cast<std::size_t>(q)]);
        next.push_back(out_.label_of(images));
      }
      out_.automaton.accepting.push_back(automaton.accepted_products.contains(out_.labels[x]));
      out_.state_of.push_back(static_cast<int>(x));
    }
  }

  const recheck::Weights& weights_;
  const recheck::Json& certificate_;
  const recheck::Theorem& theorem_;
  recheck::Products products_;
  recheck::Frame frame_;
  CoqCertificate out_;
};

}  // namespace

int CoqCertificate::label_of(const Images& images) const {
  return static_cast<int>(std::find(labels.begin(), labels.end(), images) - labels.begin());
}

CoqNorm coq_norm(recheck::Frame& frame, const Row& mask, const Stream& h,
                 const std::function<bool(const Atom&)>& is_one, const std::string& where) {
  if (recheck::normalised(frame, mask, h, where).empty()) return {};
  mpq_class codes, constants;
  bool direction = false;
  for (const auto& [c, factor] : mask) {
    mpq_class constant;
    for (const auto& [atom, value] : recheck::at(h, c)) {
      if (atom == recheck::kOne || is_one(atom)) constant += value * factor;
      if (atom.cell.kind == 'K' && atom.part % 2 == 0) codes += value * value * factor * factor;
      direction = direction || atom == own('V');
    }
    constants += constant * constant;
  }
  const mpq_class whole = direction ? constants : mpq_class(constants + codes);
  need(whole > 0, "Coq: " + where + ": the norm is 0 at the identity");
  const auto factor = recheck::rational_root(frame.weights.width / whole);
  need(factor.has_value(), "Coq: " + where + ": the norm is irrational at the identity");
  return {direction ? CoqNorm::Kind::direction : CoqNorm::Kind::scale, *factor};
}

CoqCertificate coq_certificate(const recheck::Weights& weights, const recheck::Json& certificate,
                               const recheck::Theorem& theorem) {
  return ScanBuilder(weights, certificate, theorem).build();
}

}  // namespace logdepth::inline proofs_check_certify
