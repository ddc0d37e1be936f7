#include <skel/detail/cost/grid_models.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {
namespace {

message_times times_of(any_model const& model, double bytes) {
  return std::visit([&](auto const& one) { return cost::times_of(one, message{.bytes = bytes}); }, model);
}

}  // namespace

grid_models::grid_models(platform::description const& machine, model_kind kind, std::string const& source)
    : kind_(kind) {
  std::size_t const n = machine.clusters().size();
  if (auto const sharing = platform::read_block<platform::sharing_parameters>(machine.parameters(), source, ""))
    together_ = sharing->together, apart_ = sharing->apart;
  std::vector<std::string> origins;
  auto const note = [&](sourced_model const& found) {
    if (std::ranges::find(origins, found.from) == origins.end()) origins.push_back(found.from);
    auto const points = std::visit([](auto const& one) { return one.breakpoints(); }, found.model);
    sizes_.insert(sizes_.end(), points.begin(), points.end());
  };
  for (std::size_t c = 0; c < n; ++c) {
    names_.push_back(machine.clusters()[c].name);
    sourced_model found = make_model(kind, machine, c, source);
    note(found);
    inside_.push_back(std::move(found.model));
  }
  path_.assign(n * n, no_path);
  for (std::uint32_t c = 0; c < n; ++c) path_[c * n + c] = c;
  for (platform::cluster_link const& link : machine.links()) {
    sourced_model found = make_link_model(kind, machine, link, source);
    note(found);
    path_[link.from * n + link.to] = static_cast<std::uint32_t>(paths());
    links_.push_back(std::move(found.model));
  }
  std::ranges::sort(sizes_);
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  for (std::string const& origin : origins) from_ += (from_.empty() ? "" : "; ") + origin;
}

message_times grid_models::usable(message_times const& times, double bytes, std::size_t from, std::size_t to) const {
  for (double const time : {times.send_busy, times.transfer, times.receive_busy, times.receive_overhead})
    require_usable(time, [&] {
      return std::string(name_of(kind_)) + " with the parameters of " + from_ + ": a message of " + shown(bytes) +
             " bytes " +
             (from == to ? "inside cluster '" + names_[from] + "'"
                         : "from cluster '" + names_[from] + "' to cluster '" + names_[to] + "'");
    });
  return times;
}

message_times grid_models::inside(std::size_t cluster, double bytes) const {
  return usable(times_of(inside_[cluster], bytes), bytes, cluster, cluster);
}

message_times grid_models::between(std::size_t from, std::size_t to, double bytes) const {
  SKEL_EXPECTS(joined(from, to));
  return usable(times_of(links_[path(from, to) - clusters()], bytes), bytes, from, to);
}

}  // namespace skel::cost
