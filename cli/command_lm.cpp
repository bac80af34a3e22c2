#include <fmt/core.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_tape.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/validators.hpp"
#include "learned/jobs/training_program.hpp"
#include "learned/language_model/measurement_figures.hpp"
#include "learned/language_model/model_file.hpp"
#include "learned/language_model/model_measurements.hpp"
#include "learned/language_model/model_request.hpp"
#include "learned/language_model/save_language_model.hpp"
#include "learned/report/report_files.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct LmArguments {
  ModelRequest request;
  std::string out, device = "cpu";
  std::size_t threads = 1;
  bool json = false;
};

void add_model(CLI::App& command, LmArguments& options) {
  command
      .add_option("MODEL", options.request.model,
                  "language model: a GGUF file, a folder with config.json and safetensors, or the "
                  "folder of a training run on text")
      ->required();
}

void add_text_options(CLI::App& command, LmArguments& options, const char* text_help) {
  command.add_option("--text", options.request.text, text_help);
  command
      .add_option("--sequences", options.request.sequences,
                  "largest number of sequences to read from the text")
      ->check(CLI::Range(2, 10000000))
      ->capture_default_str();
  command.add_option("--length", options.request.length, "sequence length in tokens")
      ->check(CLI::Range(2, 1 << 24))
      ->capture_default_str();
}

void add_run_options(CLI::App& command, LmArguments& options) {
  command.add_option("--device", options.device, "device to run on")
      ->check(choice_of({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", options.threads, "threads for tensor operations")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
}

/// The documentation that came with the program: where it is installed, or in the folder that it was
/// built from.
std::string shipped_text() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {LOGDEPTH_PAGES_FROM_PROGRAM, "../../docs"})
    if (const fs::path folder = (program / place).lexically_normal(); fs::is_directory(folder))
      return folder.string();
  throw InputError(
      "--text: expected a file; the documentation of logdepth was not found next to the program");
}

/// Requests and answers are JSON.
void expect_utf8(const char* option, const std::string& text) {
  if (!is_utf8(text))
    throw InputError(std::string(option) + ": expected UTF-8, found " + in_quotes(text));
}

/// Asks the program that has libtorch; its exit status where it is not 0 (it has said why itself).
std::pair<int, ordered_json> answer(const LmArguments& options, const std::string& what) {
  expect_utf8("--prompt", options.request.prompt);
  expect_utf8("--text", options.request.text);
  expect_utf8("the model's name", options.request.model);
  Progress line(what, "passes");
  const ProgramOutput output = output_of_training_program(
      {"--lm", to_json(options.request).dump(), "--device", options.device, "--threads",
       std::to_string(options.threads)},
      [&](std::size_t done, std::size_t total) { line.update(done, total); });
  if (output.status != kDone) return {output.status, {}};
  return {kDone, ordered_json::parse(output.text)};
}

std::string encodings_text(const LanguageModelFile& file) {
  std::vector<std::string> parts;
  for (const auto& [encoding, arrays] : file.encodings())
    parts.push_back(fmt::format("{} {}", arrays, encoding));
  return joined(parts);
}

/// "30", or "3-2*2-3" of a run with loops.
std::string layers_text(const ModelConfig& model) {
  if (model.repeated == 0) return std::to_string(model.initial + model.final);
  const bool fixed = model.loops.kind == LoopRule::Kind::fixed;
  return fmt::format("{}-{}*{}-{}", model.initial, model.repeated,
                     fixed ? std::to_string(model.loops.least) : "k", model.final);
}

ordered_json shape_json(const LanguageModelFile& file) {
  const ModelConfig& model = file.model();
  ordered_json shape = {
      {"path", file.path()},
      {"architecture", file.architecture()},
      {"layers", model.layers()},
      {"shape", layers_text(model)},
      {"width", model.width},
      {"heads", model.heads},
      {"key_value_heads", model.key_value_heads == 0 ? model.heads : model.key_value_heads},
      {"hidden", model.hidden},
      {"norm_epsilon", model.norm_epsilon},
      {"norm_place", model.norm_place == ModelConfig::NormPlace::before ? "before" : "after"},
      {"query_key_norm", model.query_key_norm},
      {"rotary_base", model.rotary_base},
      {"rotary_pairs",
       model.rotary_pairs == ModelConfig::RotaryPairs::halves ? "halves" : "neighbours"},
      {"context", file.context()},
      {"vocabulary", file.vocabulary()},
      {"tied_readout", model.tied_readout},
      {"parameters", file.parameter_count()},
      {"encodings", ordered_json(file.encodings())}};
  return shape;
}

void print_line(const std::string& key, const std::string& value) {
  std::cout << fmt::format("{:<14}{}\n", printable(key), printable(value, kMostPrinted));
}

void print_shape(const LanguageModelFile& file) {
  const ordered_json shape = shape_json(file);
  const ModelConfig& model = file.model();
  print_line("architecture", file.architecture());
  print_line("layers", fmt::format("{}, width {}, {} heads, {} of keys and values, SwiGLU {}",
                                   layers_text(model), model.width, model.heads,
                                   shape["key_value_heads"].get<std::uint32_t>(), model.hidden));
  print_line("norms", fmt::format("RMSNorm {} the sublayers, epsilon {:.6g}{}",
                                  shape["norm_place"].get<std::string>(), model.norm_epsilon,
                                  model.query_key_norm ? ", queries and keys normed" : ""));
  print_line("positions",
             fmt::format("rotary, base {:.6g}, pairs of {}, context {}", model.rotary_base,
                         shape["rotary_pairs"].get<std::string>(), file.context()));
  print_line("vocabulary", fmt::format("{} tokens, {} readout", file.vocabulary(),
                                       model.tied_readout ? "the embedding is the" : "a separate"));
  print_line("parameters", fmt::format("{}, {:.1f} MiB as floats", file.parameter_count(),
                                       static_cast<double>(file.bytes_in_float()) / (1 << 20)));
  print_line("arrays", encodings_text(file));
}

std::string text_text(const ordered_json& text) {
  return fmt::format("{:.4f} ± {:.4f} per token of {} ({} sequences of {} tokens)",
                     text.at("loss").get<double>(), text.at("standard_error").get<double>(),
                     text.at("name").get<std::string>(), text.at("sequences").get<std::size_t>(),
                     text.at("length").get<std::size_t>());
}

/// A text of any bytes on one line.
std::string quoted(const std::string& text) {
  return ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void print_prompt(const ordered_json& prompt) {
  std::vector<std::string> next;
  for (const ordered_json& token : prompt.at("next"))
    next.push_back(fmt::format("{} {:.3f}", quoted(token.at("text").get<std::string>()),
                               token.at("probability").get<double>()));
  print_line("next token", joined(next));
  print_line("continuation", quoted(prompt.at("continuation_text").get<std::string>()));
}

int load(const LmArguments& options) {
  const LanguageModelFile file(options.request.model);
  ordered_json answered = ordered_json::object();
  if (!options.request.text.empty() || !options.request.prompt.empty()) {
    int status = kDone;
    std::tie(status, answered) = answer(options, "loss per token");
    if (status != kDone) return status;
  }
  if (options.json) {
    ordered_json all = shape_json(file);
    all.update(answered);
    std::cout << all.dump(1) << '\n';
    return kDone;
  }
  print_shape(file);
  if (answered.contains("text")) print_line("loss", text_text(answered["text"]));
  if (answered.contains("prompt")) print_prompt(answered["prompt"]);
  return kDone;
}

int save(const LmArguments& options) {
  save_language_model(LanguageModelFile(options.request.model), options.out);
  std::cerr << "wrote " << options.out << '\n';
  return kDone;
}

/// A measurement as it is printed and written.
struct Pages {
  std::string name, text;
  ordered_json json;
  std::string csv, svg;
};

std::string model_line(const MeasuredModel& model, const MeasuredText& text) {
  return fmt::format("{}, {} layers; {} sequences of {} tokens of {}\n", model.name, model.layers,
                     text.sequences, text.length, text.name);
}

Pages angular_pages(const AngularDistances& measured) {
  Pages pages{"angular", "", to_json(measured), angular_csv(measured),
              picture_svg(angular_picture("", {measured}))};
  pages.text = model_line(measured.model, measured.text) + "layer  distance  standard error\n";
  for (std::size_t layer = 0; layer < measured.distances.size(); ++layer)
    pages.text += fmt::format("{:>5}  {:8.4f}  {:14.4f}\n", layer, measured.distances[layer],
                              measured.standard_errors[layer]);
  const LayerCut cut = measured.cut();
  const auto by = [](bool knee) { return knee ? "a knee" : "the fraction of the published cut"; };
  pages.text += fmt::format("cut {}: the encoder by {}, the decoder by {}\n", layer_cut_text(cut),
                            by(cut.encoder_knee), by(cut.decoder_knee));
  return pages;
}

Pages loops_pages(const LoopsWithoutTraining& measured) {
  Pages pages{"loops", "", to_json(measured), loops_csv(measured),
              picture_svg(model_loops_picture("", {{measured, std::nullopt}}))};
  pages.text = model_line(measured.model, measured.text);
  pages.text += fmt::format("{:<14}{:.4f} ± {:.4f} per token\n", "plain", measured.loss,
                            measured.standard_error);
  for (const LoopedShape& shape : measured.shapes)
    pages.text +=
        fmt::format("{:<14}{:.4f} ± {:.4f}, {:+.4f} ± {:.4f}\n", looped_shape_text(shape),
                    shape.loss, shape.standard_error, shape.difference, shape.difference_error);
  return pages;
}

int show(const Pages& pages, const LmArguments& options) {
  const std::string json = pages.json.dump(1) + "\n";
  if (!options.out.empty()) {
    const std::vector<std::string> files =
        write_report_files({{pages.name + ".csv", pages.csv},
                            {pages.name + ".svg", pages.svg},
                            {pages.name + ".measurement.json", json}},
                           options.out);
    std::cerr << "wrote " << joined(files) << " to " << options.out << '\n';
  }
  std::cout << (options.json ? json : pages.text);
  return kDone;
}

int measure(LmArguments options, const std::string& what, Pages (*pages_of)(const ordered_json&)) {
  if (!options.out.empty() && fs::exists(options.out) && !fs::is_directory(options.out))
    throw InputError("--out: expected a folder, found the file " + options.out);
  if (options.request.text.empty()) options.request.text = shipped_text();
  const auto [status, answered] = answer(options, what);
  return status == kDone ? show(pages_of(answered), options) : status;
}

void add_measured_text(CLI::App& command, LmArguments& options) {
  add_model(command, options);
  add_text_options(command, options,
                   "text file or folder (default: the documentation of logdepth)");
}

/// The options that follow those of the measurement itself, and what runs it.
Command add_measurement(CLI::App& command, const std::shared_ptr<LmArguments>& options,
                        const char* what, Pages (*pages_of)(const ordered_json&)) {
  const std::string name = command.get_name();
  command.add_option("--out", options->out,
                     fmt::format("write {}.csv, .svg and .measurement.json to this folder", name));
  add_run_options(command, *options);
  command.add_flag("--json", options->json, "print one JSON object");
  return [options, what, pages_of] { return measure(*options, what, pages_of); };
}

}  // namespace

Command add_lm_load(CLI::App& lm) {
  auto options = std::make_shared<LmArguments>();
  CLI::App* command =
      lm.add_subcommand("load",
                        "print the shape of a language model, its loss on a text and its "
                        "continuation of a prompt\nExample: logdepth lm load model.gguf --text "
                        "docs --prompt 'The capital of Germany is'");
  add_model(*command, *options);
  add_text_options(*command, *options, "text file or folder; prints the loss per token (nats)");
  command->add_option("--prompt", options->request.prompt, "prompt to continue");
  command
      ->add_option("--tokens", options->request.tokens,
                   "number of tokens of the continuation (greedy decoding)")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  add_run_options(*command, *options);
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return load(*options); };
}

Command add_lm_save(CLI::App& lm) {
  auto options = std::make_shared<LmArguments>();
  CLI::App* command =
      lm.add_subcommand("save",
                        "write a language model as a folder for Hugging Face transformers: "
                        "config.json, model.safetensors (F32), tokenizer.json");
  add_model(*command, *options);
  command->add_option("--out", options->out, "folder to write")->required();
  return [options] { return save(*options); };
}

Command add_lm_angular(CLI::App& lm) {
  const auto options = std::make_shared<LmArguments>();
  options->request.ask = ModelRequest::Ask::angular;
  CLI::App* command = lm.add_subcommand(
      "angular",
      "measure the angle by which each layer turns the residual stream of the last token, and the "
      "cut into encoder, thinking block and decoder (Kneedle)");
  add_measured_text(*command, *options);
  return add_measurement(*command, options, "angular distances", [](const ordered_json& json) {
    return angular_pages(angular_distances_from_json(json, "logdepth-train"));
  });
}

Command add_lm_loops(CLI::App& lm) {
  const auto options = std::make_shared<LmArguments>();
  options->request.ask = ModelRequest::Ask::loops;
  options->request.sequences = 12;
  CLI::App* command =
      lm.add_subcommand("loops",
                        "measure the loss per token of the untrained model with a repeated block "
                        "of its layers, for every position of the block");
  add_measured_text(*command, *options);
  command
      ->add_option("--blocks", options->request.blocks, "numbers of layers of the block, as 4,10")
      ->delimiter(',')
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  command
      ->add_option("--loops", options->request.loops, "numbers of iterations of the block, as 2,3")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  return add_measurement(*command, options, "looped blocks", [](const ordered_json& json) {
    return loops_pages(loops_from_json(json, "logdepth-train"));
  });
}

}  // namespace logdepth::inline cli
