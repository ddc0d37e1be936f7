#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "copy_group.hpp"
#include "end_of_stream.hpp"
#include "link_layer.hpp"
#include "loan.hpp"
#include "neighbourhood.hpp"
#include "order.hpp"
#include "parting.hpp"
#include "replica_group.hpp"
#include "stream_source.hpp"

namespace skel::runtime {

class site;

/// A call of the user's functions that has become possible.
struct job {
  enum class kind {
    source,
    batch,
    copy,
    join,
    rest,
    finish,
    leave,
    enter,
    save,
    lend,
    part,
    read_parts,
    merge,
    strand
  };
  kind what = kind::batch;
  site* here = nullptr;
  std::size_t worker = no_worker;  ///< batch: the one that processes it; rest, leave: the first one that ends
  arrival input;                   ///< batch: what
  copy_job shown;                  ///< copy, join: what
  double item_ns = 0;              ///< batch, source: time of an item on a worker here [ns]; 0: not known
  double pace = 0;                 ///< the same of all workers of the station here together [ns]
  int to = no_rank;                ///< leave: where the station goes on; no_rank: here, or it has no state
  int from = no_rank;              ///< enter: where the station was; lend: the rank that asks
  stream_position counts{};        ///< leave, enter, save
  std::string state{};             ///< enter
  errand asked{};                  ///< lend; read_parts: the answer that has them
  bool parted = false;             ///< batch: some of its items may have to be worked on elsewhere
  merge_job merging{};             ///< merge
};

/// Requests to others after a change of one site; carried out when no lock is held.
struct agenda {
  struct sending {
    site const* from;
    int rank;
    std::uint32_t epoch;
    parcel what;
  };
  struct posting {
    site const* from;
    int rank;
    std::uint32_t epoch;
    posted what;
  };
  struct telling {
    int rank;
    notice what;
  };
  struct commission {
    site* from;
    int rank;
    errand what;
  };
  std::vector<sending> sends;
  std::vector<posting> posts;  // to the same station on other ranks
  std::vector<telling> notices;
  std::vector<commission> errands;  // to the same station on other ranks
  std::vector<site*> ended;         // whose finish() was called elsewhere, and has returned
  std::vector<parted> parted_;      // outcomes for states that should go part by part
  std::vector<job> jobs;
  std::vector<std::uint32_t> left;  // the epoch, for each site with workers that has left one
  std::ptrdiff_t opened = 0;        // so many more sites have workers than before
};

/// One station on one rank: input (arrival_order, end_of_stream), workers (replica_group, or a copy_group, or the
/// stream_source) and output (outflow). It calls no user function and sends nothing: all tasks go into an agenda. Every
/// function locks the site where nothing else is said, and no two sites are ever locked at once.
///
/// The stream is cut into **epochs**, each of which has a plan. The source decides where. Each station goes into the
/// next epoch when all parcels of its own have come, been worked on and left. So every parcel meets the plan of its
/// epoch everywhere. A site without a worker in an epoch waits for the next one in which it has one. Messages for an
/// epoch that has not begun here are kept until then.
class site {
 public:
  /// In epoch 0, which has this plan. A source numbers its items from `first_item`. Once `stopping` is true, nothing
  /// goes into an agenda any more. `stop`: for functions that take a token.
  site(program const& line, plan::run_plan const& plan, std::size_t station, int rank, std::uint64_t first_item,
       std::atomic<bool> const& stopping, std::stop_token stop);

  std::size_t number() const { return number_; }
  /// True if other ranks have room for its results. Without the lock.
  bool feeds_others() const { return feeds_others_.load(std::memory_order_relaxed); }
  station const& what() const { return station_; }
  bool is_sink() const { return is_sink_; }
  bool is_source() const { return source_.has_value(); }
  producer& source() { return source_->function(); }
  std::vector<replica_group::replica>& workers() { return workers_.all(); }
  /// By the workers that are here now, and the one that is lent.
  std::uint64_t items_taken() const;
  /// After the run: true if it had any in some epoch.
  bool had_workers() const { return workers_.most() > 0 || lender_; }
  std::vector<record::span> spans() const;

  /// There will be such an epoch, with the plan `next`, behind one with the plan `before`, the last that is known.
  /// Throws std::bad_alloc, and then has changed nothing. Returns how many workers it will have. `saves`: its state is
  /// saved before it begins, and nothing moves.
  std::size_t announce(std::uint32_t epoch, plan::run_plan const& before, plan::run_plan const& next,
                       bool saves = false);
  /// It will not be, after all. Precondition: cut() was not called for it.
  void forget(std::uint32_t epoch);
  /// Of a source: the next epoch that was announced begins as soon as its items have left. False: the stream has ended.
  bool cut(agenda& todo);
  /// The station comes here from rank `from`, with its state; entered() is called when that is restored. If its state
  /// is on another rank, it works on loan.
  void come(int from, stream_position const& counts, std::string state, agenda& todo);
  /// It is here; `counts` says where its state is.
  void entered(stream_position const& counts, agenda& todo);
  /// A job of kind::leave is done.
  void left(agenda& todo);

  /// The parts of the station's state go to rank `to`, while it works; the outcome goes into agenda::parted_.
  void divide(int to, std::uint32_t session, agenda& todo);
  /// They come home, unless they are of another session.
  void undivide(std::uint32_t session, agenda& todo);
  /// Goes on with parts that wait for their time. Returns whether some are on their way.
  bool look_after_parts(agenda& todo);
  /// For jobs of the station, without the lock: no part changes its place while they run.
  parting const& parts() const { return *parting_; }
  /// A job of kind::part has written some of so many parts; or says why it could not.
  void parts_written(std::size_t all, std::vector<std::size_t> which, std::string bytes, agenda& todo);
  void parts_not_written(std::string const& why, agenda& todo);
  /// A job of kind::read_parts has read them, or not.
  void parts_read(bool well, std::string const& why, agenda& todo);
  /// A batch has items of parts that are on their way: it is worked on when they are somewhere.
  void park(job work, agenda& todo);
  /// As batch_done(), where the items for which `there` is true are still to be worked on elsewhere.
  void parted_batch_done(job& work, halves made, std::vector<bool> there, std::uint64_t bytes, double seconds,
                         agenda& todo);
  void merged(std::uint64_t round, std::unique_ptr<items_base> all, agenda& todo);

  /// A rank asks for work on the state that is here, or answers.
  void receive(int from, errand what, agenda& todo);
  /// The worker of what is lent; made for the first time by the user's functions. Without the lock.
  replica_group::replica& lent();
  /// A job of kind::lend is done.
  void lent_done(job const& work, errand answer, agenda& todo);
  /// Of a serial station, after the run: true if finish() was called here, where its state is then.
  bool ended_here() const { return ended_here_; }
  void ends_here() { ended_here_ = true; }

  /// A worker as it is made for the first time; calls the user's functions. Without the lock.
  void make(std::size_t worker);

  /// Does everything that has become possible.
  void start(agenda& todo);
  /// A parcel of an epoch has come.
  void deliver(int from, std::uint32_t epoch, parcel what, agenda& todo);
  /// Copies further down the tree of a broadcast stage have made this of a parcel.
  void contribute(int from, parcel what, agenda& todo);
  /// News from the station before or behind have come.
  void hear(int from, notice const& what, agenda& todo);

  /// Limits of the source's next batch, and the number of that batch's first item.
  std::pair<batch_limits, std::uint64_t> next_batch();
  /// The source's function has been called from `begin` to `end` [ns]; `first` is that of next_batch(). With `trace`
  /// a span is kept. Returns how many items it gave.
  std::uint64_t source_ran(std::uint64_t first, std::int64_t begin, std::int64_t end, bool trace);
  /// Its lane is done with it: from now on another one may run it.
  void source_rests(producer::state state, agenda& todo);
  /// The source's function threw: the number of the item that it should have given.
  std::uint64_t source_threw();
  /// Sends on the batch that the source has left open for `age` [s]. Returns whether the source has given anything
  /// since the last call.
  bool flush(double age, agenda& todo);

  /// A batch has been processed in `seconds`. `made`, of `bytes`, is null for a sink or if it was folded.
  void batch_done(job const& work, std::unique_ptr<items_base> made, std::uint64_t bytes, double seconds, agenda& todo);

  /// A copy has made something of `bytes` of a batch in `seconds`.
  void copy_done(copy_job const& work, std::unique_ptr<items_base> made, std::uint64_t bytes, double seconds,
                 agenda& todo);
  /// The results of copies for a batch have been joined, to `bytes`.
  void joined(copy_job const& work, std::unique_ptr<items_base> all, std::uint64_t bytes, agenda& todo);

  /// Items that the workers still held after their last one.
  void give_rest(std::vector<std::unique_ptr<items_base>> held, agenda& todo);

  /// finish() of all workers has returned: tells the next stations how many parcels there were.
  void finished(agenda& todo);

  /// Progress of its workers so far; nothing if it has had none.
  std::optional<record::station_progress> progress();
  /// Says what it does or waits for, in words, except functions of the user that run; empty if it has nobody here.
  std::string explained();

  /// After the run, without the lock.
  record::station_record record() const;
  /// The most items of the source under way at once, if bytes are limited; otherwise 0.
  std::uint64_t most_items() const { return source_ && source_->credits() ? source_->credits()->most_items() : 0; }

 private:
  /// The part of a plan for this site.
  struct assignment {
    std::size_t workers = 0;
    neighbourhood around;  // of a site with workers
    bool comes = false;    // from another rank, which sends its stream_position
    int on = no_rank;      // of a serial station: where it is
  };
  /// An epoch that has not begun here.
  struct coming {
    assignment as;
    bool saves = false;
    std::vector<arrival> early;
    std::vector<std::pair<int, notice>> notices;
  };
  struct result {
    parcel what;
    std::size_t worker = no_worker;  // held until there is room
    std::optional<int> from;         // the rank that gets room back when it has left
    std::int64_t since_ns = 0;       // waiting for room since; 0: not yet
  };

  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  assignment assigned(plan::run_plan const& plan, plan::run_plan const& before) const;

  // These need the lock.
  std::int64_t slowest_ns() const;
  void weigh(std::uint64_t bytes, std::uint64_t credited, agenda* todo);
  void learn(double seconds, std::uint64_t source_items);
  void pass_on(arrival const& in, std::size_t worker, std::unique_ptr<items_base> made, std::uint64_t bytes,
               double seconds, agenda& todo);
  void add_rest(std::unique_ptr<items_base> batch);
  void work_on_loan(agenda& todo);
  void ask_keeper(errand::kind what, agenda& todo);
  void lend_next(agenda& todo);
  bool hands_free() const { return !state_busy_ && (workers_.all_idle() || parked_); }
  bool has_ended() const { return input_.reached() && !input_.goes_on(); }
  void tell_parted(std::uint32_t session, bool there, bool stays, std::string why, agenda& todo);
  void take_parted_results(agenda& todo);
  void steer(agenda& todo);
  void hear_of_parts(agenda& todo);
  void unpark(agenda& todo);
  void arrived(bool well, agenda& todo);
  void tell_source(notice::kind what, std::uint64_t count, agenda& todo) const;
  void take_open_batch();
  void depart(int from, agenda& todo);
  void send_results(agenda& todo);
  void take_joint_results(agenda& todo);
  void begin_for_copies(agenda& todo);
  void ask_for_join(std::optional<copy_job> work, agenda& todo);
  bool at_rest() const;
  bool saves_next() const;
  bool goes_on() const;
  void announce_counts(notice::kind as, agenda& todo);
  void go_on_from(stream_position const& counts, agenda& todo);
  void catch_up(std::uint32_t epoch, agenda& todo);
  void leave_if_done(agenda& todo);
  void pass_by(agenda& todo);
  void enter_next(agenda& todo);
  void work(agenda& todo);
  void pump(agenda& todo);

  program const& line_;
  std::size_t number_;
  int rank_;
  station const& station_;
  plan::run_plan const& plan_;  // the first one; of a later one only where stations are
  std::atomic<bool> const& stopping_;
  std::stop_token stop_;
  bool is_sink_;
  std::atomic<bool> feeds_others_{false};

  std::mutex mutex_;  // guards all that follows, but for the work of a replica
  std::uint32_t epoch_ = 0;
  std::map<std::uint32_t, coming> coming_;
  std::size_t cuts_ = 0;                       // of a source: epochs that are to begin
  bool here_ = false;                          // it has workers in this epoch,
  bool open_ = false;                          // and what they need
  std::optional<neighbourhood::place> entry_;  // of the ordered farm that it is the exit of
  arrival_order arrivals_;
  end_of_stream input_;
  replica_group workers_;
  std::optional<loan> loan_;        // of a serial station whose state is elsewhere, in the worker's place
  std::unique_ptr<lender> lender_;  // of one that stands elsewhere and whose state is here
  struct division {
    int to = no_rank;
    std::uint32_t session = 0;
  };
  std::optional<division> divide_;       // that is to begin
  std::optional<parting> parting_;       // of a serial station whose state is on its way to another rank
  std::optional<job> parked_;            // a batch that waits for parts which are on their way
  bool state_busy_ = false;              // parts are written or read
  std::unique_ptr<copy_group> copies_;   // of a broadcast stage, in their place
  std::optional<stream_source> source_;  // of the first station, before its one worker
  std::deque<result> outputs_;
  std::uint64_t produced_ = 0;      // parcels, by a serial station
  outflow flow_;                    // to the next station
  std::uint64_t begun_before_ = 0;  // of the copies: in the epochs before

  record::station_progress done_;  // by its workers so far
  std::uint64_t largest_batch_ = 0, item_bytes_ = 0;
  std::uint64_t last_item_ = 0;  // number of the first item of the latest parcel
  std::uint64_t folded_ = 0;     // items of the source in what is held back
  std::int64_t changed_ns_ = 0;  // when something happened here last
  bool resting_ = false, rested_ = false, finishing_ = false, leaving_ = false;
  bool ended_here_ = false, ended_ = false;
};

}  // namespace skel::runtime
