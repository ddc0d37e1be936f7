#include "answers.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/leaving.hpp>

#include "listed_ranks.hpp"

namespace skel::runtime {
namespace {

/// The system asks a connection on which nothing is said after so long, and so often [s]: as often as it can.
constexpr int asked_every = 1;
/// It never gives a connection up by itself: MPI would end the program then, with words that help nobody.
constexpr int most_questions = 127;

/// As text; empty: it is of no network that has hosts.
std::string text_of(sockaddr const* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in const*>(address)->sin_addr, text, sizeof text);
  else if (address->sa_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<sockaddr_in6 const*>(address)->sin6_addr, text, sizeof text);
  std::string_view const mapped = "::ffff:";
  std::string const out = text;
  return out.starts_with(mapped) && out.find('.') != std::string::npos ? out.substr(mapped.size()) : out;
}

/// The address that a descriptor is connected with; empty: it is no connection by TCP.
std::string peer_of(int descriptor) {
  int protocol = 0;
  socklen_t length = sizeof protocol;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0 || protocol != IPPROTO_TCP) return {};
  sockaddr_storage peer{};
  length = sizeof peer;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0) return {};
  return text_of(reinterpret_cast<sockaddr const*>(&peer));
}

std::vector<int> descriptors_of_process() {
  std::vector<int> out;
  std::error_code gone;
  for (std::filesystem::directory_iterator one("/proc/self/fd", gone), end; one != end; one.increment(gone)) {
    std::string const name = one->path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number >= 0) out.push_back(number);
  }
  return out;
}

void ask(int descriptor) {
  int const on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &asked_every, sizeof asked_every);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &asked_every, sizeof asked_every);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &most_questions, sizeof most_questions);
  ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

/// Time for which a peer has owed an answer [s]; 0: it owes none.
double silence_of(int descriptor) {
  tcp_info found{};
  socklen_t length = sizeof found;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &found, &length) != 0) return 0;
  if (found.tcpi_probes == 0 && found.tcpi_retransmits == 0) return 0;
  return found.tcpi_last_ack_recv * 1e-3;
}

}  // namespace

std::vector<std::string> own_addresses() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> const all(found, ::freeifaddrs);
  std::vector<std::string> out;
  for (ifaddrs const* one = all.get(); one != nullptr; one = one->ifa_next)
    if (one->ifa_addr != nullptr && (one->ifa_flags & IFF_LOOPBACK) == 0 && (one->ifa_flags & IFF_UP) != 0)
      if (auto text = text_of(one->ifa_addr); !text.empty()) out.push_back(std::move(text));
  return out;
}

peer_connections::peer_connections(std::vector<std::string> addresses) : addresses_(std::move(addresses)) {
  std::ranges::sort(addresses_);
}

std::vector<peer_connection> peer_connections::look(double now) {
  std::map<int, double> asked_since;
  std::vector<peer_connection> out;
  for (int const one : descriptors_of_process()) {
    auto peer = peer_of(one);
    if (peer.empty() || !std::ranges::binary_search(addresses_, peer)) continue;
    ask(one);
    auto const known = asked_since_.find(one);
    double const since = known == asked_since_.end() ? now : known->second;
    asked_since.emplace(one, since);
    // Nobody had to answer before it was asked.
    out.push_back({std::move(peer), std::min(silence_of(one), now - since)});
  }
  asked_since_ = std::move(asked_since);
  return out;
}

std::string words_for_silence(std::vector<peer_connection> const& all, std::vector<std::string> const& hosts,
                              std::vector<std::vector<std::string>> const& addresses, double patience) {
  struct host {
    double silence = std::numeric_limits<double>::infinity();  // [s]
    std::vector<std::size_t> ranks{};
  };
  std::map<std::string, host> peers;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    auto& there = peers[hosts[r]];
    there.ranks.push_back(r);
    for (auto const& one : all)
      if (std::ranges::find(addresses[r], one.address) != addresses[r].end())
        there.silence = std::min(there.silence, one.silence);
  }
  std::string text;
  for (auto const& [name, there] : peers)
    if (there.silence >= patience && std::isfinite(there.silence))
      text += (text.empty() ? "host " : ", ") + name + " (" + listed(there.ranks) + ") for " +
              shown(std::round(10 * there.silence) / 10) + " s";
  return text.empty() ? text : "it has not heard of " + text;
}

namespace {

struct answer_watch {
  std::vector<std::string> hosts;
  std::vector<std::vector<std::string>> addresses;
  peer_connections connections{{}};
  double const* patience = nullptr;  // [s]
  double next = 0;                   // [s]
  int rank = 0;
  bool told = false;  // of hosts that are silent now
};

std::unique_ptr<answer_watch>& watch() {
  static auto& instance = *new std::unique_ptr<answer_watch>;
  return instance;
}

}  // namespace

void watch_answers(std::vector<std::string> hosts, std::vector<std::vector<std::string>> addresses, int rank,
                   double const* patience) {
  watch().reset();
  if (hosts.size() < 2) return;
  auto const mine = static_cast<std::size_t>(rank);
  std::set<std::string> others;
  for (std::size_t r = 0; r < hosts.size(); ++r)
    if (hosts[r] != hosts[mine]) others.insert(addresses[r].begin(), addresses[r].end());
  for (auto const& own : addresses[mine]) others.erase(own);
  if (others.empty()) return;
  watch() = std::make_unique<answer_watch>();
  watch()->hosts = std::move(hosts);
  watch()->addresses = std::move(addresses);
  watch()->connections = peer_connections({others.begin(), others.end()});
  watch()->patience = patience;
  watch()->rank = rank;
}

void expect_answers() {
  auto& here = watch();
  if (!here) return;
  double const now = record::now();
  if (now < here->next) return;
  here->next = now + asked_every;
  // Of two questions one may be lost.
  double const patience = std::max<double>(*here->patience, 2 * asked_every);
  auto const all = here->connections.look(now);
  if (auto const why = words_for_silence(all, here->hosts, here->addresses, patience); !why.empty())
    end_run(why +
            ": these hosts are gone, or the network to them is; check both and start again, or wait longer "
            "(--skel-patience)");
  // mpirun may miss them earlier than this rank does, and end all.
  auto const so_far =
      words_for_silence(all, here->hosts, here->addresses, std::max<double>(patience / 4, 2 * asked_every));
  if (so_far.empty()) return void(here->told = false);
  if (std::exchange(here->told, true)) return;
  std::fprintf(stderr, "skel: rank %d: warning: %s; the run ends when that has lasted for %s s (--skel-patience)\n",
               here->rank, so_far.c_str(), shown(patience).c_str());
}

}  // namespace skel::runtime
