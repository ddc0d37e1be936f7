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
#include <string>
#include <vector>

#include <skel/plan/run_plan.hpp>
#include <skel/record/run_record.hpp>
#include <skel/runtime/errors.hpp>
#include <skel/runtime/lanes.hpp>
#include <skel/runtime/program.hpp>

/// What runs the stations of one rank. It knows neither MPI nor models: it obeys a plan, and talks to other ranks
/// through a `link_layer`.
namespace skel::runtime {

/// A batch on its way.
struct parcel {
  std::unique_ptr<items_base> items;
  std::uint64_t sequence = 0;    ///< place in the stream that the last serial station made
  std::uint64_t first_item = 0;  ///< number that the source gave its first item
};

/// What one station tells another besides items. Counts are in parcels.
struct notice {
  enum class kind : std::uint32_t {
    room,    ///< to a producer: `count` more parcels may be sent to the station on the sending rank
    window,  ///< to the entry of an ordered farm: `count` parcels have left the farm's exit
    end,     ///< to a consumer: `count` parcels in all have been sent to it from the sending rank
  };
  kind what = kind::room;
  std::uint32_t station = 0;  ///< the station that receives it
  std::uint64_t count = 0;
  std::int64_t slowest_item_ns =
      0;  ///< room and window: the longest time per item from there on [ns]; 0: not known yet
};

/// Sends to other ranks. Called from any lane; must not block.
class link_layer {
 public:
  virtual ~link_layer() = default;
  virtual void send(int rank, std::uint32_t station, parcel what, codec const& how) = 0;
  virtual void send(int rank, notice const& what) = 0;
};

/// Rules for parcels, the same on every rank.
namespace flow_control {

/// Ranks that run workers of a station, ascending, each once, with the number of its workers.
std::vector<std::pair<int, std::size_t>> sites(plan::station_plan const& station);

/// Parcels that `consumer` lets `producer` have under way to it: its workers' room divided among the producers, at
/// least one each. Indices are into sites().
std::size_t room(plan::station_plan const& consuming, std::size_t consumer, std::size_t producers,
                 std::size_t producer);

/// Neighbouring farm stations between two serial ones. Which worker of one gives to which of the next is left open, so
/// the order of the stream can only be seen at `exit`, and has to be restored there only if every farm asked for it.
struct region {
  std::size_t entry = 0;  ///< the serial station before it
  std::size_t exit = 0;   ///< the serial station behind it
  bool ordered = true;
};
/// The region that a farm station stands in. Precondition: program.stations[station] is replicable.
region region_around(program const& line, std::size_t station);

/// Parcels that may be between the entry and the exit of an ordered region.
std::size_t window(plan::run_plan const& plan, region const& farm);

/// Bound on the parcels that exist at once on all ranks.
std::size_t most_parcels(program const& line, plan::run_plan const& plan);

}  // namespace flow_control

class executor {
 public:
  struct events {
    std::function<void()> finished;  ///< all stations of this rank have ended; called once, from a lane
    std::function<void()> failed;    ///< a user's function threw; see first_failure()
    std::function<void()> stirred;   ///< the source has begun a batch after a time without one
  };

  executor(program const& line, plan::run_plan const& plan, int rank, link_layer& links, events on, bool trace,
           std::uint64_t first_item = 0);
  ~executor();

  /// Starts the source, if it is here.
  void start();

  void receive(std::uint32_t station, int from, parcel what);
  void receive(int from, notice const& what);
  /// A parcel for a station here could not be turned back into items: the exception being handled is the run's failure.
  void refuse(std::uint32_t station, std::uint64_t item);

  /// Sends on the batch that the source has left unfinished for longer than half of the plan's batch_latency. Returns
  /// whether the source has produced anything since the last call. With `last_look` the caller will not call again
  /// until `events::stirred`.
  bool flush_source(bool last_look);

  /// No user function is called any more after those that run now.
  void stop();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  /// Returns when no user function runs.
  void wait_idle();

  bool hosts_anything() const { return !sites_.empty(); }
  std::uint64_t items_finished() const { return items_finished_.load(std::memory_order_relaxed); }
  std::optional<failure> first_failure() const;
  /// After wait_idle(): what the stations of this rank did.
  std::vector<record::station_record> records() const;
  std::vector<record::span> take_spans();
  /// When the source was first called and when the last item ended here [ns]; 0 when neither happened.
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_.load(); }

 private:
  struct site;
  struct job;
  struct agenda;

  void build_site(std::size_t station, std::size_t workers);
  void perform(agenda& todo, std::optional<job>* keep);
  void send(site const& from, int rank, parcel what);
  void drain();
  void run(job& work, agenda& todo);
  void run_source(site& here, agenda& todo);
  void run_batch(job& work, agenda& todo);
  void run_finish(site& here, agenda& todo);
  void deliver(site& here, int from, parcel what, agenda& todo);
  void hear(site& here, int from, notice const& what, agenda& todo);
  void pump(site& here, agenda& todo);
  void depart(site& here, int from, agenda& todo);
  void take_open_batch(site& here);
  void fail(site const& here, std::uint64_t item, bool in_finish);

  program const& line_;
  plan::run_plan const& plan_;
  int rank_;
  link_layer& links_;
  events on_;
  bool trace_;

  std::vector<std::unique_ptr<site>> sites_;
  std::vector<site*> by_station_;  // nullptr: not on this rank

  std::mutex jobs_mutex_;
  std::deque<job> jobs_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> watch_asleep_{true};
  std::atomic<std::uint64_t> items_finished_{0};
  std::atomic<std::size_t> open_sites_{0};
  std::int64_t first_ns_ = 0;
  std::atomic<std::int64_t> last_ns_{0};

  mutable std::mutex failure_mutex_;
  std::optional<failure> failure_;

  std::unique_ptr<lanes> lanes_;
};

}  // namespace skel::runtime
