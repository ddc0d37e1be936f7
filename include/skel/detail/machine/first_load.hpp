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

/// What threads of other programs do to cores that a run is planned for.
struct others_load {
  double others = 0;  ///< threads that always want to run (cost::others_beside)
  double doubt = 0;   ///< standard error of it
  bool known = true;  ///< false: the system does not say
};

/// How many threads of a host could run, moment by moment.
struct runnable_series {
  std::vector<double> threads{};  ///< whoever looked left out; empty: the system does not say
  double own = 0;                 ///< cores that this program kept busy meanwhile, mean
};

/// Whether plans count what others do to the cores of a run: unless the environment variable SKEL_OTHERS is "off", as
/// in tests, whose plans must not depend on what runs beside them.
bool others_count();

/// What others do to `cores` of the `of_host` cores of a host, by what the program's own threads got there and by how
/// many threads could run.
///
/// Threads got the share s where m of them wanted to run. By the threads that could run there are k others. Where the
/// fair share n / (m + k) of n cores is less than what a thread wants, others are as many as explain s
/// (cost::others_beside), which holds also where the scheduler divides cores between sessions or control groups first.
/// Otherwise there are k: threads that are left cores, or that want less than their share as they mostly wait, get at
/// once what they want (max-min), and notice nothing of others yet. Where the count is within the doubt of what
/// explains s, both count by their errors. Where one of the two is not known the other one is believed. Errors are
/// standard errors by means of batches. `limited`: a quota held threads back too, so that their share does not tell
/// others from it.
others_load load_beside(runtime::core_share const& got, bool told, runnable_series const& there, double cores,
                        double of_host, bool limited = false);

/// The same of any `cores` of the host, by the threads that could run alone. They count as spread evenly: others flee
/// from cores that a program keeps busy to its idle ones. Not known where nobody looked.
others_load counted_beside(runtime::core_share const& got, bool told, runnable_series const& there, double cores,
                           double of_host);

/// What rank 0 knows of others on the cores of a run.
struct looked_around {
  runtime::core_share got{};              ///< by threads that measured on its own cores
  bool told = false;                      ///< whether the system says how long threads wait for cores
  runnable_series seen{};                 ///< on its host
  double of_host = 1;                     ///< cores of its host
  std::vector<std::string> told_loads{};  ///< what each rank saw of its host (platform::to_text); empty: there is one
};

/// What others do to each domain of cores, of which `planned` are planned for: to those of rank 0 by what threads got
/// there and how many could run, to those that other ranks have on its host by the latter, to those of other hosts by
/// how busy others kept them lately. Where ranks of the host are bound to domains of their own, others flee from busy
/// domains to idle ones, so that all domains count what is evenly theirs at least. `host_of_rank`: equal on one host.
/// O(ranks).
std::vector<others_load> others_of_domains(rank_cores const& of, std::vector<std::string> const& host_of_rank,
                                           std::vector<std::size_t> const& planned, looked_around const& by);

/// How long first items are measured [s]: `usual`, or longer where others could run beside the caller whenever it asks
/// (three times within some milliseconds: what wakes up now and then is none), until the share that threads get of the
/// cores is known. Threads that begin to run get more at first than later: with 1 to 4 other threads on two cores, in
/// their session and another one, what two got in 0.025 s was 20 % off what they got in two seconds, in 0.2 s 7 %, in
/// the mean of 15 (docs/decisions/07).
double measuring_time(double usual, std::function<std::optional<double>()> const& runnable);

/// Looks how many threads could run while this lives, in a thread of its own. Sees nothing if there can be none.
class load_samples {
 public:
  explicit load_samples(std::filesystem::path proc = "/proc");

  /// Ends it. What was seen, with the time that this process ran meanwhile as its own threads.
  runnable_series take();

 private:
  void look(std::stop_token const& over);

  std::filesystem::path proc_;
  std::mutex mutex_;
  std::vector<double> seen_;
  double begun_ = 0, ran_ = 0;  // [s]
  std::jthread looks_;
};

/// What a plan says of them: empty where they change nothing. `cores`: those that they share with the program. `host`:
/// where they are; empty: there is no other place.
std::string describe(others_load const& load, double cores, std::string const& host = {});

}  // namespace skel
