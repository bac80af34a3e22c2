#include "runtime/file/precision_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_tape.hpp"

namespace logdepth {
namespace {

using Json = nlohmann::json;

// --- spelling ------------------------------------------------------------------------------------

void add_rational(JsonTape& tape, const char* key, const Rational& value) {
  tape.add_key(key);
  tape.add_string(value.text());
}

void add_law(JsonTape& tape, const char* key, const std::optional<SeparationLaw>& law) {
  if (!law) return;
  tape.add_key(key);
  tape.open_array();
  tape.add_string(law->coefficient.text());
  tape.add_integer(law->exponent);
  tape.close();
}

void add_mask(JsonTape& tape, const char* key, const MaskFacts& mask) {
  if (mask == MaskFacts{}) return;
  tape.add_key(key);
  tape.open_object();
  if (mask.scale) add_rational(tape, "scale", *mask.scale);
  add_law(tape, "zero", mask.zero);
  tape.close();
}

void add_head(JsonTape& tape, const HeadFacts& head) {
  tape.open_object();
  if (!head.blocks.empty()) {
    tape.add_key("blocks");
    tape.open_array();
    for (const KeyBlock& block : head.blocks) {
      tape.open_object();
      tape.add_key("rows");
      tape.open_array();
      for (const std::uint32_t row : block.rows) tape.add_integer(row);
      tape.close();
      add_rational(tape, "square", block.square);
      tape.close();
    }
    tape.close();
  }
  if (head.scaled) {
    tape.add_key("scaled");
    tape.add_boolean(true);
  }
  add_law(tape, "gap", head.gap);
  tape.close();
}

// --- reading -------------------------------------------------------------------------------------

/// The text is not what the format says, or does not fit the file.
struct Misfit {};

void require(bool condition) {
  if (!condition) throw Misfit{};
}

/// An object with no other members than these.
void require_members(const Json& json, const std::set<std::string>& allowed) {
  require(json.is_object());
  for (const auto& [key, value] : json.items()) require(allowed.contains(key));
}

std::uint32_t read_count(const Json& json, std::uint32_t limit) {
  require(json.is_number_unsigned() && json.get<std::uint64_t>() < limit);
  return json.get<std::uint32_t>();
}

Rational read_positive(const Json& json) {
  require(json.is_string());
  const auto value = Rational::parse(json.get_ref<const std::string&>());
  require(value && value->sign() > 0);
  return *value;
}

std::optional<SeparationLaw> read_law(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  const Json& law = json[key];
  require(law.is_array() && law.size() == 2);
  return SeparationLaw{read_positive(law[0]), read_count(law[1], kMaxSeparationExponent + 1)};
}

MaskFacts read_mask(const Json& layer, const char* key) {
  MaskFacts facts;
  if (!layer.contains(key)) return facts;
  const Json& mask = layer[key];
  require_members(mask, {"scale", "zero"});
  if (mask.contains("scale")) facts.scale = read_positive(mask["scale"]);
  facts.zero = read_law(mask, "zero");
  return facts;
}

HeadFacts read_head(const Json& json, std::uint32_t rows) {
  require_members(json, {"blocks", "gap", "scaled"});
  HeadFacts facts;
  std::set<std::uint32_t> seen;
  if (json.contains("blocks")) {
    require(json["blocks"].is_array());
    for (const Json& block : json["blocks"]) {
      require_members(block, {"rows", "square"});
      require(block.contains("square") && block.contains("rows") && block["rows"].is_array() &&
              !block["rows"].empty());
      KeyBlock& read = facts.blocks.emplace_back();
      read.square = read_positive(block["square"]);
      for (const Json& row : block["rows"]) {
        read.rows.push_back(read_count(row, rows));
        require(seen.insert(read.rows.back()).second);
      }
      require(std::is_sorted(read.rows.begin(), read.rows.end()));
    }
  }
  if (json.contains("scaled")) {
    require(json["scaled"].is_boolean() && json["scaled"].get<bool>() && !facts.blocks.empty());
    facts.scaled = true;
  }
  facts.gap = read_law(json, "gap");
  return facts;
}

LayerFacts read_layer(const Json& json, const Layer& layer) {
  require_members(json, {"attention", "feedforward", "heads"});
  LayerFacts facts{read_mask(json, "attention"), read_mask(json, "feedforward"), {}};
  const auto& heads = layer.attention.heads;
  if (!json.contains("heads")) {
    require(heads.empty());
    return facts;
  }
  require(json["heads"].is_array() && json["heads"].size() == heads.size());
  for (std::size_t k = 0; k < heads.size(); ++k)
    facts.heads.push_back(read_head(json["heads"][k], heads[k].key.rows));
  return facts;
}

}  // namespace

double SeparationLaw::at(double size) const {
  if (!std::isfinite(size)) return 0;
  const mpq_class base(std::max(size, 1.0));  // a double is a rational
  mpq_class power = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) power *= base;
  // get_d cuts off, so a positive quotient is rounded down; beyond the range it is infinite.
  const double down = mpq_class(coefficient.to_mpq() / power).get_d();
  return std::clamp(down, 0.0, std::numeric_limits<double>::max());
}

PrecisionFacts no_facts(const Model& model) {
  PrecisionFacts facts;
  for (const Layer& layer : model.layers)
    facts.layers.emplace_back().heads.resize(layer.attention.heads.size());
  return facts;
}

JsonText facts_json(const PrecisionFacts& facts) {
  JsonTape tape;
  tape.open_array();
  for (const LayerFacts& layer : facts.layers) {
    tape.open_object();
    add_mask(tape, "attention", layer.attention);
    add_mask(tape, "feedforward", layer.feedforward);
    if (!layer.heads.empty()) {
      tape.add_key("heads");
      tape.open_array();
      for (const HeadFacts& head : layer.heads) add_head(tape, head);
      tape.close();
    }
    tape.close();
  }
  tape.close();
  JsonText json{""};
  tape.append_canonical(0, json.text);
  return json;
}

std::optional<PrecisionFacts> facts_in(const Model& model) {
  const Json derived = Json::parse(model.derived.text, nullptr, false);
  if (!derived.is_object() || !derived.contains("precision")) return std::nullopt;
  try {
    const Json& layers = derived["precision"];
    require(layers.is_array() && layers.size() == model.layers.size());
    PrecisionFacts facts;
    for (std::size_t l = 0; l < layers.size(); ++l)
      facts.layers.push_back(read_layer(layers[l], model.layers[l]));
    return facts;
  } catch (const Misfit&) {
    return std::nullopt;
  }
}

}  // namespace logdepth
