#pragma once

#include <string>

namespace bench {

/// What plain TCP makes of a way.
struct tcp_figures {
  double round_trip = 0, least_round_trip = 0;  ///< of one byte: median, least [s]
  double bandwidth = 0;                         ///< of a flood, once it has found its speed [B/s]
};

/// Answers all who come, until the process is ended. Throws std::system_error.
[[noreturn]] void serve_tcp();

/// Measures the way to a server, for about so many seconds. Throws std::system_error.
tcp_figures measure_tcp(std::string const& address, double seconds);

}  // namespace bench
