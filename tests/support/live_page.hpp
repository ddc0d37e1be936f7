#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "loopback_server.hpp"

// What there is to see of a run on its rank, for tests that include src/show.
namespace skel::test {

/// What rank 0 writes to standard error meanwhile.
template <class Action>
std::string said_during(Action action) {
  testing::internal::CaptureStderr();
  try {
    action();
  } catch (...) {
    testing::internal::GetCapturedStderr();
    throw;
  }
  return testing::internal::GetCapturedStderr();
}

/// What a server at a port answers to this request, or nothing.
inline std::string answer_of(std::uint16_t port, std::string const& path) {
  int const descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string all;
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) {
    std::string const request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
    static_cast<void>(!::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL));
    char piece[4096];
    for (ssize_t got = 0; (got = ::recv(descriptor, piece, sizeof piece, 0)) > 0;)
      all.append(piece, static_cast<std::size_t>(got));
  }
  ::close(descriptor);
  return all;
}

/// A port that is free, at least now.
inline std::uint16_t free_port() {
  loopback_server const server(0, [](std::string_view) { return std::optional<web_resource>(); });
  return server.port();
}

}  // namespace skel::test
