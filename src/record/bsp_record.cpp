#include <skel/detail/record/bsp_record.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/bounded.hpp>

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

void timed_supersteps::join(timed_supersteps const& next) {
  count += next.count;
  end = next.end;
  std::ranges::transform(computing, next.computing, computing.begin(), std::plus<>());
  moved += next.moved;
  moving += next.moving;
}

bsp_timeline::bsp_timeline(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {
  SKEL_EXPECTS(!hosts_.empty());
  most_ = 2 * std::max<std::size_t>(1, most_cells / hosts_.size() / 2);
}

void bsp_timeline::add(timed_supersteps next) {
  SKEL_EXPECTS(next.computing.size() == hosts_.size());
  double const busy = next.moving + std::ranges::max(next.computing);
  if (!all_.empty()) {
    auto& before = all_.back();
    next.begin = std::max(next.begin, before.end);
    double const late = std::clamp(busy - (next.end - next.begin), 0.0, spare_);
    before.end -= late, next.begin -= late;
  }
  spare_ = std::max(0.0, next.end - next.begin - busy);
  add_joined(all_, std::move(next), most_);
}

}  // namespace skel::record
