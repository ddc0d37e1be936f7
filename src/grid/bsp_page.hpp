#pragma once

#include <string>

#include <skel/detail/record/bsp_history.hpp>

namespace skel {

/// A run of a BSP program as one page of HTML that needs nothing else, neither a network nor scripts: where its
/// processes were and what they computed over the supersteps, as two pictures; imbalance and time of supersteps; what
/// the policy of migration decided and what came of it; ranks, and the model beside what was measured. Light or dark,
/// as the reader's system is. Any text may stand in the history. O(cells + decisions): a megabyte at most for the
/// pictures.
std::string bsp_page(record::bsp_history const& run);

}  // namespace skel
