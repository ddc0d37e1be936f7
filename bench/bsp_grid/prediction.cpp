#include "bsp_grid/prediction.hpp"

#include <skel/detail/record/workload.hpp>

namespace bench {

void prediction_errors::add(prediction_errors const& more) {
  supersteps.insert(supersteps.end(), more.supersteps.begin(), more.supersteps.end());
  migrations.insert(migrations.end(), more.migrations.begin(), more.migrations.end());
  runs.insert(runs.end(), more.runs.begin(), more.runs.end());
}

prediction_errors errors_of(migbsp_testbed const& on, migbsp_case const& program, bsp_outcome const& measured) {
  prediction_errors out;
  skel::record::superstep step{
      .load = {}, .hosts = program.begin.hosts, .state_bytes = program.begin.state_bytes, .external_load = {}};
  auto move = measured.moves.begin();
  double sum = 0;
  for (std::size_t s = 1; s <= measured.supersteps.size(); ++s) {
    step.load = skel::record::load_of(program.program, s);
    double const took = measured.supersteps[s - 1], predicted = skel::cost::bsp::time_of(on.machine, step).seconds();
    std::vector<skel::cost::bsp::migration> moves;
    for (; move != measured.moves.end() && move->superstep == s; ++move) {
      moves.push_back({move->process, move->from, move->to, move->bytes});
      step.hosts[move->process] = move->to;
    }
    double const price = skel::cost::bsp::migration_time(on.machine, moves);
    sum += predicted + price;
    if (moves.empty())
      out.supersteps.push_back(took / predicted - 1);
    else
      out.migrations.push_back((took - predicted) / price - 1);
  }
  out.runs.push_back(measured.seconds / sum - 1);
  return out;
}

}  // namespace bench
