#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "library/exports/network.hpp"
#include "logdepth/export.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::exports {

/// A matrix as it is written: dense, row by row, every number rounded to the precision of the export.
struct FloatArray {
  std::size_t rows = 0, columns = 0;
  std::vector<double> numbers;
};
using FloatArrays = std::map<std::string, FloatArray>;

/// Errors: SizeLimit where a matrix has more than 2^26 numbers.
FloatArrays float_arrays(const Network& network);

/// The arrays, and beside each of them the exact weights, NAME.numerator and NAME.denominator.
/// Errors: ExportRefused where a numerator or denominator does not fit in 64 bits, naming the matrix.
SafeTensors tensors_of(const Network& network, const FloatArrays& arrays);

/// Random numbers.
struct Choice {
  std::mt19937_64 generator;
  /// 0 ... limit - 1; the same everywhere, which distributions of the library are not.
  std::uint64_t below(std::uint64_t limit) { return generator() % limit; }
};

/// Every word with every letter behind it.
std::vector<Letters> longer_words(const std::vector<Letters>& words, const Letters& alphabet);

/// An input, and its exact logits at every token: for whoever reads the arrays to try them.
struct ExportExample {
  Tokens tokens;
  std::vector<std::vector<double>> logits = {};
};

struct SelfTest {
  std::uint64_t inputs = 0, answers = 0;
  std::uint64_t exhaustive = 0;    ///< all words of at most that many letters are among the inputs
  std::uint64_t every_length = 0;  ///< and words of every length up to that one
  double largest_difference = 0;   ///< of named numbers from the exact ones
  std::vector<ExportExample> examples;
};

/// Evaluates the arrays on all short words, on powers of letters, on random words and on all their
/// prefixes (graphs with all pairs of vertices, divisions), and compares every answer with that of the exact run. Loops
/// are those of the input; `unrolled`: those of the longest one. Errors: ExportWrong naming the
/// input; ExportRefused for raw streams that nobody says anything of, and where the exact run answers
/// nothing.
SelfTest self_test(const Model& model, const Network& network, const FloatArrays& arrays,
                   std::uint64_t seed, bool unrolled);

struct TestedTemperature {
  double temperature;
  SelfTest test;
};

/// The least power of two, from 1 on, that passes the self-test as the temperature of every head;
/// the network then has it. Absent: none up to the largest finite one, at most 2^60. Tested, not
/// proved.
std::optional<TestedTemperature> tested_temperature(const Model& model, Network& network,
                                                    const FloatArrays& arrays, std::uint64_t seed,
                                                    bool unrolled);

/// A network, and its certificate of floating-point answers: bounds for every word up to its length.
struct CertifiedNetwork {
  Network network;
  nlohmann::json certificate;
};

/// The network of an export, with temperatures and tolerances by what recheck/float_recheck.py shows
/// of every word rather than by separation laws; `tested` is the least temperature, by halves, at which
/// it shows every answer. It is run by python3. Errors: as network_of and
/// choose_weighing; ExportWrong for what is not shown, naming layer and head; InputError where
/// python3 is missing.
CertifiedNetwork certified_network(const Model& model, const ExportSettings& settings);

/// The certificate as JSON. `tensors`: hash of model.safetensors, empty without an export.
std::string float_certificate(const CertifiedNetwork& certified, const std::string& tensors);

}  // namespace logdepth::exports
