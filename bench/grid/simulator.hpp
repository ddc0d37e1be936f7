#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/description.hpp>

#include "grid/simulated_machine.hpp"
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
class simulator {
 public:
  /// Throws skel::error when SimGrid is missing or the platform cannot be simulated.
  explicit simulator(skel::platform::description const& machine, simulator_settings settings = {});

  /// One run of the simulator. Virtual times: the same whenever it is repeated. Throws simulation_failed with what the
  /// simulator said when it fails or a result is wrong, skel::error when the time limit is over.
  measured_times run(work_list const& work, std::string_view selector = "default");

 private:
  simulated_machine machine_;
  simulator_settings settings_;
};

}  // namespace bench
