#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "executor.hpp"
#include "path_probe.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// Every rank tells rank 0 now and then what its stations have done, how its threads found cores, and how long messages
/// take to another rank and back. It sends short ones to four ranks at a time and a larger one (path_probe) to one, in
/// turn. So n ranks know the latencies of all pairs after (n - 1) / 4 periods. A rank that has not answered yet is not
/// asked again. The rank where the items are counted also tells the forecast that stands, if it is a new one.
///
///     every rank --said--> rank 0;  every rank --asked--> another one --answered--> it
///
/// The communication thread's.
class progress_reports {
 public:
  /// `standing`: the forecast of the throughput that stands; nothing if the items are not counted here.
  progress_reports(transport& among, executor const& work, run_options const& options,
                   std::function<std::optional<record::throughput_forecast>()> standing);

  /// Takes messages from now on.
  void open();
  /// Sends the reports that are due, `now` seconds after the run's begin. Returns when it wants to be called again [s].
  double serve(double now);

 private:
  enum class kind : std::uint32_t { said, asked, answered };
  struct head {
    kind what = kind::said;
    std::uint32_t number = 0;  // of a question
  };

  void say(double now);
  void ask(int to, std::size_t bytes);
  void ask_in_turn(double now);
  void answered(int from, std::uint32_t number);

  transport& among_;
  executor const& work_;
  run_options const& options_;
  std::function<std::optional<record::throughput_forecast>()> standing_;
  std::optional<double> told_;  // time of the forecast that was told last [s]
  record::process_clock clock_;
  record::process_times before_;
  double now_ = 0, said_ = 0, next_ = 0;
  struct question {
    std::uint32_t number = 0;
    std::int64_t asked_ns = 0;
    std::size_t bytes = 0;  // 0: a short one
  };
  std::uint32_t turn_ = 0, asked_ = 0;                // periods and questions so far
  std::map<std::pair<int, bool>, question> waiting_;  // without an answer, by rank and whether it is short
  std::map<int, path_probe> probes_;                  // by rank
  std::vector<record::round_trip> trips_;
};

}  // namespace skel::runtime
