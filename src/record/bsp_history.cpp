#include <skel/detail/record/bsp_history.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/bounded.hpp>

namespace skel::record {

void superstep_sums::join(superstep_sums const& next) {
  count += next.count;
  seconds += next.seconds;
  slowest += next.slowest;
  mean += next.mean;
}

void bsp_column::join(bsp_column const& next) {
  superstep_sums::join(next);
  std::ranges::transform(load, next.load, load.begin(), std::plus<>());
  rank = next.rank;
}

std::vector<bool> ranks_used(std::span<int const> rank_of, std::size_t ranks) {
  std::vector<bool> out(ranks);
  for (int const rank : rank_of) out[static_cast<std::size_t>(rank)] = true;
  return out;
}

superstep_sums sums_of(std::uint64_t number, double seconds, std::span<double const> computing,
                       std::vector<bool> const& used) {
  double most = 0, sum = 0, many = 0;
  for (std::size_t r = 0; r < used.size(); ++r)
    if (used[r]) most = std::max(most, computing[r]), sum += computing[r], ++many;
  return {number, 1, seconds, most, many > 0 ? sum / many : 0};
}

bsp_recorder::bsp_recorder(bsp_history begun) : history_(std::move(begun)) {
  SKEL_EXPECTS(history_.run.processes > 0 && !history_.run.hosts.empty());
  history_.per_row = (history_.run.processes + most_rows - 1) / most_rows;
}

void bsp_recorder::stand(std::span<int const> rank_of) {
  ran_on_.assign(rank_of.begin(), rank_of.end());
  used_ = ranks_used(ran_on_, history_.run.hosts.size());
  history_.run.rank_of = ran_on_;
}

void bsp_recorder::add(measured_superstep const& last) {
  auto& run = history_.run;
  bool const measured = !last.of_processes.empty();
  SKEL_EXPECTS((!measured || last.of_processes.size() == run.processes) && last.rank_of.size() == run.processes &&
               last.computing.size() == run.hosts.size());
  if (ran_on_.empty() || (!measured && last.moved > 0)) stand(last.rank_of);
  auto sums = sums_of(last.number, last.seconds, last.computing, used_);
  if (double const missing = sums.slowest - sums.seconds; missing > 0) {
    double const late = std::min(missing, spare_);
    if (late > 0) {
      history_.columns.back().seconds -= late, history_.stretches.back().seconds -= late;
      for (double& waited : run.times.back().waiting) waited = std::max(0.0, waited - late);
    }
    sums.seconds = sums.slowest;
    run.seconds -= late;
  }
  spare_ = sums.seconds - sums.slowest;
  bsp_column column{sums, {}, {}};
  for (std::size_t begin = 0; measured && begin < ran_on_.size(); begin += history_.per_row) {
    auto const of_row = last.of_processes.subspan(begin, std::min(history_.per_row, ran_on_.size() - begin));
    column.load.push_back(static_cast<float>(std::accumulate(of_row.begin(), of_row.end(), 0.0)));
    column.rank.push_back(ran_on_[begin]);
  }
  add_joined(history_.columns, std::move(column), most_columns);
  if (history_.stretches.empty() || last.moved > 0)
    history_.stretches.add({sums, last.moved, last.moving});
  else
    history_.stretches.back().join(sums);
  if (measured) stand(last.rank_of);
  superstep_times times{last.number, 1, {last.computing.begin(), last.computing.end()}, {}};
  for (double const computed : last.computing) times.waiting.push_back(std::max(0.0, sums.seconds - computed));
  add_superstep(run, std::move(times));
  run.supersteps = last.number;
  run.seconds += sums.seconds + last.moving;
  run.migrated += last.moved;
}

void bsp_recorder::complete(bsp_record run) {
  history_.run = std::move(run);
  history_.end = run_end::complete;
}

void bsp_recorder::fail(std::string why, bsp_decisions made) {
  if (history_.end != run_end::none) return;
  history_.end = run_end::failed;
  history_.why = std::move(why);
  history_.run.decisions = std::move(made);
}

std::size_t stretch_after(bsp_history const& run, std::uint64_t superstep) {
  std::size_t i = 0;
  while (i < run.stretches.size() && run.stretches[i].first != superstep + 2) ++i;
  return i;
}

}  // namespace skel::record
