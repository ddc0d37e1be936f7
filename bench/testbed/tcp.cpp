#include "tcp.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include <skel/detail/base/statistics.hpp>

namespace bench {
namespace {

constexpr std::uint16_t port = 7700;
constexpr std::size_t block = 256 * 1024;
constexpr char echo = 'e', swallow = 's';  // the first byte of a connection says what is wanted

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void fail(char const* doing) {
  throw std::system_error(errno, std::generic_category(), doing);
}

int new_socket() {
  int const made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket");
  return made;
}

void send_small_at_once(int connection) {
  int const yes = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Until the server is there, for ten seconds.
int connect_to(std::string const& address, char wanted) {
  sockaddr_in there{};
  there.sin_family = AF_INET, there.sin_port = htons(port);
  inet_pton(AF_INET, address.c_str(), &there.sin_addr);
  for (int tries = 0;; ++tries) {
    int const made = new_socket();
    if (connect(made, reinterpret_cast<sockaddr const*>(&there), sizeof there) == 0) {
      send_small_at_once(made);
      if (send(made, &wanted, 1, MSG_NOSIGNAL) != 1) fail("send");
      return made;
    }
    close(made);
    if (errno != ECONNREFUSED || tries == 100) fail("connect");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void serve_one(int connection) {
  send_small_at_once(connection);
  std::vector<char> buffer(block);
  char wanted = 0;
  if (recv(connection, &wanted, 1, 0) != 1) return;
  while (true) {
    ssize_t const got = recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    if (wanted == echo && send(connection, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) != got) return;
  }
}

std::vector<double> round_trips(std::string const& address, double seconds) {
  int const connection = connect_to(address, echo);
  std::vector<double> all;
  char byte = 'x';
  double const end = now() + seconds;
  while (now() < end || all.size() < 10) {
    double const begin = now();
    if (send(connection, &byte, 1, MSG_NOSIGNAL) != 1 || recv(connection, &byte, 1, 0) != 1) fail("round trip");
    all.push_back(now() - begin);
  }
  close(connection);
  return all;
}

double flood(std::string const& address, double seconds) {
  int const connection = connect_to(address, swallow);
  std::vector<char> const buffer(block);
  double const begin = now();
  double sent = 0, sent_before = 0, counted_from = 0;
  for (double time = 0; time < seconds; time = now() - begin) {
    ssize_t const more = send(connection, buffer.data(), buffer.size(), MSG_NOSIGNAL);
    if (more < 0) fail("flood");
    sent += static_cast<double>(more);
    if (counted_from == 0 && time > seconds / 3) counted_from = now() - begin, sent_before = sent;
  }
  double const took = now() - begin - counted_from;
  close(connection);
  return (sent - sent_before) / took;
}

}  // namespace

void serve_tcp() {
  int const listener = new_socket(), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in here{};
  here.sin_family = AF_INET, here.sin_port = htons(port), here.sin_addr.s_addr = htonl(INADDR_ANY);
  if (bind(listener, reinterpret_cast<sockaddr const*>(&here), sizeof here) != 0 || listen(listener, 16) != 0)
    fail("listen");
  while (true) {
    int const connection = accept(listener, nullptr, nullptr);
    if (connection < 0) continue;
    serve_one(connection);
    close(connection);
  }
}

tcp_figures measure_tcp(std::string const& address, double seconds) {
  std::vector<double> const trips = round_trips(address, seconds / 4);
  return {skel::statistics::median(trips), *std::min_element(trips.begin(), trips.end()),
          flood(address, 3 * seconds / 4)};
}

}  // namespace bench
