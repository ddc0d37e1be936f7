#include "loopback_server.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {

namespace {

std::string whole_answer(std::string const& status, std::string const& type, std::string const& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "; charset=utf-8\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
         "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src "
         "'self'; "
         "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n" +
         body;
}

std::string refusal(std::string const& status, std::string const& why) {
  return whole_answer(status, "text/plain", why + "\n");
}

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The lines of a head, without their ends.
std::string_view next_line(std::string_view& text) {
  auto const end = std::min(text.find("\r\n"), text.size());
  auto const line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

/// The one value of a field; nothing where it is missing, or there are several.
std::optional<std::string_view> field(std::string_view head, std::string_view name) {
  std::optional<std::string_view> found;
  while (!head.empty()) {
    auto const line = next_line(head);
    auto const colon = line.find(':');
    if (colon == std::string_view::npos || !is_same(line.substr(0, colon), name)) continue;
    if (found) return std::nullopt;
    found = trimmed(line.substr(colon + 1));
  }
  return found;
}

/// Source: RFC 9112, section 3.2: every request names the server that it calls.
bool calls_loopback(std::string_view host, std::uint16_t port) {
  std::string const at = ":" + std::to_string(port);
  return is_same(host, "127.0.0.1" + at) || is_same(host, "localhost" + at);
}

}  // namespace

std::string answer_to(std::string_view request, std::uint16_t port, web_resources const& resources) {
  auto const line = next_line(request);
  auto const first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || last <= first || line.substr(last + 1).substr(0, 7) != "HTTP/1.")
    return refusal("400 Bad Request", "this is no request of HTTP/1.1");
  auto const host = field(request, "host");
  if (!host || !calls_loopback(*host, port))
    return refusal("403 Forbidden", "this page is at http://127.0.0.1:" + std::to_string(port) + "/ only");
  if (line.substr(0, first) != "GET") {
    auto out = refusal("405 Method Not Allowed", "there is nothing but GET here");
    return out.insert(out.find("\r\n") + 2, "Allow: GET\r\n");
  }
  auto const target = line.substr(first + 1, last - first - 1);
  auto const found = resources(target.substr(0, target.find('?')));
  if (!found) return refusal("404 Not Found", "there is no such page; try /");
  return whole_answer("200 OK", found->type, found->body);
}

namespace {

/// A client that asks, or is answered.
struct web_client {
  int descriptor = -1;
  std::string request, answer;
  std::size_t sent = 0;
  double since = 0;  // it came, or took something of the answer [s]

  bool is_answered() const { return !answer.empty(); }
};

/// Reads new data. True if the client stays.
bool hear(web_client& of, std::uint16_t port, web_resources const& resources) {
  std::array<char, 4096> piece{};
  auto const got = ::recv(of.descriptor, piece.data(), piece.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  of.request.append(piece.data(), static_cast<std::size_t>(got));
  auto const end = of.request.find("\r\n\r\n");
  if (end != std::string::npos)
    of.answer = answer_to(std::string_view(of.request).substr(0, end + 2), port, resources);
  else if (of.request.size() > loopback_server::longest_request)
    of.answer = refusal("431 Request Header Fields Too Large", "this is too long a request");
  return true;
}

/// Sends as much as there is room for. True if the client stays.
bool tell(web_client& to) {
  auto const sent = ::send(to.descriptor, to.answer.data() + to.sent, to.answer.size() - to.sent, MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  to.sent += static_cast<std::size_t>(sent);
  if (to.sent < to.answer.size()) return true;
  ::shutdown(to.descriptor, SHUT_WR);
  return false;
}

/// Reads from a client, or answers it. True if it stays. Without memory it does not: the program needs its memory more,
/// and the client asks again.
bool look_after(web_client& of, std::uint16_t port, web_resources const& resources) try {
  return of.is_answered() ? tell(of) : hear(of, port, resources);
} catch (std::bad_alloc const&) {
  return false;
}

}  // namespace

loopback_server::loopback_server(std::uint16_t port, web_resources resources) : resources_(std::move(resources)) {
  auto const fail = [&](char const* what) {
    std::string const why = std::generic_category().message(errno);
    if (listens_ >= 0) ::close(listens_);
    if (ends_ >= 0) ::close(ends_);
    throw error("port " + std::to_string(port) + " of 127.0.0.1 cannot be " + what + ": " + why);
  };
  listens_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listens_ < 0) fail("opened");
  int const on = 1;  // old connections of an earlier program do not matter
  ::setsockopt(listens_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  if (::bind(listens_, reinterpret_cast<sockaddr*>(&at), length) != 0 ||
      ::listen(listens_, static_cast<int>(most_clients)) != 0 ||
      ::getsockname(listens_, reinterpret_cast<sockaddr*>(&at), &length) != 0)
    fail("listened at");
  port_ = ntohs(at.sin_port);
  ends_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (ends_ < 0) fail("watched");
  try {
    thread_ = start_thread("skel-page", [this] { serve(); });
  } catch (error const&) {
    ::close(listens_);
    ::close(ends_);
    throw;
  }
}

loopback_server::~loopback_server() {
  std::uint64_t const one = 1;
  static_cast<void>(!::write(ends_, &one, sizeof one));
  thread_.join();
  ::close(listens_);
  ::close(ends_);
}

void loopback_server::serve() {
  std::vector<web_client> clients;
  std::vector<pollfd> watched;
  try {
    clients.reserve(most_clients);
    watched.reserve(most_clients + 2);
  } catch (std::bad_alloc const&) {
    return;  // no client is answered
  }
  for (;;) {
    watched.assign({{ends_, POLLIN, 0}, {clients.size() < most_clients ? listens_ : -1, POLLIN, 0}});
    for (auto const& one : clients)
      watched.push_back({one.descriptor, static_cast<short>(one.is_answered() ? POLLOUT : POLLIN), 0});
    constexpr int second = 1000;
    if (::poll(watched.data(), watched.size(), clients.empty() ? -1 : second) < 0 && errno != EINTR) break;
    if (watched[0].revents != 0) break;
    double const now = record::now();
    for (std::size_t k = 0; k < clients.size(); ++k) {
      auto& one = clients[k];
      if (one.is_answered() && (watched[k + 2].revents & POLLOUT) != 0) one.since = now;
      if (now - one.since < patience && (watched[k + 2].revents == 0 || look_after(one, port_, resources_))) continue;
      ::close(std::exchange(one.descriptor, -1));
    }
    std::erase_if(clients, [](auto const& one) { return one.descriptor < 0; });
    if (watched[1].revents == 0) continue;
    int const came = ::accept4(listens_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (came >= 0)
      clients.push_back({came, {}, {}, 0, now});
    else if (errno == EMFILE || errno == ENFILE)  // the program has no descriptors left: not again at once
      ::poll(watched.data(), 1, second / 10);
  }
  for (auto const& one : clients) ::close(one.descriptor);
}

}  // namespace skel
