#include <skel/cost/grid_models.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include <skel/base/contract.hpp>
#include <skel/platform/model_parameters.hpp>

namespace skel::cost {
namespace {

message_times times_of(any_model const& model, double bytes) {
  return std::visit(
      [&](auto const& one) {
        message const m{.bytes = bytes};
        return message_times{one.send_busy(m), one.transfer(m), one.receive_busy(m), one.receive_overhead(m)};
      },
      model);
}

}  // namespace

grid_models::grid_models(platform::description const& machine, model_kind kind, std::string const& source)
    : kind_(kind) {
  std::size_t const n = machine.clusters().size();
  if (auto const sharing = platform::read_sharing(machine.parameters(), source, "")) together_ = sharing->together;
  std::vector<std::string> origins;
  auto const note = [&](sourced_model const& found) {
    if (std::ranges::find(origins, found.from) == origins.end()) origins.push_back(found.from);
    auto const points = std::visit([](auto const& one) { return one.breakpoints(); }, found.model);
    sizes_.insert(sizes_.end(), points.begin(), points.end());
  };
  for (std::size_t c = 0; c < n; ++c) {
    sourced_model found = make_model(kind, machine, c, source);
    note(found);
    inside_.push_back(std::move(found.model));
  }
  between_.resize(n * n);
  for (platform::cluster_link const& link : machine.links()) {
    sourced_model found = make_link_model(kind, machine, link, source);
    note(found);
    between_[link.from * n + link.to] = std::move(found.model);
  }
  std::ranges::sort(sizes_);
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  for (std::string const& origin : origins) from_ += (from_.empty() ? "" : "; ") + origin;
}

message_times grid_models::inside(std::size_t cluster, double bytes) const {
  return times_of(inside_[cluster], bytes);
}

message_times grid_models::between(std::size_t from, std::size_t to, double bytes) const {
  auto const& model = between_[from * clusters() + to];
  SKEL_EXPECTS(model.has_value());
  return times_of(*model, bytes);
}

}  // namespace skel::cost
