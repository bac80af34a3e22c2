#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Programs and models of others that tests compare with; tests/install_peers.sh installs them.
namespace logdepth::support {

inline constexpr const char* kInstallPeers =
    "peer programs are missing: run tests/install_peers.sh, or say where they are by "
    "LOGDEPTH_PEERS";

/// The Python that has their packages; where they are not installed the one that tests run.
std::string peers_python();

/// The GGUF file of SmolLM2-135M-Instruct; absent where it is not installed.
std::optional<std::string> smollm2_file();

using TokenLists = std::vector<std::vector<std::int32_t>>;
struct PeerQuestion {
  std::string model;  ///< a GGUF file or a folder
  TokenLists prompts;
  std::size_t tokens = 0;  ///< that are to follow each
};
struct PeerAnswer {
  TokenLists continuations;
  std::vector<std::vector<float>> logits;  ///< of every prompt's last token
};
/// What transformers makes of language models; absent where it is not installed. A peer that fails
/// is a failure of the test.
std::optional<std::vector<PeerAnswer>> ask_transformers(const std::vector<PeerQuestion>& questions);

}  // namespace logdepth::support
