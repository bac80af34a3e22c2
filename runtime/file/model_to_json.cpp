#include <string>

#include "base/overload.hpp"
#include "runtime/file/model_json.hpp"

namespace logdepth::inline runtime_file {
namespace {

class Writer {
 public:
  JsonTape model(const Model& m) {
    tape_.open_object();
    text("format", "logdepth-weights");
    integer("version", 1);
    text("name", m.name);
    text("construction", m.construction);
    text("source", m.source);
    texts("hypotheses", m.hypotheses);
    texts("deviations", m.deviations);
    open("parameters");
    members(m.parameters);
    tape_.close();
    texts("alphabet", m.alphabet);
    input(m.input);
    output(m.output);
    text("norm", norm_name(m.norm));
    integer("width", m.width);
    open("shape");
    integer("initial", m.shape.initial);
    integer("repeated", m.shape.repeated);
    integer("final", m.shape.final);
    tape_.close();
    unroll(m.unroll);
    position(m.position);
    open("embedding");
    for (const auto& [kind, vector] : m.embedding) sparse(kind, vector);
    tape_.close();
    open_list("layers");
    for (const Layer& layer : m.layers) add(layer);
    tape_.close();
    matrix("unembedding", m.unembedding);
    if (!m.cells.empty()) {
      open("cells");
      for (const auto& [name, cell] : m.cells) {
        open(name);
        integers("coordinates", cell.coordinates);
        text("type", cell.type);
        text("lifetime", cell.lifetime);
        tape_.close();
      }
      tape_.close();
    }
    if (m.derived != Derived{}) derived(m.derived);
    tape_.close();
    return std::move(tape_);
  }

 private:
  void open(std::string_view key) { tape_.add_key(key), tape_.open_object(); }
  void open_list(std::string_view key) { tape_.add_key(key), tape_.open_array(); }
  void text(std::string_view key, std::string_view value) {
    tape_.add_key(key), tape_.add_string(value);
  }
  void integer(std::string_view key, std::uint64_t value) {
    tape_.add_key(key), tape_.add_integer(static_cast<std::int64_t>(value));
  }
  void boolean(std::string_view key, bool value) { tape_.add_key(key), tape_.add_boolean(value); }
  void members(const OpenMembers& open) {
    for (const auto& member : open)
      std::visit(Overload{[&](const std::string& words) { text(member.first, words); },
                          [&](const JsonText& json) {
                            tape_.add_key(member.first), tape_.add_json(json.text, member.first);
                          }},
                 member.second);
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    open_list(key);
    for (const auto& value : values) tape_.add_string(value);
    tape_.close();
  }
  void list(const std::vector<std::uint32_t>& values) {
    tape_.open_array();
    for (const auto value : values) tape_.add_integer(value);
    tape_.close();
  }
  void integers(std::string_view key, const std::vector<std::uint32_t>& values) {
    tape_.add_key(key), list(values);
  }
  void lists(std::string_view key, const std::vector<std::vector<std::uint32_t>>& values) {
    open_list(key);
    for (const auto& value : values) list(value);
    tape_.close();
  }

  void list(const SparseVector& vector) {
    tape_.open_array();
    for (const auto& [index, value] : vector) {
      tape_.open_array();
      tape_.add_integer(index);
      tape_.add_string(value.text());
      tape_.close();
    }
    tape_.close();
  }
  void sparse(std::string_view key, const SparseVector& vector) {
    tape_.add_key(key), list(vector);
  }
  void matrix(std::string_view key, const SparseMatrix& m) {
    open(key);
    integer("rows", m.rows);
    integer("columns", m.columns);
    open_list("entries");
    for (const auto& [row, column, value] : m.entries) {
      tape_.open_array();
      tape_.add_integer(row);
      tape_.add_integer(column);
      tape_.add_string(value.text());
      tape_.close();
    }
    tape_.close();
    tape_.close();
  }

  void input(const Input& value) {
    open("input");
    std::visit(Overload{[&](const WordInput& word) {
                          text("kind", "word");
                          boolean("begin", word.begin);
                          if (word.end) boolean("end", true);
                        },
                        [&](const CellsInput& cells) {
                          text("kind", "cells");
                          texts("names", cells.names);
                          if (cells.mirrored) boolean("mirrored", true);
                        },
                        [&](const GraphInput& graph) {
                          const bool rows = graph.layout == GraphInput::Layout::rows;
                          text("kind", "graph");
                          text("layout", rows ? "rows" : "adjacency");
                          if (!rows) text("padding", padding_name(graph.padding));
                          if (graph.size) integer("size", *graph.size);
                          if (graph.mirrored) boolean("mirrored", true);
                        }},
               value);
    tape_.close();
  }
  void prefix(const PrefixReadout& value) {
    std::visit(Overload{[](std::monostate) {},
                        [&](const TransformationReadout& readout) {
                          open("prefix");
                          text("kind", "transformation");
                          integer("points", readout.points);
                          lists("images", readout.images);
                          integer("first_row", readout.first_row);
                          tape_.close();
                        },
                        [&](const ElementReadout& readout) {
                          open("prefix");
                          text("kind", "element");
                          lists("elements", readout.elements);
                          integer("first_row", readout.first_row);
                          tape_.close();
                        },
                        [&](const StateReadout& readout) {
                          open("prefix");
                          text("kind", "state");
                          integer("states", readout.states);
                          integer("first_row", readout.first_row);
                          tape_.close();
                        }},
               value);
  }
  void output(const Output& value) {
    open("output");
    std::visit(Overload{[&](const AcceptOutput& accept) {
                          text("kind", "accept");
                          integer("accept", accept.accept);
                          integer("reject", accept.reject);
                          prefix(accept.prefix);
                        },
                        [&](const CellsOutput& cells) {
                          text("kind", "cells");
                          texts("names", cells.names);
                        },
                        [&](const RelationOutput&) { text("kind", "relation"); }},
               value);
    tape_.close();
  }
  void unroll(const Unroll& value) {
    open("unroll");
    if (value.kind == Unroll::Kind::fixed) {
      text("kind", "fixed");
      integer("loops", value.loops);
    } else {
      text("kind", value.base == 2 ? "ceil_log2" : "ceil_log");
      if (value.base != 2) integer("base", value.base);
      text("of", value.kind == Unroll::Kind::ceil_log2_letters ? "letters" : "vertices");
      integer("minus", value.minus);
    }
    if (value.max_length) integer("max_length", *value.max_length);
    tape_.close();
  }
  void position(const Position& value) {
    open("position");
    text("kind", position_name(value));
    std::visit(Overload{[&](const FirstFlagPosition& flag) {
                          sparse("first", flag.first);
                          sparse("rest", flag.rest);
                        },
                        [&](const CodePosition& code) {
                          if (code.code.kind == PositionCode::Kind::fine)
                            integer("offset", code.code.parameter);
                          if (!code.parity.empty()) sparse("parity", code.parity);
                          open_list("fills");
                          for (const CodeFill& fill : code.fills) {
                            tape_.open_object();
                            integers("at", fill.at);
                            integer("back", fill.back);
                            text("scale", fill.scale.text());
                            tape_.close();
                          }
                          tape_.close();
                        },
                        [&](const TablePosition& table) {
                          open_list("rows");
                          for (const SparseVector& row : table.rows) list(row);
                          tape_.close();
                        }},
               value);
    tape_.close();
  }

  void contract(const Contract& value) {
    open("promise");
    std::visit(Overload{[&](const UniformContract&) { text("kind", "uniform"); },
                        [&](const MatchContract& match) {
                          text("kind", "match");
                          text("selects", match.exactly_one ? "exactly-one" : "at-least-one");
                        },
                        [&](const RightmostContract& rightmost) {
                          text("kind", "rightmost");
                          sparse("flag", rightmost.flag);
                        },
                        [&](const FlaggedContract& flagged) {
                          text("kind", "flagged");
                          sparse("flag", flagged.flag);
                          if (flagged.when) sparse("when", *flagged.when);
                        },
                        [&](const FindContract& find) {
                          text("kind", "find");
                          integer("terms", find.terms);
                          boolean("prefer", find.prefer);
                          text("selects", find.exactly_one ? "exactly-one" : "at-least-one");
                        },
                        [&](const RelatedContract& related) {
                          text("kind", "related");
                          open_list("pairs");
                          for (const RelatedContract::Pair& pair : related.pairs)
                            list(std::vector<std::uint32_t>{pair.query, pair.key});
                          tape_.close();
                          sparse("prefer", related.prefer);
                        }},
               value);
    tape_.close();
  }
  void add(const Head& head) {
    tape_.open_object();
    boolean("causal", head.causal);
    matrix("query", head.query);
    matrix("key", head.key);
    matrix("value", head.value);
    matrix("output", head.output);
    contract(head.contract);
    tape_.close();
  }
  void add(const Layer& layer) {
    tape_.open_object();
    text("block", layer.block == Block::initial    ? "initial"
                  : layer.block == Block::repeated ? "repeated"
                                                   : "final");
    open("attention");
    sparse("mask", layer.attention.mask);
    open_list("heads");
    for (const Head& head : layer.attention.heads) add(head);
    tape_.close();
    tape_.close();
    open("feedforward");
    sparse("mask", layer.feedforward.mask);
    matrix("in", layer.feedforward.in);
    matrix("out", layer.feedforward.out);
    tape_.close();
    tape_.close();
  }

  void law(std::string_view key, const std::optional<SeparationLaw>& law) {
    if (!law) return;
    open_list(key);
    tape_.add_string(law->coefficient.text());
    tape_.add_integer(law->exponent);
    tape_.close();
  }
  void facts(std::string_view key, const MaskFacts& mask) {
    if (mask == MaskFacts{}) return;
    open(key);
    if (mask.scale) text("scale", mask.scale->text());
    law("zero", mask.zero);
    tape_.close();
  }
  void add(const HeadFacts& head) {
    tape_.open_object();
    if (!head.blocks.empty()) {
      open_list("blocks");
      for (const KeyBlock& block : head.blocks) {
        tape_.open_object();
        integers("rows", block.rows);
        text("square", block.square.text());
        tape_.close();
      }
      tape_.close();
    }
    if (head.scaled) boolean("scaled", true);
    law("gap", head.gap);
    tape_.close();
  }
  void derived(const Derived& value) {
    open("derived");
    members(value.others);
    if (value.depth) text("depth", *value.depth);
    if (value.precision) {
      open_list("precision");
      for (const LayerFacts& layer : value.precision->layers) {
        tape_.open_object();
        facts("attention", layer.attention);
        facts("feedforward", layer.feedforward);
        if (!layer.heads.empty()) {
          open_list("heads");
          for (const HeadFacts& head : layer.heads) add(head);
          tape_.close();
        }
        tape_.close();
      }
      tape_.close();
    }
    if (value.program) text("program", *value.program);
    tape_.close();
  }

  JsonTape tape_;
};

}  // namespace

JsonTape model_to_json(const Model& model) {
  return Writer().model(model);
}

}  // namespace logdepth::inline runtime_file
