#include "control.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace skel::testbed {
namespace {

sockaddr_un address_of(std::filesystem::path const& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string const& name = socket.native();
  if (name.size() >= sizeof address.sun_path)
    throw error(name + ": is too long for a socket; at most " + std::to_string(sizeof address.sun_path - 1) +
                " letters are possible");
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  return address;
}

descriptor new_socket(int more_flags) {
  descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | more_flags, 0));
  if (!made) fail_by_errno("a socket");
  return made;
}

/// Appends what can be read now. False at the end.
bool read_into(int from, std::string& text) {
  std::array<char, 4096> buffer{};
  ssize_t const got = read(from, buffer.data(), buffer.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

control_server::control_server(std::filesystem::path const& socket)
    : listener_(new_socket(SOCK_NONBLOCK)), watched_(epoll_create1(EPOLL_CLOEXEC)) {
  sockaddr_un const address = address_of(socket);
  constexpr int waiting_clients = 64;
  if (bind(listener_.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
      listen(listener_.get(), waiting_clients) != 0)
    fail_by_errno(socket);
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener_.get()}};
  if (!watched_ || epoll_ctl(watched_.get(), EPOLL_CTL_ADD, listener_.get(), &event) != 0) fail_by_errno(socket);
}

void control_server::accept_clients() {
  while (true) {
    descriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!connection) return;
    int const number = connection.get();
    epoll_event event{.events = EPOLLIN, .data = {.fd = number}};
    if (epoll_ctl(watched_.get(), EPOLL_CTL_ADD, number, &event) == 0)
      clients_.insert_or_assign(number, client{std::move(connection), {}, {}});
  }
}

/// False when the client is done with.
bool control_server::serve(client& one, std::function<std::string(std::string const& line)> const& answer) {
  bool const more = read_into(one.connection.get(), one.in);
  for (std::size_t end = one.in.find('\n'); end != std::string::npos; end = one.in.find('\n')) {
    one.out += answer(one.in.substr(0, end)) + '\n';
    one.in.erase(0, end + 1);
  }
  if (one.in.size() > longest_request) return false;
  while (!one.out.empty()) {
    ssize_t const sent = send(one.connection.get(), one.out.data(), one.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent < 0) break;
    one.out.erase(0, static_cast<std::size_t>(sent));
  }
  // A connection at its end is readable for ever: from there on, only sending is waited for.
  epoll_event event{.events = (more ? EPOLLIN : 0U) | (one.out.empty() ? 0U : EPOLLOUT),
                    .data = {.fd = one.connection.get()}};
  epoll_ctl(watched_.get(), EPOLL_CTL_MOD, one.connection.get(), &event);
  return more || !one.out.empty();
}

void control_server::serve(std::function<std::string(std::string const& line)> const& answer) {
  std::array<epoll_event, 16> events{};
  int const count = epoll_wait(watched_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    int const number = events[static_cast<std::size_t>(i)].data.fd;
    if (number == listener_.get()) {
      accept_clients();
    } else if (auto const found = clients_.find(number); found != clients_.end() && !serve(found->second, answer)) {
      clients_.erase(found);
    }
  }
}

std::string ask(std::filesystem::path const& socket, std::string const& line) {
  descriptor const connection = new_socket(0);
  sockaddr_un const address = address_of(socket);
  if (connect(connection.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
    fail_by_errno(socket);
  std::string const request = line + '\n';
  if (send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    fail_by_errno(socket);
  std::string answer;
  while (!answer.ends_with('\n'))
    if (!read_into(connection.get(), answer)) throw error(socket.string() + ": the switch has ended");
  answer.pop_back();
  return answer;
}

}  // namespace skel::testbed
