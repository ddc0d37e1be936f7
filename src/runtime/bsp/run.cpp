#include <skel/detail/runtime/bsp/run.hpp>

#include <utility>

#include <skel/detail/runtime/team.hpp>

#include "transport/mpi_transport.hpp"
#include "engine.hpp"

namespace skel::runtime::bsp {
namespace {

/// Only messages end a wait [s].
constexpr double no_clock = 1;

}  // namespace

record::bsp_record run_bsp(process_group& group, communicator const& ranks, run_options options) {
  mpi_transport among(ranks);
  thread_team threads(options.threads);
  engine here(group, among, threads, std::move(options));
  while (here.serve())
    if (!among.progress()) among.rest(no_clock, [&here] { return here.is_due(); });
  among.settle();
  auto record = here.end();
  record.hosts = ranks.hosts();
  return record;
}

}  // namespace skel::runtime::bsp
