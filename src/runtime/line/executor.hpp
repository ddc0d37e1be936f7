#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

#include "station/link_layer.hpp"
#include "station/replica_group.hpp"

/// Runs the stations of one rank. It knows neither MPI nor models nor threads: it obeys a plan, and talks to other
/// ranks through a `link_layer`. The threads that run jobs call it.
namespace skel::runtime {

class site;
struct job;
struct agenda;

/// A move whose state could not be taken along.
struct rollback {
  std::uint32_t epoch = 0;  ///< in which the station was to be elsewhere
  std::uint32_t station = 0;
  int keeper = no_rank;  ///< the rank that has its state
  std::string why;
};

/// Runs the user's functions of one rank's stations and carries out what they ask of each other. One site per station
/// decides what may run when (src/runtime/station/site.hpp).
class executor {
 public:
  struct events {
    std::function<void()> job_waits;  ///< called for each job that waits from now on, see drain()
    std::function<void()> finished;   ///< the sink is here and has ended, or no station is open here; from any thread
    std::function<void()> failed;     ///< a user's function threw; see first_failure()
    std::function<void()> stirred;    ///< the source has begun a batch after a time without one
    /// So many items have passed the watched station by then [ns]; called from its lanes, one after the other. Returns
    /// the time from which on it wants to be told again [ns].
    std::function<std::int64_t(std::uint64_t, std::int64_t)> passed{};
    /// All stations of this rank have left an epoch in which it had some; from any thread.
    std::function<void(std::uint32_t)> left{};
    /// A station that should have moved goes on at its new place, and its state stays where it was; from any thread.
    std::function<void(rollback const&)> rolled_back{};
    std::function<void(parted const&)> parted{};  ///< of a station here; from any thread
    /// The state of a station here at the beginning of an epoch, see station_state; from its lanes.
    std::function<void(stream_position const&, station_state*)> saved{};
    std::function<void()> turn{};  ///< called by drain() after each job
  };

  /// Counts the items that pass station `watched`, if it is here. `cores`: that this rank may use.
  executor(program const& line, plan::run_plan const& plan, int rank, link_layer& links, events on, bool trace,
           std::uint64_t first_item, std::size_t watched, std::size_t cores);
  ~executor();

  /// Number of jobs that may run at once, in the epochs that are known.
  std::size_t most_jobs() const { return most_jobs_; }
  /// Changes whenever a thread in drain() takes a job. Any thread.
  std::uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }
  /// Runs jobs until none waits. Several threads may.
  void drain();
  std::size_t waiting_jobs() const;
  /// Runs one of those that wait: for engines without threads. Precondition: which < waiting_jobs().
  void run_job(std::size_t which);

  /// Begins the sink, and starts the source, if they are here.
  void start();

  // The communication thread:
  /// There will be such an epoch, with this plan, behind all that are known (the run begins with epoch 0). Throws
  /// std::bad_alloc, and has changed nothing then. Precondition: the plan fits, and source, sink and broadcast stages
  /// are where they were. `saves`: the line is saved where it begins, and the plan is the same.
  void announce(std::uint32_t epoch, plan::run_plan const& next, bool saves = false);
  /// It will not be. Precondition: it was the last that was announced, and nobody has called cut() for it.
  void forget(std::uint32_t epoch);
  /// On the source's rank: the next epoch has all that the source gives from now on. False: the stream has ended.
  bool cut();
  /// A serial station comes from rank `from`.
  void receive(int from, stream_position const& counts, std::string state);
  /// The state of one that comes stays on rank `from`: there is no memory for it here.
  void roll_back(int from, stream_position const& counts, std::string const& why);
  /// The state of a station here goes to rank `to` part by part, while it works, so that it moves at the cut without.
  /// events::parted is called once. Messages to that rank are of this session, whose number grows.
  void divide(std::uint32_t station, int to, std::uint32_t session);
  /// It does not move, after all: what is there comes home.
  void undivide(std::uint32_t station, std::uint32_t session);
  /// Goes on with parts that wait for their time. Returns whether some are on their way: then it should be called again
  /// soon.
  bool look_after_parts();
  /// Rank `from` wants work on a state that is here, or has done some.
  void receive(int from, errand what);

  void receive(std::uint32_t epoch, std::uint32_t station, int from, parcel what);
  /// A contribution of rank `from` and those below it to a parcel of a broadcast stage.
  void receive_contribution(std::uint32_t station, int from, parcel what);
  void receive(int from, notice const& what);
  /// A parcel for a station here could not be turned back into items: the exception being handled is the run's failure.
  void refuse(std::uint32_t station, std::uint64_t item);

  /// Sends on the batch that the source has left unfinished for longer than half of the plan's batch_latency. Returns
  /// whether the source has produced anything since the last call. With `last_look` the caller will not call again
  /// until `events::stirred`.
  bool flush_source(bool last_look);

  /// No user function is called any more after those that run now.
  void stop();
  /// The same before the end of the stream: those that run and have a token are told by it.
  void stop_early();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  /// True if a station is here that has not ended.
  bool hosts_anything() const { return open_sites_.load() > 0; }
  bool sink_ended() const { return sink_ended_.load(); }
  /// Items that have passed the watched station.
  std::uint64_t items_passed() const { return items_passed_.load(std::memory_order_relaxed); }
  /// Progress of the stations of this rank. Any thread. O(stations).
  std::vector<record::station_progress> progress() const;
  /// Says what each of them does or waits for, in words. Any thread. O(stations).
  std::vector<std::string> explained() const;
  std::optional<failure> first_failure() const;
  /// After all jobs: the serial stations that have ended on this rank, where their state is.
  std::vector<std::uint32_t> ended_here() const;
  /// After all jobs: records of the stations of this rank.
  std::vector<record::station_record> records() const;
  /// After all jobs: the most items of a source here under way at once, if bytes are limited; otherwise 0.
  std::uint64_t most_items() const;
  std::vector<record::span> take_spans();
  /// Times of the first call of the source and of the end of the last item here [ns]; 0 if there was none.
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_.load(); }

 private:
  struct job_queue;

  site& at(std::size_t station) const;
  void perform(agenda& todo, std::optional<job>* keep);
  void send(site const& from, int rank, std::uint32_t epoch, std::size_t station, std::size_t taker, posted what);
  void send(site const& from, int rank, errand what);
  void count_left(std::uint32_t epoch);
  void run(job& work, agenda& todo);
  job take_next();
  bool waits_for(double pace) const;
  void run_source(site& here, agenda& todo);
  bool make(site& here, std::size_t worker, std::uint64_t item);
  void run_batch(job& work, agenda& todo);
  void run_copy(job& work, agenda& todo);
  void run_join(job& work, agenda& todo);
  void count_passed(site const& here, std::uint64_t items, std::int64_t end);
  double note(job const& work, replica_group::replica& one, std::int64_t begin, std::int64_t end,
              std::uint64_t first_item, std::uint64_t source_items, std::size_t items, items_base const* made,
              std::uint64_t bytes);
  void run_rest(job const& work, agenda& todo);
  void run_leave(job& work, agenda& todo);
  void send_on(site const& here, int to, stream_position counts);
  void tell_rolled_back(stream_position const& of, std::string why);
  void run_enter(job& work, agenda& todo);
  void run_save(job const& work, agenda& todo);
  void run_finish(site& here, agenda& todo);
  void run_lend(job& work, agenda& todo);
  bool lend_batch(job& work, replica_group::replica& one, errand& answer);
  void lend_parts(site const& here, errand const& asked, errand& answer);
  void run_parted_batch(job& work, agenda& todo);
  void run_part(job const& work, agenda& todo);
  void run_read_parts(job const& work, agenda& todo);
  void run_merge(job& work, agenda& todo);
  void run_strand(job const& work);
  void end(site& here, agenda& todo);
  void fail(site const& here, failure::kind during, std::uint64_t item, std::uint64_t items = 1);
  void fail(site const& here, failure known);
  void fail_at(site const& here, std::string const& stage, std::uint64_t first_item, std::uint64_t source_items,
               std::size_t position);

  program const& line_;
  plan::run_plan const& plan_;  // the first one
  int rank_;
  link_layer& links_;
  events on_;
  bool trace_;
  std::size_t watched_;

  std::vector<std::unique_ptr<site>> sites_;  // of all stations, also those that may come
  std::size_t most_jobs_ = 0;
  std::atomic<std::uint64_t> turns_{0};
  plan::run_plan last_, before_last_;  // of the epochs that are known
  std::mutex epochs_mutex_;
  std::map<std::uint32_t, std::size_t> sites_in_;  // how many of this rank have not left an epoch
  std::unique_ptr<job_queue> jobs_;

  std::deque<user_function> functions_;      // of each station
  std::deque<std::atomic<double>> item_ns_;  // of each, the time of an item on a worker here; 0: not known
  double cores_;
  std::stop_source stop_;
  std::atomic<bool> stopping_{false};
  bool parts_move_ = false;  // divide() was called
  std::atomic<bool> watch_asleep_{true};
  std::atomic<std::uint64_t> items_passed_{0};
  std::int64_t tell_from_ = 0;  // of the watched station, which is a serial one [ns]
  std::atomic<std::ptrdiff_t> open_sites_{0};
  std::atomic<bool> sink_ended_{false};
  std::int64_t first_ns_ = 0;
  std::atomic<std::int64_t> last_ns_{0};

  mutable std::mutex failure_mutex_;
  std::optional<failure> failure_;
};

}  // namespace skel::runtime
