#pragma once

#include <string>

#include "proofs-check/certify/coq_resets.hpp"

namespace logdepth::inline proofs_check_certify {

/// The file, its certificate and the theorem as text for Coq. recheck::Refused where the library has no words for the file.
std::string print_coq(const recheck::Weights& weights, const CoqCertificate& certificate,
                      const recheck::Theorem& theorem);
std::string print_coq(const recheck::Weights& weights, const CoqResets& certificate,
                      const recheck::Theorem& theorem);
/// The same of a file of rows that recheck has proved; it takes no certificate.
std::string print_coq_rows(const recheck::Weights& weights);

}  // namespace logdepth::inline proofs_check_certify
