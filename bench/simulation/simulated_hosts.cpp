#include "simulation/simulated_hosts.hpp"

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>

namespace bench {

namespace s4u = simgrid::s4u;

namespace {

/// The states of a host's processor, the fastest first: 1, 0.9, ... 0.1 of its speed.
std::vector<double> speeds_of(double speed) {
  std::vector<double> all;
  for (int tenths = 10; tenths > 0; --tenths)
    all.push_back(speed * simulated_hosts::flops_of_speed * simulated_hosts::least_share * tenths);
  return all;
}

/// What the simulator takes for the words of a command line: it is silent about what is no error.
char const* words[] = {"simulated_hosts", "--log=root.thres:error", nullptr};
int word_count = 2;

std::string port_of(std::size_t host) {
  return "port" + std::to_string(host);
}

}  // namespace

simulated_hosts::simulated_hosts(skel::platform::description const& machine)
    : engine_(&word_count, const_cast<char**>(words)), port_latency_(0) {
  SKEL_EXPECTS(machine.clusters().size() == 1);
  auto const& site = machine.clusters().front();
  port_latency_ = site.inside.latency / 2;
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/TCP-gamma:0");
  s4u::Engine::set_config("network/crosstraffic:no");
  s4u::Engine::set_config("contexts/stack-size:512");  // KiB of each actor
  auto* const zone = s4u::create_star_zone("grid");
  for (std::size_t h = 0; h < machine.host_count(); ++h) {
    auto* const host = zone->create_host(machine.host_name(h), speeds_of(machine.speed(h)))->seal();
    auto* const port = zone->create_split_duplex_link(port_of(h), site.inside.bandwidth)->set_latency(port_latency_);
    port->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {s4u::LinkInRoute(port, s4u::LinkInRoute::Direction::UP)}, true);
    hosts_.push_back({.where = host});
  }
  zone->seal();
  skel::record::go_by(this);
}

simulated_hosts::~simulated_hosts() {
  skel::record::go_by(nullptr);
}

std::int64_t simulated_hosts::now_ns() const {
  return std::llround(time() * 1e9);
}

std::size_t simulated_hosts::here() const {
  auto const* const host = s4u::this_actor::get_host();
  auto const found = std::ranges::find(hosts_, host, &one_host::where);
  SKEL_EXPECTS(found != hosts_.end());
  return static_cast<std::size_t>(found - hosts_.begin());
}

/// Threads of a host that run share what it grants equally. Called whenever one of them, or the share, changes.
void simulated_hosts::advance(one_host& host) {
  double const lasted = time() - std::exchange(host.since, time());
  auto const running = static_cast<double>(std::ranges::count(host.threads, true, &thread::runs));
  if (running == 0) return;
  host.own += host.share * lasted;
  host.held += (1 - host.share) * lasted;
  for (auto& one : host.threads) {
    if (!one.runs) continue;
    one.run += host.share / running * lasted;
    one.waited += (1 - host.share / running) * lasted;
  }
}

simulated_hosts::thread& simulated_hosts::this_thread(one_host& host) const {
  long const id = s4u::this_actor::get_pid();
  auto one = std::ranges::lower_bound(host.threads, id, {}, &thread::id);
  if (one == host.threads.end() || one->id != id) one = host.threads.insert(one, {.id = id});
  return *one;
}

std::vector<skel::record::thread_times> simulated_hosts::threads() const {
  auto const ns = [](double seconds) { return std::llround(seconds * 1e9); };
  auto now = hosts_[here()];
  advance(now);
  std::vector<skel::record::thread_times> all;
  for (auto const& one : now.threads) all.push_back({one.id, {ns(one.run), ns(one.waited)}});
  return all;
}

void simulated_hosts::compute(double work) {
  auto& host = hosts_[here()];
  advance(host);
  this_thread(host).runs = true;
  s4u::this_actor::execute(work * flops_of_speed);
  advance(host);
  this_thread(host).runs = false;
}

skel::platform::host_reading simulated_hosts::read_load() {
  auto& host = hosts_[here()];
  advance(host);
  skel::platform::host_reading out;
  out.time = time();
  out.quota = host.share;
  out.quota_group = here();
  double const lasted = time() - std::exchange(host.read_at, time()),
               own = host.own - std::exchange(host.read_own, host.own),
               held = host.held - std::exchange(host.read_held, host.held);
  if (!(lasted > 0)) return out;
  out.seconds = lasted;
  out.processors = {{0, std::min(1.0, own / lasted)}};
  out.own = own / lasted;
  out.throttled = std::min(1.0, held / lasted);
  return out;
}

void simulated_hosts::set_share(std::size_t host, double share) {
  auto& one = hosts_[host];
  auto const tenths = std::lround(share / least_share);
  SKEL_EXPECTS(tenths >= 1 && tenths <= 10);
  advance(one);
  one.share = share;
  one.where->set_pstate(static_cast<unsigned long>(10 - tenths));
}

void simulated_hosts::set_latency(std::size_t host, double latency) {
  SKEL_EXPECTS(latency >= port_latency_);
  auto* const port = s4u::Link::by_name(port_of(host) + "_UP");
  port->set_latency(latency - port_latency_);
  s4u::Link::by_name(port_of(host) + "_DOWN")->set_latency(latency - port_latency_);
}

}  // namespace bench
