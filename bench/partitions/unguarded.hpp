#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// METIS on so many random graphs that skel would in part not give to it, each in a process of its own that is ended
/// after a second of the processor: how often it gives a partition, leaves a part empty, or crashes or does not come
/// back, by the cells that the part with the smallest share should have.
void ask_metis_without_guard(std::size_t graphs, std::uint64_t seed);

}  // namespace bench
