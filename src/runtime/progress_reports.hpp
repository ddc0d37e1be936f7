#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/record/rank_progress.hpp>
#include <skel/detail/runtime/run_line.hpp>

#include "executor.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// Every rank tells rank 0 now and then what its stations have done, how its threads found cores, and how long a short
/// message takes to another rank and back: to one of them at a time, in turn, so that n ranks know the paths of all
/// pairs after n - 1 periods. The rank where the items are counted also tells the forecast that stands, when it is
/// another one than before.
///
///     every rank --said--> rank 0;  every rank --asked--> another one --answered--> it
///
/// The communication thread's.
class progress_reports {
 public:
  /// `standing`: the forecast of the throughput that stands; nothing where the items are not counted here.
  progress_reports(transport& among, executor const& work, run_options const& options,
                   std::function<std::optional<record::throughput_forecast>()> standing);

  /// Takes messages from now on.
  void open();
  /// Says what there is to be said, `now` seconds after the run's begin. When it wants to be called again [s].
  double serve(double now);

 private:
  enum class kind : std::uint32_t { said, asked, answered };
  struct head {
    kind what = kind::said;
    std::uint32_t number = 0;  // of a question
  };

  void say(double now);
  void ask();

  transport& among_;
  executor const& work_;
  run_options const& options_;
  std::function<std::optional<record::throughput_forecast>()> standing_;
  std::optional<double> told_;  // when the forecast was made that was told last [s]
  record::process_clock clock_;
  record::process_times before_;
  double now_ = 0, said_ = 0, next_ = 0;
  std::uint32_t asked_ = 0;    // questions so far
  std::int64_t asked_ns_ = 0;  // when the last one was
  int asked_whom_ = 0;
  std::vector<record::round_trip> trips_;
};

}  // namespace skel::runtime
