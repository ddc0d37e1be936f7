#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <skel/detail/record/throughput_watch.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "checkpoints.hpp"
#include "closing.hpp"
#include "epochs.hpp"
#include "executor.hpp"
#include "parcel_links.hpp"
#include "progress_reports.hpp"

namespace skel::runtime {

/// Number of cores that functions of this rank may use.
std::size_t cores_for(run_options const& options);

/// The communication thread's part of a run on one rank. It never waits: its caller waits, and runs the jobs. Call
/// begin(), then serve() until it says that the run is over, then stop(). When no job runs and the transport is quiet,
/// call end().
class conductor {
 public:
  /// `job_waits` is called for each job that work().drain() or work().run_job() may run, from any thread.
  conductor(program const& line, plan::run_plan const& plan, transport& among, run_options const& options,
            std::function<void()> job_waits);

  void begin();
  /// Serves messages, the source's watch and the clock. Returns how long the thread may rest now [s]; 0: not at all;
  /// nothing: the run is over here.
  std::optional<double> serve();
  void rest(double seconds);
  void stop();
  closing end();

  executor& work() { return executor_; }

 private:
  std::string why_it_ends() const;
  bool asked_to_stop() const;
  bool something_to_do() const;
  double watch();
  std::int64_t look_at_throughput(std::uint64_t items, std::int64_t end);
  void report_progress(double now);

  plan::run_plan const& plan_;
  transport& among_;
  run_options const& options_;
  parcel_links links_;
  bool counts_here_;
  std::mutex throughput_mutex_;
  record::throughput_watch throughput_;  // lanes look at it
  std::atomic<bool> failed_{false}, stirred_{false}, ended_{false};
  bool interrupted_ = false, told_ = false;
  checkpoints checkpoints_;
  executor executor_;
  epochs epochs_;
  progress_reports reports_;

  std::int64_t begin_ns_ = 0, over_ns_ = 0;
  double begin_ = 0, next_progress_ = 0, next_flush_ = 0;
  int silent_looks_ = 0;
  bool watch_off_ = true;
  watched_run const watched_;  // the last one: it is about all that is above
};

}  // namespace skel::runtime
