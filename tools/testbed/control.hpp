#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "descriptor.hpp"

namespace skel::testbed {

/// Answers lines of text over a Unix socket, each by a line. It never blocks: it runs between packets that have to
/// leave in time.
class control_server {
 public:
  /// The most bytes of a line that is answered.
  static constexpr std::size_t longest_request = 65536;

  /// Listens at this file, which must not exist. Throws skel::error if the system refuses.
  explicit control_server(std::filesystem::path const& socket);

  /// Readable when there is something to serve.
  int descriptor_to_watch() const { return watched_.get(); }

  /// Reads new requests and sends answers, as far as possible. Forgets clients that say too much, or leave.
  void serve(std::function<std::string(std::string const& line)> const& answer);

 private:
  struct client {
    descriptor connection;
    std::string in, out;
  };

  void accept_clients();
  bool serve(client& one, std::function<std::string(std::string const& line)> const& answer);

  descriptor listener_, watched_;
  std::map<int, client> clients_;
};

/// Sends a line to the server at this file and returns its answer, without the end of the line. Throws skel::error if
/// nobody listens or the server ends meanwhile.
std::string ask(std::filesystem::path const& socket, std::string const& line);

}  // namespace skel::testbed
