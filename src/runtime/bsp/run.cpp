#include <skel/detail/runtime/bsp/run.hpp>

#include <utility>

#include <skel/detail/runtime/threads/team.hpp>

#include "engine.hpp"
#include "ranks/serve_ranks.hpp"
#include "transport/mpi_transport.hpp"

namespace skel::runtime::bsp {

record::bsp_record run_bsp(process_group& group, communicator const& ranks, run_options options) {
  mpi_transport among(ranks);
  thread_team threads(options.threads);
  engine here(group, among, threads, std::move(options));
  serve_ranks(here, among, ranks, "a BSP program");
  auto record = here.end();
  record.hosts = ranks.hosts();
  return record;
}

}  // namespace skel::runtime::bsp
