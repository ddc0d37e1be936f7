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
