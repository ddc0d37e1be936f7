#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <skel/plan/run_plan.hpp>
#include <skel/record/run_record.hpp>
#include <skel/runtime/program.hpp>
#include "link_layer.hpp"

#include "byte_credits.hpp"
#include "crew.hpp"

namespace skel::runtime {

class site;

inline constexpr std::size_t no_worker = static_cast<std::size_t>(-1);

/// A parcel and the rank it came from, which gets room back for it.
struct arrival {
  parcel what;
  int from = 0;
};

/// A call of the user's functions that has become possible.
struct job {
  enum class kind { source, batch, copy, join, rest, finish };
  kind what = kind::batch;
  site* here = nullptr;
  std::size_t worker = no_worker;  ///< batch: who processes it
  arrival input;                   ///< batch: what
  crew_job shown;                  ///< copy, join: what
  double pace = 0;                 ///< batch, source: what an item takes the station's workers here [ns]; 0: not known
};

/// What a change of one site asks of others; carried out when no lock is held.
struct agenda {
  struct sending {
    site const* from;
    int rank;
    site* to;  ///< nullptr: on another rank
    parcel what;
  };
  struct posting {
    site const* from;
    int rank;
    posted what;
  };
  struct telling {
    int rank;
    notice what;
  };
  std::vector<sending> sends;
  std::vector<posting> posts;  // to the same station on other ranks
  std::vector<telling> notices;
  std::vector<job> jobs;
};

/// One station's workers on one rank, everything that waits for them, and the rules by which parcels come and go: room,
/// order, windows, the size of batches, the end of the stream. It calls no user function and sends nothing: what has to
/// be done goes into an agenda.
/// Every function locks the site where nothing else is said, and no two sites are ever locked at once.
class site {
 public:
  /// By the thread that runs the worker, without the lock; a source's, which another thread may start again as soon as
  /// it has ended, with it.
  struct one_worker {
    std::unique_ptr<worker> call;      ///< made when it is first needed, where it may throw
    std::unique_ptr<stage_copy> copy;  ///< of a broadcast stage, in its place
    record::station_record did;
    std::vector<record::span> spans;
  };

  /// `workers` of them are on `rank`. A source numbers its items from `first_item`. Once `stopping` is true, nothing
  /// goes into an agenda any more.
  site(program const& line, plan::run_plan const& plan, std::size_t station, int rank, std::size_t workers,
       std::uint64_t first_item, std::atomic<bool> const& stopping);

  /// Tells it who is the next station on this rank, nullptr: nobody. Before anything else, without the lock.
  void connect(site* next);

  std::size_t number() const { return number_; }
  station const& what() const { return station_; }
  bool is_sink() const { return is_sink_; }
  bool is_source() const { return producer_ != nullptr; }
  producer& source() { return *producer_; }
  std::vector<one_worker>& workers() { return workers_; }

  /// A worker as it is made for the first time; calls the user's functions. Without the lock.
  void make(std::size_t worker);

  /// Does everything that has become possible.
  void look(agenda& todo);
  /// A parcel has come.
  void deliver(int from, parcel what, agenda& todo);
  /// What copies further down the tree of a broadcast stage have made of a parcel has come.
  void contribute(int from, parcel what, agenda& todo);
  /// News from the station before or behind have come.
  void hear(int from, notice const& what, agenda& todo);

  /// How much the source should put into its next batch, and the number of that batch's first item.
  std::pair<batch_limits, std::uint64_t> next_batch();
  /// The source's function has been called from `begin` to `end` [ns]; `first` is what next_batch() said. With `trace`
  /// a span is kept. Returns how many items it gave.
  std::uint64_t source_ran(std::uint64_t first, std::int64_t begin, std::int64_t end, bool trace);
  /// Its lane is done with it: from now on another one may run it.
  void source_rests(producer::state state, agenda& todo);
  /// The source's function threw: the number of the item that it should have given.
  std::uint64_t source_threw();
  /// Sends on what the source has left in its batch for `age` [s]. Returns whether the source has given anything since
  /// the last call.
  bool flush(double age, agenda& todo);

  /// A batch of `count` items has been processed in `seconds`; what they `made`, of `bytes`, is null for a sink
  /// or where it was folded.
  void batch_done(job const& work, std::unique_ptr<items_base> made, std::size_t count, std::uint64_t bytes,
                  double seconds, agenda& todo);

  /// A copy has made something of `bytes` of a batch of `count` items in `seconds`.
  void copy_done(crew_job const& work, std::unique_ptr<items_base> made, std::size_t count, std::uint64_t bytes,
                 double seconds, agenda& todo);
  /// What copies made of a batch has been joined, to `bytes`.
  void joined(crew_job const& work, std::unique_ptr<items_base> all, std::uint64_t bytes, agenda& todo);

  /// What the workers still held after their last item.
  void give_rest(std::vector<std::unique_ptr<items_base>> held, agenda& todo);

  /// finish() of all workers has returned: tells the next stations how many parcels there were.
  void finished(agenda& todo);

  /// After the run, without the lock.
  record::station_record record() const;
  /// The most items of the source under way at once, where bytes are limited; otherwise 0.
  std::uint64_t most_items() const { return credits_ ? credits_->most_items() : 0; }

 private:
  struct outlet {
    int rank = 0;
    site* here = nullptr;  // nullptr: on another rank
    std::size_t workers = 1;
    std::size_t room = 0;
    bool unlimited = false;  // the exit of an ordered farm takes whatever comes; the farm's window bounds it
    std::uint64_t sent = 0;
    std::int64_t slowest_ns = 0;
  };
  struct inlet {
    int rank = 0;
    std::uint64_t received = 0;
    std::optional<std::uint64_t> announced;  // how many there will be in all
  };
  struct result {
    parcel what;
    std::size_t worker = no_worker;  // held until there is room
    std::optional<int> from;         // who gets room back when it has left
    std::int64_t since_ns = 0;       // waiting for room since; 0: not yet
  };

  void take_from(program const& line, plan::run_plan const& plan);
  void give_to(program const& line, plan::run_plan const& plan, int rank);

  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // These need the lock.
  std::int64_t slowest_ns() const;
  double pace() const;
  void learn(double ns_per_item);
  void weigh(std::uint64_t bytes, std::uint64_t items, agenda* todo);
  void tell_source(notice::kind what, std::uint64_t count, agenda& todo) const;
  outlet* pick();
  bool input_over() const;
  void take_open_batch();
  void depart(int from, agenda& todo);
  void send_results(agenda& todo);
  void take_joint_results(agenda& todo);
  void begin_for_copies(agenda& todo);
  void ask_for_join(std::optional<crew_job> work, agenda& todo);
  void pump(agenda& todo);

  std::size_t number_;
  station const& station_;
  plan::run_plan const& plan_;
  std::atomic<bool> const& stopping_;
  bool serial_;
  bool in_order_ = false;  // takes parcels by their sequence
  bool is_sink_;

  bool is_entry_ = false;          // of an ordered farm
  bool exit_counts_items_ = true;  // as its entry does: no station of the farm folds them
  bool is_exit_ = false;
  std::size_t entry_station_ = 0;  // of the farm that it is the exit of
  int entry_rank_ = 0;

  std::unique_ptr<crew> crew_;  // of a broadcast stage; its members other than the root have no neighbours in the line
  std::unique_ptr<producer> producer_;
  std::unique_ptr<byte_credits> credits_;  // of the source, where bytes are limited; the lock guards what it counts
  std::vector<one_worker> workers_;

  std::mutex mutex_;  // guards all that follows
  std::vector<std::size_t> idle_;
  std::deque<arrival> ready_;
  std::map<std::uint64_t, arrival> early_;
  std::uint64_t expected_ = 0;
  std::deque<result> outputs_;
  std::uint64_t produced_ = 0;  // parcels, by a serial station

  std::vector<outlet> outlets_;
  std::vector<inlet> inlets_;
  std::size_t next_outlet_ = 0;

  std::size_t window_ = 0;
  std::int64_t window_slowest_ns_ = 0;

  double item_ns_ = 0;  // running mean of the time per item
  std::uint64_t largest_batch_ = 0, item_bytes_ = 0;

  std::uint64_t source_items_ = 0, source_items_seen_ = 0;
  std::uint64_t source_bytes_ = 0;
  std::size_t last_batch_ = 0;
  bool source_running_ = false, source_ended_ = false;
  std::uint64_t last_item_ = 0;  // number of the first item of the latest parcel
  bool resting_ = false, rested_ = false, finishing_ = false;
};

}  // namespace skel::runtime
