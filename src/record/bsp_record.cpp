#include <skel/detail/record/bsp_record.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <skel/detail/record/joined.hpp>

namespace skel::record {
namespace {

void add(std::vector<double>& to, std::vector<double> const& what) {
  std::ranges::transform(to, what, to.begin(), std::plus<>());
}

}  // namespace

static_assert(bsp_call::most_candidates * first_and_last<bsp_call>::most <= bsp_record::most_migrations);

bsp_call::bsp_call(rescheduling made)
    : rescheduling(std::move(made)),
      considered(candidates.size()),
      moves(static_cast<std::size_t>(std::ranges::count(candidates, true, &migration_candidate::accepted))) {
  if (candidates.size() <= most_candidates) return;
  candidates.resize(most_candidates);
  candidates.shrink_to_fit();
}

void superstep_times::join(superstep_times const& next) {
  count += next.count;
  add(computing, next.computing);
  add(waiting, next.waiting);
}

void add_superstep(bsp_record& to, superstep_times next) {
  add_joined(to.times, std::move(next), bsp_record::most_times);
}

void add_waiting(bsp_record& to, std::vector<double> const& waited) {
  add(to.times.back().waiting, waited);
}

}  // namespace skel::record
