#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/description.hpp>

#include "grid/work_list.hpp"

namespace bench {

/// The selectors of SimGrid's SMPI: how several MPI libraries choose the algorithm of a collective.
inline constexpr std::string_view selectors[] = {"ompi", "mpich", "mvapich2", "impi", "default"};

/// The simulator ended before its time, or what it computed was wrong.
class simulation_failed : public skel::error {
 public:
  using error::error;
};

struct simulator_settings {
  std::chrono::duration<double> time_limit{600};                        ///< of one run, by the clock on the wall
  std::function<void(std::size_t done, std::size_t of)> on_progress{};  ///< after each measurement
};

/// Makes measurements on a simulated platform, with one rank on each of its hosts, rank i on host i. Starts smpirun.
///
/// All runs use SimGrid's network model of SMPI as it comes (factors of latency and bandwidth by the size of a message,
/// shared links), with no time for computing and none for asking whether a message has come (smpi/test, smpi/iprobe,
/// which otherwise cost 0.1 ms a call).
class simulator {
 public:
  /// Throws skel::error when SimGrid is missing or the platform cannot be simulated.
  explicit simulator(skel::platform::description const& machine, simulator_settings settings = {});
  simulator(simulator const&) = delete;
  simulator& operator=(simulator const&) = delete;
  ~simulator();

  /// One run of the simulator. Virtual times: the same whenever it is repeated. Throws simulation_failed with what the
  /// simulator said when it fails or a result is wrong, skel::error when the time limit is over.
  measured_times run(work_list const& work, std::string_view selector = "default");

 private:
  std::size_t ranks_;
  simulator_settings settings_;
  std::filesystem::path folder_;
};

}  // namespace bench
