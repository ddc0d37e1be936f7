#include <utility>

#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/threads/team.hpp>

#include "bsp/engine.hpp"
#include "iteration/engine.hpp"
#include "ranks/serve_ranks.hpp"
#include "transport/mpi_transport.hpp"

namespace skel::runtime {
namespace {

/// `of`: the parts of the program that its engine takes.
template <class Engine, class Options, class... Of>
auto run_engine(communicator const& ranks, char const* what, Options options, Of&... of) {
  mpi_transport among(ranks);
  thread_team threads(options.threads);
  Engine here(of..., among, threads, std::move(options));
  serve_ranks(here, among, ranks, what);
  auto record = here.end();
  record.hosts = ranks.hosts();
  return record;
}

}  // namespace

record::bsp_record bsp::run_bsp(process_group& group, communicator const& ranks, run_options options) {
  return run_engine<engine>(ranks, "a BSP program", std::move(options), group);
}

record::mesh_record iteration::run_mesh(mesh_part& part, plan::mesh_layout const& layout, communicator const& ranks,
                                        run_options options) {
  return run_engine<engine>(ranks, "a program over a mesh", std::move(options), part, layout);
}

}  // namespace skel::runtime
