#include <skel/detail/adapt/mesh_outlook.hpp>

#include <cmath>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel {

mesh_outlook::mesh_outlook(platform::monitor machine, std::vector<std::vector<double>> seconds)
    : machine_(std::move(machine)) {
  SKEL_EXPECTS(seconds.size() == machine_.host_of_rank().size());
  for (std::size_t r = 0; r < seconds.size(); ++r) {
    auto const host = host_of(r);
    known_.push_back({std::move(seconds[r]), host.share, host.source});
  }
}

void mesh_outlook::hear(std::size_t rank, std::string const& said, double now) {
  machine_.add(rank, said, now);
  machine_.advance(now);
  auto& of = known_[rank];
  auto const host = host_of(rank);
  if (of.source == platform::believed_source::platform && host.source == platform::believed_source::host)
    of.share = host.share, of.source = host.source;
}

void mesh_outlook::measured(std::size_t rank, std::vector<double> seconds) {
  auto const host = host_of(rank);
  known_[rank] = {std::move(seconds), host.share, host.source};
}

void mesh_outlook::even_out(std::vector<int> const& ranks, double doubt) {
  double const usual = statistics::normal_reach(record::forecast_confidence) * doubt;
  std::vector<std::vector<double>*> all;
  for (int const rank : ranks)
    if (auto& own = known_[static_cast<std::size_t>(rank)].seconds; !own.empty()) all.push_back(&own);
  for (std::size_t s = 0; !all.empty() && s < all.front()->size(); ++s) {
    std::vector<double> of_ranks;
    for (auto const* const own : all) of_ranks.push_back((*own)[s]);
    double const middle = statistics::median(std::move(of_ranks));
    for (auto* const own : all)
      if (middle > 0 && std::abs(std::log((*own)[s] / middle)) <= usual) (*own)[s] = middle;
  }
}

std::vector<double> mesh_outlook::seconds(std::size_t rank) const {
  auto out = known_[rank].seconds;
  double const longer = known_[rank].share / host_of(rank).share;
  for (auto& one : out) one *= longer;
  return out;
}

double mesh_outlook::error(std::size_t rank) const {
  auto const host = host_of(rank);
  return std::isfinite(host.error) ? host.error / host.share : 0;
}

}  // namespace skel
