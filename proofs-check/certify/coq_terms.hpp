#pragma once

// Terms of a certificate for proofs-check/coq, as the JSON that logdepth-prove reads: places and numbers of atoms (Atoms.v), norms, heads,
// stages, the automaton. Used by coq_certificate.cpp alone.

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "recheck/class_heads.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"

namespace logdepth { inline namespace proofs_check_certify { namespace coq {

using nlohmann::json;
using recheck::Atom;
using recheck::Cell;
using recheck::Form;
using recheck::Frame;
using recheck::Images;
using recheck::kOne;
using recheck::need;
using recheck::own;
using recheck::Row;
using recheck::Shift;
using recheck::Stream;
using recheck::value_in;
using Cells = std::vector<Cell>;
using Places = std::set<Cell>;  ///< the cells that have a place in Atoms.v

inline const json kZero = {"zero"};  ///< a norm
inline const json kIdle = {"idle"};  ///< a head

/// x, then the map.
Images followed_by(const Images& x, const Images& map);
/// The number of the images in the list.
int place_of(const std::vector<Images>& list, const Images& images);

json shift_json(Shift b);
/// Rows of constants, by label or node; forms whose atoms are the same for all of them; and the places of the atoms.
json stage_json(json places, const std::vector<Row>& constants, json parts);
json layer_json(json heads, json attention, json feedforward);

/// Adds the places of a form that is read `by` positions back.
void see(const Form& form, Shift by, Places& places);
Places places_of(const Stream& h);
/// The own position comes first.
Cells listed(Places places);
int block_of(const Cells& places, const Cell& cell);
/// The number of a component of a place.
int number_of(const Cells& places, const Cell& cell, int component);
/// The numbers of a direction, with the weights of their squares.
const recheck::Weighted& numbers_of(const Frame& frame, const Cell& direction);

/// A head that selects the position at shift b by its code, with the factors of the scores of both unit pairs.
json match(const recheck::Bilinear& scores, const Cells& places, Shift b);
/// The factor of a norm, from the sum of squares at one token: the kernel checks all of them. `is_one` says which components
/// of one-hots are 1 there, the others are 0.
json norm_json(Frame& frame, const Row& mask, const Stream& h, const Cells& places,
               const std::function<bool(const Atom&)>& is_one, const std::string& where);
/// The automaton of the theorem: its own states, or a state for each of these products, the identity first.
json automaton_json(const recheck::Automaton& automaton, bool states,
                    const std::vector<Images>& products);
/// The position code.
json coding(const Frame& frame);

// Of tokens of finitely many classes.

Places places_of_all(const recheck::ByClass& streams);
json norm_of_classes(Frame& frame, const Row& mask, const recheck::ByClass& streams,
                     const Cells& places, const std::string& where);
/// The streams of nodes: constants of each, and one form of the position and of counts.
json stage_of_nodes(const std::vector<const Stream*>& streams, const Cells& places,
                    json listed_places, const std::string& where);
/// What an average is at a token, in the numbers of the atoms after the layer.
json average_json(const Stream& average, const Cells& places);

}}}  // namespace logdepth::proofs_check_certify::coq
