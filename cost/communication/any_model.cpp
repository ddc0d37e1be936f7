#include <skel/detail/cost/communication/any_model.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/cost/communication/fit.hpp>

namespace skel::cost {
namespace {

template <class Parameters>
struct sourced {
  Parameters value;
  std::string from;
};

template <class Parameters>
std::optional<Parameters> block_of(parameter_place const& at) {
  return platform::read_block<Parameters>(at.blocks, at.source, at.where);
}

sourced<platform::plogp_parameters> plogp_at(parameter_place const& at) {
  if (auto own = platform::read_plogp(at.blocks, at.source, at.where)) return {*std::move(own), "plogp"};
  if (auto own = platform::read_plogp(at.blocks, at.source, at.where, "steffenel"))
    return {*std::move(own), "steffenel"};
  if (auto const own = block_of<platform::loggp_parameters>(at)) return {to_plogp(*own), "loggp"};
  if (auto const own = block_of<platform::hockney_parameters>(at)) return {to_plogp(*own), "hockney"};
  return {to_plogp(at.path, at.local_latency), "latency and bandwidth"};
}

sourced<platform::hockney_parameters> hockney_at(parameter_place const& at) {
  if (auto const own = block_of<platform::hockney_parameters>(at)) return {*own, "hockney"};
  if (!std::isfinite(at.path.bandwidth))
    if (auto const other = plogp_at(at); other.from != "latency and bandwidth")
      return {to_hockney(other.value), other.from};
  return {to_hockney(at.path), "latency and bandwidth"};
}

sourced<platform::loggp_parameters> loggp_at(parameter_place const& at) {
  if (auto const own = block_of<platform::loggp_parameters>(at)) return {*own, "loggp"};
  auto const other = plogp_at(at);
  return {to_loggp(other.value), other.from};
}

sourced<platform::logp_parameters> logp_at(parameter_place const& at) {
  if (auto const own = block_of<platform::logp_parameters>(at)) return {*own, "logp"};
  auto const other = loggp_at(at);
  return {{.L = other.value.L, .o = other.value.o, .g = other.value.g}, other.from};
}

sourced<platform::lopc_parameters> lopc_at(parameter_place const& at) {
  if (auto const own = block_of<platform::lopc_parameters>(at)) return {*own, "lopc"};
  auto const other = logp_at(at);
  return {{.L = other.value.L, .o = other.value.o, .g = other.value.g}, other.from};
}

sourced<platform::logpc_parameters> logpc_at(parameter_place const& at) {
  if (auto const own = block_of<platform::logpc_parameters>(at)) return {*own, "logpc"};
  auto const other = loggp_at(at);
  return {{.L = other.value.L,
           .o = other.value.o,
           .g = other.value.g,
           .G = other.value.G,
           .nodes = static_cast<double>(at.hosts)},
          other.from};
}

sourced<platform::plogp_parameters> steffenel_at(parameter_place const& at) {
  if (auto own = platform::read_plogp(at.blocks, at.source, at.where, "steffenel"))
    return {*std::move(own), "steffenel"};
  return plogp_at(at);
}

sourced<platform::hloggp_parameters> hloggp_at(parameter_place const& at) {
  if (auto const own = block_of<platform::hloggp_parameters>(at)) return {*own, "hloggp"};
  auto const other = plogp_at(at);
  return {to_hloggp(other.value), other.from};
}

sourced<platform::lmo_parameters> lmo_at(parameter_place const& at) {
  if (auto const own = block_of<platform::lmo_parameters>(at)) return {*own, "lmo"};
  auto const other = plogp_at(at);
  return {to_lmo(other.value), other.from};
}

parameter_place cluster_place(platform::description const& machine, std::size_t cluster, std::string const& source) {
  auto const& c = machine.clusters()[cluster];
  return {c.inside, c.local_latency.value_or(machine.local_latency()), c.parameters,
          source,   "clusters[" + std::to_string(cluster) + "]",       c.hosts};
}

parameter_place link_place(platform::description const& machine, platform::cluster_link const& link,
                           std::string const& source) {
  auto const &from = machine.clusters()[link.from], &to = machine.clusters()[link.to];
  return {link.path,
          machine.local_latency(),
          link.parameters,
          source,
          "link from '" + from.name + "' to '" + to.name + "'",
          from.hosts + to.hosts};
}

template <class Model, auto Read>
sourced_model model_from(parameter_place const& at) {
  auto const parameters = Read(at);
  return {Model(parameters.value), parameters.from};
}

/// The parameters of every cluster and link by `Read`.
template <class Model, auto Read>
sourced_model tabulate(platform::description const& machine, std::string const& source) {
  using parameters = decltype(Read(std::declval<parameter_place const&>()).value);
  std::size_t const n = machine.clusters().size();
  std::vector<std::optional<parameters>> values(n * n);
  std::vector<std::string> origins;
  auto const put = [&](std::size_t a, std::size_t b, sourced<parameters> found) {
    values[a * n + b] = std::move(found.value);
    if (std::find(origins.begin(), origins.end(), found.from) == origins.end()) origins.push_back(found.from);
  };
  for (std::size_t c = 0; c < n; ++c) put(c, c, Read(cluster_place(machine, c, source)));
  for (auto const& link : machine.links()) {
    put(link.from, link.to, Read(link_place(machine, link, source)));
  }
  std::vector<std::size_t> group_of(machine.host_count());
  for (std::size_t host = 0; host < group_of.size(); ++host) group_of[host] = machine.cluster_of(host);
  std::string from;
  for (std::string const& origin : origins) from += (from.empty() ? "" : "; ") + origin;
  return {Model(group_table<parameters>(n, std::move(group_of), std::move(values))), std::move(from)};
}

template <auto Fit>
fitted_block block_of_fit(std::span<record::probe_sample const> samples, double) {
  auto const fit = Fit(samples);
  return {to_block(fit.parameters), fit.residual};
}

fitted_block logpc_block(std::span<record::probe_sample const> samples, double nodes) {
  auto const [p, residual, used] = fit_loggp(samples);
  return {to_block(platform::logpc_parameters{.L = p.L, .o = p.o, .g = p.g, .G = p.G, .nodes = nodes}), residual};
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

registry<message_model_row>& message_models() {
  using enum record::probe_sizes;
  static constexpr record::probe_wants short_messages{shortest, shortest, shortest, shortest},
      gaps_of_two_sizes{shortest, two, shortest, shortest}, many_sizes{many, many, many, many}, two_sizes{two},
      two_overheads{two, none, two, two};
  static constexpr message_model_row rows[] = {
      {"hockney", "A start-up time and a time per byte.", model_from<hockney, hockney_at>, two_sizes,
       block_of_fit<fit_hockney>},
      {"logp", "Latency, overhead and gap of short messages.", model_from<logp, logp_at>, short_messages,
       block_of_fit<fit_logp>},
      {"loggp", "LogP with a gap per byte.", model_from<loggp, loggp_at>, gaps_of_two_sizes, block_of_fit<fit_loggp>},
      {"lopc", "LogP with contention for the receiver's processor.", model_from<lopc, lopc_at>, short_messages,
       block_of_fit<fit_logp>},
      {"logpc", "LogGP with contention in the network.", model_from<logpc, logpc_at>, gaps_of_two_sizes, logpc_block},
      {"plogp", "LogP whose parameters are functions of the size.", model_from<plogp, plogp_at>, many_sizes,
       block_of_fit<fit_plogp>},
      {"hloggp", "LogGP with parameters of each two clusters.", model_from<hloggp, hloggp_at>, gaps_of_two_sizes,
       block_of_fit<fit_hloggp>, tabulate<hloggp, hloggp_at>},
      {"steffenel", "pLogP with parameters of each two clusters.", model_from<steffenel, steffenel_at>, many_sizes,
       block_of_fit<fit_plogp>, tabulate<steffenel, steffenel_at>},
      {"lmo", "Processing of hosts apart from the network.", model_from<lmo, lmo_at>, two_overheads,
       block_of_fit<fit_lmo>, tabulate<lmo, lmo_at>},
  };
  static_assert(std::size(rows) == std::variant_size_v<any_model>);
  static registry<message_model_row> all("communication model", rows);
  return all;
}

sourced_model make_model(model_kind kind, platform::description const& machine, std::size_t cluster,
                         std::string const& source) {
  SKEL_EXPECTS(cluster < machine.clusters().size());
  return row_of(kind).make(cluster_place(machine, cluster, source));
}

sourced_model make_link_model(model_kind kind, platform::description const& machine, platform::cluster_link const& link,
                              std::string const& source) {
  return row_of(kind).make(link_place(machine, link, source));
}

sourced_model make_grid_model(model_kind kind, platform::description const& machine, std::string const& source) {
  SKEL_EXPECTS(row_of(kind).make_grid != nullptr);
  return row_of(kind).make_grid(machine, source);
}

}  // namespace skel::cost
