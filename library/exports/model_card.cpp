#include "library/exports/model_card.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"

namespace logdepth::exports {
namespace {

using nlohmann::json;

/// Text of the file between backticks: none of its characters ends them or a cell of a table.
std::string code(const std::string& text) {
  std::string shown = printable(text, kMostPrinted);
  for (char& c : shown)
    if (c == '`' || c == '|') c = '\'';
  return "`" + shown + "`";
}

std::string row(const std::string& key, const std::string& value) {
  return fmt::format("| {} | {} |\n", key, value);
}

bool is_causal(const json& config) {
  const json& layers = config.at("layers");
  return std::all_of(layers.begin(), layers.end(), [](const json& layer) {
    const json& heads = layer.at("attention").at("heads");
    return std::all_of(heads.begin(), heads.end(),
                       [](const json& head) { return head.at("causal").get<bool>(); });
  });
}

std::string kind_of(const json& config) {
  return config.at("input").at("kind").get<std::string>();
}

std::string input_text(const json& config) {
  const json& input = config.at("input");
  const std::string kind = kind_of(config);
  const auto length = config.at("length").get<std::uint64_t>();
  if (kind == "word") {
    std::vector<std::string> letters;
    for (const json& letter : config.at("alphabet")) letters.push_back(code(letter));
    return fmt::format("words of at most {} over {}{}{}", counted(length, "letter"),
                       joined(letters, " "),
                       input.value("begin", false) ? ", after a token `<begin>`" : "",
                       input.value("end", false) ? ", before a token `<end>`" : "");
  }
  if (kind == "graph")
    return fmt::format("directed graphs of at most {}, as {}",
                       counted(length, "vertex", "vertices"),
                       input.at("layout") == "rows" ? "rows of the adjacency matrix"
                                                    : "tokens of the adjacency matrix");
  std::vector<std::string> names;
  for (const json& name : input.at("names")) names.push_back(code(name));
  return fmt::format("raw streams of at most {}, with the values {}", counted(length, "token"),
                     joined(names));
}

std::string answer_text(const json& config) {
  const json& output = config.at("output");
  const std::string kind = output.at("kind");
  if (kind == "relation")
    return "token i, row j: above 0 if vertex j is reached from vertex i (`relation`)";
  if (kind == "cells") {
    std::vector<std::string> names;
    for (const json& name : output.at("names")) names.push_back(code(name));
    return "numbers of every token: " + joined(names) + " (`numbers`)";
  }
  std::string text = fmt::format("last token: accepted if row {} is larger than row {} (`verdict`)",
                                 output.at("accept").get<int>(), output.at("reject").get<int>());
  if (output.contains("prefix"))
    text += "; every letter: " +
            std::string(output.at("prefix").at("kind") == "state" ? "the state after"
                                                                  : "the product of") +
            " the letters so far (`prefixes`)";
  return text;
}

std::string padding_text(const json& config) {
  if (kind_of(config) != "word") return "none: run inputs one by one, or with equal sizes";
  if (!is_causal(config)) return "none: a head is not causal; run words of equal lengths together";
  if (config.at("unrolled").get<bool>() || config.at("unroll").at("kind") == "fixed")
    return "on the right, with any token; read at the word's own tokens (`batch`)";
  return "none: the number of iterations follows from the length; run words of equal lengths "
         "together";
}

/// An input that the export takes, as a Python value.
std::string example_of(const json& config) {
  const std::string kind = kind_of(config);
  if (kind == "graph") return config.at("input").at("layout") == "rows" ? "[[1]]" : "([[1]], 0, 0)";
  if (kind == "cells") return json(config.at("examples").at(0).at("given")).dump();
  // A list of one letter; json escapes it as Python reads it.
  return "[" + config.at("alphabet").at(0).dump(-1, ' ', true) + "]";
}

std::string opening(const json& config, ExportTarget target) {
  const std::string example = example_of(config);
  switch (target) {
    case ExportTarget::torch:
      return "import logdepth_torch\n\nnetwork = "
             "logdepth_torch.load(\".\")\nprint(network.answer(" +
             example + ").tolist())\n";
    case ExportTarget::transformer_lens:
      return "import logdepth_lens\n\nbridge = logdepth_lens.load(\".\")\n"
             "print(bridge.logdepth.answer(" +
             example + ").tolist())\n";
    case ExportTarget::safetensors:
      return "import json\nfrom safetensors.numpy import load_file\n\n"
             "config = json.load(open(\"config.json\"))\n"
             "print(load_file(\"model.safetensors\")[\"unembedding\"].shape)\n";
    case ExportTarget::onnx:
      break;
  }
  return "import json, types\nimport numpy, onnxruntime\n\n"
         "session = onnxruntime.InferenceSession(FILE)\n"
         "entries = session.get_modelmeta().custom_metadata_map\n"
         "config, answers = json.loads(entries[\"logdepth\"]), types.ModuleType(\"answers\")\n"
         "exec(entries[\"logdepth_answers.py\"], answers.__dict__)\n"
         "print(session.run([\"logits\"], answers.feeds(config, " +
         example + ", numpy))[0][0].tolist())\n";
}

std::string known(const json& config, bool certificate) {
  const json& tested = config.at("tested");
  std::string text = fmt::format(
      "- Tested before writing: {} answers of {} inputs are those of the exact run",
      tested.at("answers").get<std::uint64_t>(), tested.at("inputs").get<std::uint64_t>());
  if (kind_of(config) == "word")
    text += fmt::format("; all words of at most {} are among them",
                        counted(tested.at("all_words_to_length").get<std::uint64_t>(), "letter"));
  text += ".\n";
  text += config.at("certified").at("to_length").is_null()
              ? "- Not proved: that every head selects what the exact run selects.\n"
              : "- Proved: every head that reads the exact stream, rounded, selects what the exact "
                "run selects, up to the length.\n";
  text += certificate ? "- Certified: every answer up to the length (`certificate.json`; "
                        "recheck/float_recheck.py of logdepth confirms it).\n"
                      : "- Not proved: that every answer is that of the exact run.\n";
  return text + "- Longer inputs are rejected. Equal logits are undecided and no answer.\n";
}

}  // namespace

std::string model_card(const json& config, ExportTarget target, bool certificate) {
  std::string card = fmt::format("# {}\n\n", code(config.at("name")));
  card +=
      "A transformer that was compiled, not trained: its weights follow from a construction, and "
      "every\nactivation has a known meaning. The exact network is the weights file with this "
      "SHA-256.\n\n| | |\n|---|---|\n";
  card += row("construction", code(config.at("construction")));
  card += row("source", code(config.at("source")));
  card += row("SHA-256", code(config.at("sha256")));
  card += row("input", input_text(config));
  card += row("answer", answer_text(config));
  card += row("padding", padding_text(config));
  card +=
      row("numbers", fmt::format("{}, {} attention, width {}, {} of the repeated block",
                                 config.at("precision").get<std::string>(),
                                 config.at("attention") == "hard" ? "averaging-hard" : "softmax",
                                 config.at("width").get<std::uint64_t>(),
                                 counted(config.at("loops").get<std::uint64_t>(), "loop")));
  card += fmt::format(
      "\nNames of dimensions, tokens and logits are in the configuration (`residual`, `tokens`, "
      "`logits`).\nNames in brackets are functions of "
      "`logdepth_answers.py`.\n\n```python\n{}```\n\n{}",
      opening(config, target), known(config, certificate));
  return card;
}

}  // namespace logdepth::exports
