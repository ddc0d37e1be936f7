#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "descriptor.hpp"

namespace skel::testbed {

/// Answers lines of text that come over a Unix socket, each by a line, and waits for nobody: it lies between packets
/// that have to leave in time.
class control_server {
 public:
  /// The most bytes of a line that is answered.
  static constexpr std::size_t longest_request = 65536;

  /// Listens at this file, which must not be there. Throws skel::error where the system refuses.
  explicit control_server(std::filesystem::path const& socket);

  /// Readable when there is something to serve.
  int descriptor_to_watch() const { return watched_.get(); }

  /// Takes what has come and sends what can be sent. Clients that say too much, or leave, are forgotten.
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

/// Sends a line to the server at this file and returns its answer, without the end of the line. Throws skel::error
/// where nobody listens or the server ends meanwhile.
std::string ask(std::filesystem::path const& socket, std::string const& line);

}  // namespace skel::testbed
