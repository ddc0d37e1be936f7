#include <skel/detail/cost/communication/any_model.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/cost/communication/convert.hpp>

namespace skel::cost {
namespace {

using platform::parameter_blocks;

/// A cluster or link with its blocks, and where it stands.
struct place {
  platform::link path;
  double local_latency;
  parameter_blocks const& blocks;
  std::string const& source;
  std::string where;
};

template <class Parameters>
struct sourced {
  Parameters value;
  std::string from;
};

template <class Parameters>
std::optional<Parameters> block_of(place const& at) {
  return platform::read_block<Parameters>(at.blocks, at.source, at.where);
}

sourced<platform::plogp_parameters> plogp_at(place const& at) {
  if (auto own = platform::read_plogp(at.blocks, at.source, at.where)) return {*std::move(own), "plogp"};
  if (auto own = platform::read_plogp(at.blocks, at.source, at.where, "steffenel"))
    return {*std::move(own), "steffenel"};
  if (auto const own = block_of<platform::loggp_parameters>(at)) return {to_plogp(*own), "loggp"};
  if (auto const own = block_of<platform::hockney_parameters>(at)) return {to_plogp(*own), "hockney"};
  return {to_plogp(at.path, at.local_latency), "latency and bandwidth"};
}

sourced<platform::hockney_parameters> hockney_at(place const& at) {
  if (auto const own = block_of<platform::hockney_parameters>(at)) return {*own, "hockney"};
  if (!std::isfinite(at.path.bandwidth))
    if (auto const other = plogp_at(at); other.from != "latency and bandwidth")
      return {to_hockney(other.value), other.from};
  return {to_hockney(at.path), "latency and bandwidth"};
}

sourced<platform::loggp_parameters> loggp_at(place const& at) {
  if (auto const own = block_of<platform::loggp_parameters>(at)) return {*own, "loggp"};
  auto const other = plogp_at(at);
  return {to_loggp(other.value), other.from};
}

sourced<platform::logp_parameters> logp_at(place const& at) {
  if (auto const own = block_of<platform::logp_parameters>(at)) return {*own, "logp"};
  auto const other = loggp_at(at);
  return {{.L = other.value.L, .o = other.value.o, .g = other.value.g}, other.from};
}

sourced<platform::lopc_parameters> lopc_at(place const& at) {
  if (auto const own = block_of<platform::lopc_parameters>(at)) return {*own, "lopc"};
  auto const other = logp_at(at);
  return {{.L = other.value.L, .o = other.value.o, .g = other.value.g}, other.from};
}

sourced<platform::logpc_parameters> logpc_at(place const& at, std::size_t hosts) {
  if (auto const own = block_of<platform::logpc_parameters>(at)) return {*own, "logpc"};
  auto const other = loggp_at(at);
  return {{.L = other.value.L,
           .o = other.value.o,
           .g = other.value.g,
           .G = other.value.G,
           .nodes = static_cast<double>(hosts)},
          other.from};
}

sourced<platform::plogp_parameters> steffenel_at(place const& at) {
  if (auto own = platform::read_plogp(at.blocks, at.source, at.where, "steffenel"))
    return {*std::move(own), "steffenel"};
  return plogp_at(at);
}

sourced<platform::hloggp_parameters> hloggp_at(place const& at) {
  if (auto const own = block_of<platform::hloggp_parameters>(at)) return {*own, "hloggp"};
  auto const other = plogp_at(at);
  return {to_hloggp(other.value), other.from};
}

sourced<platform::lmo_parameters> lmo_at(place const& at) {
  if (auto const own = block_of<platform::lmo_parameters>(at)) return {*own, "lmo"};
  auto const other = plogp_at(at);
  return {to_lmo(other.value), other.from};
}

place cluster_place(platform::description const& machine, std::size_t cluster, std::string const& source) {
  auto const& c = machine.clusters()[cluster];
  return {c.inside, c.local_latency.value_or(machine.local_latency()), c.parameters, source,
          "clusters[" + std::to_string(cluster) + "]"};
}

place link_place(platform::description const& machine, platform::cluster_link const& link, std::string const& source) {
  return {link.path, machine.local_latency(), link.parameters, source,
          "link from '" + machine.clusters()[link.from].name + "' to '" + machine.clusters()[link.to].name + "'"};
}

template <class Model, class Parameters>
sourced_model wrap(sourced<Parameters> const& parameters) {
  return {Model(parameters.value), parameters.from};
}

/// The parameters of every cluster and link by `read`.
template <class Model, class Read>
sourced_model tabulate(platform::description const& machine, std::string const& source, Read read) {
  using parameters = decltype(read(std::declval<place const&>()).value);
  std::size_t const n = machine.clusters().size();
  std::vector<std::optional<parameters>> values(n * n);
  std::vector<std::string> origins;
  auto const put = [&](std::size_t a, std::size_t b, sourced<parameters> found) {
    values[a * n + b] = std::move(found.value);
    if (std::find(origins.begin(), origins.end(), found.from) == origins.end()) origins.push_back(found.from);
  };
  for (std::size_t c = 0; c < n; ++c) put(c, c, read(cluster_place(machine, c, source)));
  for (auto const& link : machine.links()) {
    put(link.from, link.to, read(link_place(machine, link, source)));
  }
  std::vector<std::size_t> group_of(machine.host_count());
  for (std::size_t host = 0; host < group_of.size(); ++host) group_of[host] = machine.cluster_of(host);
  std::string from;
  for (std::string const& origin : origins) from += (from.empty() ? "" : "; ") + origin;
  return {Model(group_table<parameters>(n, std::move(group_of), std::move(values))), std::move(from)};
}

sourced_model model_at(model_kind kind, place const& at, std::size_t hosts) {
  switch (kind) {
    case model_kind::hockney:
      return wrap<hockney>(hockney_at(at));
    case model_kind::logp:
      return wrap<logp>(logp_at(at));
    case model_kind::loggp:
      return wrap<loggp>(loggp_at(at));
    case model_kind::lopc:
      return wrap<lopc>(lopc_at(at));
    case model_kind::logpc:
      return wrap<logpc>(logpc_at(at, hosts));
    case model_kind::plogp:
      return wrap<plogp>(plogp_at(at));
    case model_kind::hloggp:
      return wrap<hloggp>(hloggp_at(at));
    case model_kind::steffenel:
      return wrap<steffenel>(steffenel_at(at));
    case model_kind::lmo:
      break;
  }
  return wrap<lmo>(lmo_at(at));
}

}  // namespace

std::vector<double> breakpoints_of(platform::plogp_parameters const& p) {
  std::vector<double> sizes;
  for (piecewise_linear const* f : {&p.g, &p.or_, &p.L_by_size})
    for (auto const& at : f->points()) sizes.push_back(at.x);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  // Between neighbours g and or are lines: at most one crossing. Beyond the last, up to where the lines meet.
  std::vector<double> crossings;
  auto const ahead = [&](double x) { return p.g(x) - p.or_(x); };
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    double const left = ahead(sizes[i]), right = ahead(sizes[i + 1]);
    if (left * right < 0) crossings.push_back(sizes[i] + (sizes[i + 1] - sizes[i]) * left / (left - right));
  }
  if (!sizes.empty()) {
    double const last = sizes.back(), left = ahead(last), slope = p.g.slope(last) - p.or_.slope(last);
    if (left * slope < 0) crossings.push_back(last - left / slope);
    double const latency = p.latency(last), fall = p.L_by_size.slope(last);
    if (latency > 0 && fall < 0) crossings.push_back(last - latency / fall);
  }
  sizes.insert(sizes.end(), crossings.begin(), crossings.end());
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::optional<model_kind> find_model(std::string_view name) {
  auto const found = std::find(model_names.begin(), model_names.end(), name);
  if (found == model_names.end()) return std::nullopt;
  return static_cast<model_kind>(found - model_names.begin());
}

sourced_model make_model(model_kind kind, platform::description const& machine, std::size_t cluster,
                         std::string const& source) {
  SKEL_EXPECTS(cluster < machine.clusters().size());
  return model_at(kind, cluster_place(machine, cluster, source), machine.clusters()[cluster].hosts);
}

sourced_model make_link_model(model_kind kind, platform::description const& machine, platform::cluster_link const& link,
                              std::string const& source) {
  auto const& clusters = machine.clusters();
  return model_at(kind, link_place(machine, link, source), clusters[link.from].hosts + clusters[link.to].hosts);
}

sourced_model make_grid_model(model_kind kind, platform::description const& machine, std::string const& source) {
  SKEL_EXPECTS(kind == model_kind::hloggp || kind == model_kind::steffenel || kind == model_kind::lmo);
  if (kind == model_kind::hloggp) return tabulate<hloggp>(machine, source, hloggp_at);
  if (kind == model_kind::steffenel) return tabulate<steffenel>(machine, source, steffenel_at);
  return tabulate<lmo>(machine, source, lmo_at);
}

}  // namespace skel::cost
