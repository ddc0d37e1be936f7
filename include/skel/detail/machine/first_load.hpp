#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/runtime/line/calibration.hpp>

namespace skel {

/// Load by threads of other programs on the cores of a plan.
struct others_load {
  double others = 0;  ///< threads that always want to run (cost::others_beside)
  double doubt = 0;   ///< standard error of it
  bool known = true;  ///< false: the system does not say
};

/// Number of runnable threads of a host, moment by moment.
struct runnable_series {
  std::vector<double> threads{};  ///< without the thread that counts; empty: the system does not say
  double own = 0;                 ///< cores that this program kept busy meanwhile, mean
};

/// True if plans count the load of others on the cores of a run: unless the environment variable SKEL_OTHERS is "off".
/// Tests set it, because their plans must not depend on programs beside them.
bool others_count();

/// Load of others on `cores` of the `of_host` cores of a host, by the share that the program's own threads got there,
/// and by the number of runnable threads.
///
/// Let m threads want to run and get the share s. By the count of runnable threads there are k others. The fair share
/// of n cores is n / (m + k). If it is less than a thread wants, the others are as many as explain s
/// (cost::others_beside). That holds also if the scheduler first divides cores between sessions or control groups.
/// Otherwise there are k. Threads that find idle cores get at once what they want (max-min). So do threads that mostly
/// wait and want less than their share. Neither kind notices others yet. If the count is within the doubt of the number
/// that explains s, both count by their errors. If one of the two is not known, the other one is believed. Errors are
/// standard errors by means of batches. `limited`: a quota also held threads back, so their share says nothing of
/// others.
others_load load_beside(runtime::core_share const& got, bool told, runnable_series const& there, double cores,
                        double of_host, bool limited = false);

/// The same for any `cores` of the host, by the number of runnable threads alone. They count as spread evenly: others
/// flee from cores that a program keeps busy to its idle ones. Unknown if nobody looked.
others_load counted_beside(runtime::core_share const& got, bool told, runnable_series const& there, double cores,
                           double of_host);

/// Rank 0's knowledge of others on the cores of a run.
struct looked_around {
  runtime::core_share got{};              ///< by threads that measured on its own cores
  bool told = false;                      ///< the system says how long threads wait for cores
  runnable_series seen{};                 ///< on its host
  double of_host = 1;                     ///< cores of its host
  std::vector<std::string> told_loads{};  ///< each rank's reading of its host (platform::to_text); empty: there is one
};

/// Load of others on each domain of cores, for `planned` cores of each. On rank 0's domain it follows from the threads'
/// share there and from the number of runnable threads; on other domains of its host only from the latter. On other
/// hosts it follows from how busy others lately kept them. If ranks of the host are bound to domains of their own,
/// others flee from busy domains to idle ones. So all domains count at least their even share. `host_of_rank`: equal on
/// one host. O(ranks).
std::vector<others_load> others_of_domains(rank_cores const& of, std::vector<std::string> const& host_of_rank,
                                           std::vector<std::size_t> const& planned, looked_around const& by);

/// Time of measuring first items [s]: `usual`, or longer until the threads' share of the cores is known. It is longer
/// if other threads are runnable beside the caller whenever it asks: three times within some milliseconds, so that a
/// thread that wakes up now and then does not count. Threads that begin to run get more at first than later. Measured
/// with 1 to 4 other threads on two cores, in their session and another one: in 0.025 s the share of two was 20 % off
/// that in two seconds, in 0.2 s 7 %, in the mean of 15 (docs/decisions/07).
double measuring_time(double usual, std::function<std::optional<double>()> const& runnable);

/// Counts runnable threads as long as it lives, in a thread of its own. Sees nothing if there can be none.
class load_samples {
 public:
  explicit load_samples(std::filesystem::path proc = "/proc");

  /// Ends it. The counts, with the time that this process ran meanwhile as its own threads.
  runnable_series take();

 private:
  void look(std::stop_token const& over);

  std::filesystem::path proc_;
  std::mutex mutex_;
  std::vector<double> seen_;
  double begun_ = 0, ran_ = 0;  // [s]
  std::jthread looks_;
};

/// A plan's words about them; empty if they change nothing. `cores`: those that they share with the program. `host`:
/// the place; empty: there is no other.
std::string describe(others_load const& load, double cores, std::string const& host = {});

}  // namespace skel
