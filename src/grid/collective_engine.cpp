#include "collective_engine.hpp"

#include <utility>

#include <skel/runtime/collective.hpp>

namespace skel {

collective_engine::collective_engine(MPI_Comm among, run_platform where)
    : messages_(among), mapper_(std::move(where.machine), std::move(where.host_of_rank)) {
  int rank = 0;
  MPI_Comm_rank(messages_.get(), &rank);
  rank_ = static_cast<std::size_t>(rank);
}

mapping::collective_decision const& collective_engine::decide(mapping::collective_request const& request) {
  return mapper_.decide(request);
}

void collective_engine::perform(mapping::collective_request const& request, std::span<std::byte const> input,
                                std::span<std::byte> output, combining const& combine) {
  auto const run = [&] {
    runtime::run_collective(messages_.get(), mapper_.steps(request, rank_), input, output, combine);
  };
  if (mapper_.ranks() == 1 || !mapper_.is_to_be_timed(request)) return run();
  // Who comes late is no part of the time. By messages: a rank that has left sees that it is waited for.
  auto const together =
      plan::find_algorithm(plan::collective::barrier, "dissemination")->make({.ranks = mapper_.ranks()});
  runtime::run_collective(messages_.get(), together.ranks[rank_], {}, {});
  double const start = MPI_Wtime();
  run();
  double const mine = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, messages_.get());
  mapper_.observe(request, slowest);
}

}  // namespace skel
