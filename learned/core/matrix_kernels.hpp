#pragma once

#include <string>
#include <string_view>

namespace logdepth::inline learned_core {

/// Vectors that a processor computes with.
enum class VectorWidth { other, bits256, bits512 };

/// The kernels of OpenBLAS to ask for on a processor with such vectors, where it took `taken` by
/// itself; empty where those are as wide. A version of OpenBLAS takes narrow ones on processors that
/// are newer than it.
std::string_view wider_kernels(std::string_view taken, VectorWidth processor);

/// Starts the program anew where OpenBLAS, if it is the library behind matrix products, took kernels
/// narrower than this processor's vectors, and the environment does not say which to take:
/// OPENBLAS_CORETYPE is read when the library is loaded, before a program's first line.
void choose_matrix_kernels(char** argv);

/// The kernels of OpenBLAS that are in use, as "SkylakeX"; empty of other libraries.
std::string matrix_kernels();

}  // namespace logdepth::inline learned_core
