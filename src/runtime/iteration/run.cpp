#include <skel/detail/runtime/iteration/run.hpp>

#include <utility>

#include <skel/detail/runtime/team.hpp>

#include "engine.hpp"
#include "serve_ranks.hpp"
#include "transport/mpi_transport.hpp"

namespace skel::runtime::iteration {

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
