#pragma once

// A certificate for the library of proofs-check/coq: for every layer what its heads select, both norms and the stream after it, as forms
// over the labels of one finite monoid or, of a cascade, over the nodes of a finite machine that reads the word. Nothing here is
// trusted, logdepth-prove runs `check` on it.

#include <string>

#include "recheck/weights.hpp"

namespace logdepth { inline namespace proofs_check_certify {

/// What logdepth-prove (proofs-check/proved) reads beside the weights file, of a file that recheck certifies by this certificate and
/// theorem: the theorem, and a certificate of its own. recheck::Refused where recheck or the library does not cover the file.
std::string coq_text(const std::string& theorem, const recheck::Weights& weights,
                     const std::string& certificate);
/// Of graphs given row by row: the theorem alone, since the checker needs no certificate. Nothing is checked here.
std::string coq_text_of_rows(const recheck::Weights& weights);

}}  // namespace logdepth::proofs_check_certify
