#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace skel {

/// The content at a path.
struct web_resource {
  std::string type;  ///< of its content, as "text/html"
  std::string body;
};
using web_resources = std::function<std::optional<web_resource>(std::string_view path)>;

/// The whole answer to the head of a request of HTTP/1.x, for a server on this port of the loopback interface. Answers
/// only GET, and only clients that call the server by an address or name of the loopback interface. So no page of
/// somebody else reaches it through a name of its own (DNS rebinding).
std::string answer_to(std::string_view request, std::uint16_t port, web_resources const& resources);

/// Shows resources to browsers on the same host, at 127.0.0.1, from a thread of its own, as long as it lives. Clients
/// that hang, leave or send too much are dropped.
class loopback_server {
 public:
  static constexpr std::size_t most_clients = 16;
  static constexpr std::size_t longest_request = 8192;  ///< [B]; more than browsers send
  static constexpr double patience = 5;                 ///< with a client that takes nothing of its answer [s]

  /// At this port; 0: at one that is free. The thread of the server calls `resources`, which must throw nothing but
  /// std::bad_alloc: the client gets no answer then. Throws skel::error if there is no such port to be had, or no
  /// thread.
  loopback_server(std::uint16_t port, web_resources resources);
  ~loopback_server();
  loopback_server(loopback_server const&) = delete;
  loopback_server& operator=(loopback_server const&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void serve();

  web_resources resources_;
  int listens_ = -1, ends_ = -1;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace skel
