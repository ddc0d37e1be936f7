#include "grid/measuring.hpp"

#include <bit>
#include <utility>

#include <skel/detail/mapping/poly_model.hpp>

namespace bench {
namespace {

using skel::mapping::collective_decision;
using samples = std::vector<message_sample>;

/// A path, as link_times::between() takes it.
struct path {
  std::size_t from = 0, to = 0;
};

enum kind : std::size_t { few_sizes, all_sizes };  // of the models of poly_model

/// Powers of eight and the greatest size.
samples coarse(samples const& all) {
  samples few;
  for (message_sample const& one : all)
    if ((std::has_single_bit(one.bytes) && std::countr_zero(one.bytes) % 3 == 0) || one.bytes == all.back().bytes)
      few.push_back(one);
  return few;
}

double transfer(samples const& of, double bytes) {
  std::vector<skel::piecewise_linear::point> points;
  for (message_sample const& one : of) points.push_back({static_cast<double>(one.bytes), one.times.transfer});
  return skel::piecewise_linear(std::move(points))(bytes);
}

void add(measuring& to, samples const& some) {
  to.probes += some.size();
  for (message_sample const& one : some) to.seconds += one.times.seconds;
}

/// The paths that a choice's messages take; what knows nothing of clusters is taken to go round them.
std::vector<path> paths_of(collective_decision const& choice, std::size_t clusters) {
  std::vector<path> used;
  for (auto const& inside : choice.inside) used.push_back({inside.cluster, inside.cluster});
  for (auto const& [from, to] : choice.edges) used.push_back({from, to});
  if (choice.edges.empty() && clusters > 1)
    for (std::size_t c = 0; c < clusters; ++c) used.push_back({c, (c + 1) % clusters});
  return used;
}

}  // namespace

measuring all_of(link_times const& times) {
  measuring spent;
  for (std::size_t from = 0; from < times.clusters(); ++from)
    for (std::size_t to = 0; to < times.clusters(); ++to) add(spent, times.between(from, to));
  return spent;
}

measured_choice choose_by_what_pays(skel::platform::description const& machine, link_times const& times,
                                    skel::mapping::collective_request const& request, double uses) {
  std::size_t const n = times.clusters();
  std::vector<samples> known(n * n);
  std::vector<bool> in_full(n * n, false);
  measured_choice result;
  for (std::size_t at = 0; at < n * n; ++at) {
    samples const& all = times.between(at / n, at % n);
    if (all.empty()) continue;
    known[at] = coarse(all);
    add(result.spent, known[at]);
  }
  // Contexts: 0 inside clusters, 1 over links. Of few sizes nothing is known beforehand.
  skel::mapping::poly_model<int> beliefs({{"few sizes", {}}, {"all sizes", {.error = skel::mapping::usual_error}}});
  for (;;) {
    auto mapper = mapper_of(with_plogp(machine, {n, known}));
    collective_decision const& choice = mapper.decide(request);
    result.what = {choice.name, choice.plan, choice.predicted};
    auto const& route = choice.plan.route;
    double const bytes = static_cast<double>(route && route->segment > 0 ? route->segment : request.bytes);
    bool measured = false;
    for (path const& one : paths_of(choice, n)) {
      std::size_t const at = one.from * n + one.to;
      if (in_full[at] || known[at].empty()) continue;
      samples const& all = times.between(one.from, one.to);
      measuring price;  // of the sizes that are missing
      add(price, all);
      measuring paid;
      add(paid, known[at]);
      price.probes -= paid.probes, price.seconds -= paid.seconds;
      int const context = one.from == one.to ? 0 : 1;
      beliefs.set_prior(context, all_sizes, {.error = skel::mapping::usual_error, .price = price.seconds});
      if (beliefs.believe(context, {.uses = uses, .seconds = choice.predicted}).model != all_sizes) continue;
      beliefs.observe(context, few_sizes, at, transfer(known[at], bytes), transfer(all, bytes));
      result.spent.probes += price.probes, result.spent.seconds += price.seconds;
      known[at] = all, in_full[at] = measured = true;
    }
    if (!measured) return result;
  }
}

}  // namespace bench
