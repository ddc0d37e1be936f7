#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// How nodes are numbered, or cells ordered:
/// - native: as they are.
/// - rcm: nodes by the reverse Cuthill-McKee algorithm, which keeps the numbers of neighbours near each other; cells by
///   their lowest node, equals as they are.
/// - random: shuffled, every order as probable as any other.
enum class numbering : std::uint8_t { native, rcm, random };

/// The names of all numberings.
std::vector<std::string> const& numbering_names();
/// The numbering of a name. Throws skel::input_error listing all of them.
numbering numbering_named(std::string_view name);

/// The new number of each node. O(corners log(greatest degree)) for rcm, which starts each component at a node from
/// which others are as far as an ascent finds; O(nodes) else. `seed` is used by random only. Source: Cuthill, McKee
/// 1969, Proc. 24th National Conference of the ACM, 157-172; reversed: George 1971, Stanford STAN-CS-71-208; the start:
/// George, Liu 1979, ACM Transactions on Mathematical Software 5(3):284-295.
std::vector<subscript> node_numbers(mesh const& of, numbering how, std::uint64_t seed = 0);

/// The mesh with other numbers of its nodes, then another order of its cells. The nodes of a cell stay in their order.
/// O(corners) and what node_numbers() takes, O(cells log(cells)) for cells by rcm. Deterministic for a seed.
mesh renumber(mesh const& of, numbering nodes, numbering cells = numbering::native, std::uint64_t seed = 0);

}  // namespace skel
