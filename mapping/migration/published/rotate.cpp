#include "periodic.hpp"

#include <skel/detail/mapping/migration/host_memory.hpp>

namespace skel::mapping::migration {

std::vector<record::migration_candidate> rotate::choose(record::superstep const& mean) {
  std::vector<std::size_t> free;
  for (std::size_t p = 0; p < mean.hosts.size(); ++p)
    if (!is_pinned(p)) free.push_back(p);
  std::vector<record::migration_candidate> moves;
  host_memory memory(machine(), mean);
  for (std::size_t k = 0; k < free.size(); ++k) {
    std::size_t const p = free[k], from = mean.hosts[p], to = mean.hosts[free[(k + 1) % free.size()]];
    if (from == to) continue;
    memory.move(p, to);
    moves.push_back({.process = p, .from = from, .to = to, .accepted = true, .why = "its turn"});
  }
  for (auto const& one : moves)  // all change places at once, or none
    if (!memory.is_kept(one.to)) return {};
  return moves;
}

}  // namespace skel::mapping::migration
