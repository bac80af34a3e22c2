#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "logdepth/compile.hpp"

namespace logdepth {

/// What an export is written for.
enum class ExportTarget {
  torch,             ///< a folder: weights, config.json and a torch.nn.Module that reads them
  safetensors,       ///< a folder: weights and config.json alone
  onnx,              ///< one file: the graph for inputs up to the length
  transformer_lens,  ///< a folder: weights, config.json and what makes a TransformerBridge of them
  circuit            ///< a folder: who reads what of whom, exactly, as data (docs/circuits.md)
};

/// How heads weigh what they see.
enum class ExportAttention {
  separated,    ///< softmax, at the temperature that the proved separations ask for
  hard,         ///< averaging-hard: the largest scores, equal up to what rounding loses
  temperature,  ///< softmax of a temperature of the user's
  /// Softmax of the least power of two that passes the self-test; nothing is proved. With `certify`, of the least,
  /// by halves, at which bounds prove every answer.
  tested
};

/// What is exported, and for which inputs.
struct ExportSettings {
  ExportTarget target = ExportTarget::torch;  ///< who is to run it
  /// Letters of the longest word, vertices of the largest graph, or tokens of the longest stream.
  std::uint64_t length = 0;
  ExportAttention attention = ExportAttention::separated;  ///< softmax, or not
  double temperature = 0;  ///< softmax(temperature * scores); read for `temperature` only
  bool single = false;     ///< float32 instead of float64
  std::uint64_t seed = 1;  ///< of the random inputs of the self-test
  /// Bounds for every word up to the length, as certificate.json in the folder; not for onnx. The
  /// temperatures and tolerances follow from them. They are computed by the program python3.
  bool certify = false;
  /// Of circuit: pairs of words that differ in one letter and in the verdict; 0 for networks without one.
  std::uint64_t pairs = 64;
  /// Of circuit: edges act through norms of the weights file, in place of those of the exports, in which proved
  /// scales are constant.
  bool file_norms = false;
};

/// What was written, and what is known of it.
struct ExportReport {
  std::optional<double> temperature;  ///< the highest of a head; absent: averaging-hard
  std::uint64_t loops = 0;            ///< of the repeated block at this length
  std::uint64_t tokens = 0;           ///< of the longest input
  std::uint64_t inputs = 0;           ///< of the self-test, every answer right
  std::uint64_t answers = 0;          ///< that were compared with those of the exact run
  /// Every head is proved to select, up to that length, what the exact one selects; the rest of the
  /// export is tested.
  bool separated = false;
  bool certified = false;  ///< certificate.json is in the folder
  std::string text;        ///< all of it in a sentence
};

/// A target cannot say it, or not at that length; the sentence names what. The program exits with 3.
class ExportRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The self-test found an input on which the numbers to be written answer differently from the exact
/// run, or a certificate that was asked for is not shown; nothing was written. The program exits
/// with 1.
class ExportWrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes the transformer for other programs to `path`, a folder or (onnx) a file, after its
/// self-test: the arrays that are to be written are evaluated on short words, on random ones and on
/// all their prefixes, and give the answers of the exact run. Errors: ExportRefused, ExportWrong;
/// InputError for a length of 0 or beyond the file's own limit, a temperature that is none, a path
/// that cannot be written, or a certificate without python3; SizeLimit.
ExportReport export_network(const Transformer& transformer, const ExportSettings& settings,
                            const std::string& path);

/// The circuit of a network that reads words, for all words of at most so many letters: the text of
/// circuit.json. Errors: InputError for a network that reads no words, and for a length that is none.
std::string circuit(const Transformer& transformer, std::uint64_t letters, bool file_norms = false);

}  // namespace logdepth
