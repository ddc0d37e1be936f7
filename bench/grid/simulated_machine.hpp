#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <skel/detail/platform/description.hpp>

namespace bench {

/// How a run of the simulator ended.
struct simulated_end {
  bool in_time = false, succeeded = false;
  std::string said;  ///< on standard error, the end of it
};

/// A platform that SimGrid's SMPI simulates, in a folder of its own as long as it lives: rank i of a program is on host
/// i of the description. Programs are modules that smpirun loads.
///
/// All runs use SimGrid's network model of SMPI as it comes (factors of latency and bandwidth by the size of a message,
/// shared links), with no time for computing and none for asking whether a message has come (smpi/test, smpi/iprobe,
/// which otherwise cost 0.1 ms a call). A host of speed 1 does 1e9 flop/s.
class simulated_machine {
 public:
  /// Throws skel::error when SimGrid is missing or the platform cannot be simulated.
  explicit simulated_machine(skel::platform::description const& machine);
  simulated_machine(simulated_machine const&) = delete;
  simulated_machine& operator=(simulated_machine const&) = delete;
  ~simulated_machine();

  /// A file beside the platform, where programs run.
  void write(std::string const& file, std::string const& text) const;
  /// Runs a program with one argument to its end, or to that of the time by the clock on the wall, and calls
  /// use_line for what it writes. `settings`: of SimGrid, NAME:VALUE. Throws skel::error when it cannot be started, or
  /// a signal asks this program to end.
  simulated_end run(std::string const& program, std::string const& argument, std::vector<std::string> const& settings,
                    std::chrono::duration<double> time_limit,
                    std::function<void(std::string const&)> const& use_line) const;

 private:
  std::size_t ranks_;
  std::filesystem::path folder_;
};

}  // namespace bench
