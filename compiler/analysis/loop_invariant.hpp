#pragma once

#include <functional>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/analysis/form_bounds.hpp"

namespace logdepth::inline compiler_analysis {

/// The repeated block, once, on abstract values: from the state before it to the state after it.
using AbstractPass = std::function<AbstractState(const AbstractState&)>;

/// A state that contains `entry` and the end of every pass that begins in it, so it holds before
/// and after every pass of the loop, however often it runs: a post-fixed point. The last call of
/// `pass` began in it. Precondition: a pass ends with the kinds that it begins with; `pass` is the
/// place to refuse others, by throwing.
///
/// Found by iteration, x := join(x, pass(x)), until nothing changes. It ends without widening: from
/// the second round on x only climbs, and there are finitely many values above one (Height,
/// abstract_value.hpp). The first round may instead add summands to it, once: see the source.
AbstractState loop_invariant(const FormBounds& bounds, AbstractState entry,
                             const AbstractPass& pass);

}  // namespace logdepth::inline compiler_analysis
