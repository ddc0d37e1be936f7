#include <skel/detail/runtime/iteration/run.hpp>

#include <unistd.h>

#include <cstddef>
#include <utility>

#include <skel/detail/runtime/threads/team.hpp>

#include "engine.hpp"
#include "ranks/serve_ranks.hpp"
#include "transport/mpi_transport.hpp"

namespace skel::runtime::iteration {

bool fetches_ahead(std::size_t cells, std::size_t bytes_of_cell) {
  constexpr std::size_t line = 64, usual = std::size_t{1} << 20, times = 8;
  static long const known = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes_of_cell > line && cells > times * (known > 0 ? static_cast<std::size_t>(known) : usual) / bytes_of_cell;
}

record::mesh_record run_mesh(mesh_part& part, plan::mesh_layout const& layout, communicator const& ranks,
                             run_options options) {
  mpi_transport among(ranks);
  thread_team threads(options.threads);
  engine here(part, layout, among, threads, std::move(options));
  serve_ranks(here, among, ranks, "a program over a mesh");
  auto record = here.end();
  record.hosts = ranks.hosts();
  return record;
}

}  // namespace skel::runtime::iteration
