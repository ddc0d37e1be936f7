#include "conductor.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <skel/detail/base/shown.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel::runtime {

namespace {

/// The communication thread does not look after the source more often than this [s]: it would keep a core busy.
constexpr double shortest_watch = 5e-5;

/// The items of a first look at the throughput take at least so long [s]. A look takes less than a thousandth of it,
/// and a forecast that does not hold falls after some hundredths of a second. Later looks take as long as the watch
/// says.
constexpr double first_look_period = 1e-3;

/// The longest rest [s], if nothing else says when to wake up.
constexpr double no_clock = 1;

record::throughput_forecast expected_from(run_options const& options) {
  record::throughput_forecast first = options.expected;
  first.item = options.first_item;
  return first;
}

}  // namespace

std::size_t cores_for(run_options const& options) {
  return options.cores > 0 ? options.cores : std::max(1U, std::thread::hardware_concurrency());
}

conductor::conductor(program const& line, plan::run_plan const& plan, transport& among, run_options const& options,
                     std::function<void()> job_waits)
    : plan_(plan),
      among_(among),
      options_(options),
      links_(among, line, plan),
      counts_here_(plan.stations[counted_station(line)].ranks.front() == among.rank()),
      throughput_(expected_from(options), first_look_period / 2, options.between_stretches, options.can_do),
      checkpoints_(among, line, options),
      executor_(line, plan, among.rank(), links_,
                {std::move(job_waits), [this] { ended_.store(true), among_.wake(); },
                 [this] { failed_.store(true), among_.wake(); }, [this] { stirred_.store(true), among_.wake(); },
                 [this](std::uint64_t items, std::int64_t end) { return look_at_throughput(items, end); },
                 [this](std::uint32_t epoch) { epochs_.left(epoch); },
                 [this](rollback const& what) { epochs_.rolled_back(what); },
                 [this](parted const& what) { epochs_.parts_went(what); },
                 [this](stream_position const& at, station_state* state) { checkpoints_.saved(at, state); },
                 [this] { among_.give_way(); }},
                options.trace, options.first_item, counted_station(line), cores_for(options)),
      epochs_(among, line, plan, executor_, checkpoints_, options),
      reports_(among, executor_, options,
               [this]() -> std::optional<record::throughput_forecast> {
                 if (!counts_here_) return std::nullopt;
                 std::lock_guard guard(throughput_mutex_);
                 if (!(throughput_.standing().rate > 0)) return std::nullopt;
                 return throughput_.standing();
               }),
      watched_({.state = [this] { return executor_.explained(); }}) {
  links_.deliver_to(executor_);
  epochs_.open();
  checkpoints_.open();
  reports_.open();
}

bool conductor::asked_to_stop() const {
  return options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
}

void conductor::begin() {
  begin_ns_ = record::now_ns();
  begin_ = static_cast<double>(begin_ns_) * 1e-9;
  if (!asked_to_stop()) executor_.start();
}

std::optional<double> conductor::serve() {
  if (asked_to_stop()) interrupted_ = true;
  if (failed_.load() || interrupted_) {
    executor_.stop_early();
    links_.tell_all_stop(why_it_ends());
    among_.progress();  // the others stop while this rank waits for its own functions
    return std::nullopt;
  }
  if (links_.heard_stop()) {
    run_ends(*links_.heard_stop());
    executor_.stop_early();
    return std::nullopt;
  }
  ended_.store(false);
  if (executor_.sink_ended() && !std::exchange(told_, true)) links_.tell_all_finished();
  // The sink's end is the end of the stream: every other station ended before it, except copies that nobody waits for.
  if ((told_ || links_.heard_finished()) && !executor_.hosts_anything()) return std::nullopt;
  if (among_.progress()) {  // there may be no end of messages
    double const now = record::now();
    report_progress(now);
    reports_.serve(now - begin_);
    epochs_.serve(now - begin_);
    return 0;
  }
  return watch();
}

/// For ranks that are told so. Short enough to arrive while this rank waits for its own functions: MPI sends so few
/// bytes (btl_*_eager_limit: 4 KiB) without the receiver's answer.
std::string conductor::why_it_ends() const {
  constexpr std::size_t longest = 2048;
  if (auto const failed = executor_.first_failure()) return printable(text_of(*failed), longest);
  std::string const asked = why_runs_end();
  return (asked.empty() ? "it was asked to" : asked) + " on rank " + std::to_string(among_.rank());
}

void conductor::rest(double seconds) {
  among_.rest(seconds, [this] { return something_to_do(); });
}

bool conductor::something_to_do() const {
  return failed_.load() || ended_.load() || (stirred_.load() && watch_off_);
}

/// Looks after everything that happens by the clock. Returns how long the thread may rest [s].
double conductor::watch() {
  double const now = record::now();
  report_progress(now);
  double const reports = reports_.serve(now - begin_), plans = epochs_.serve(now - begin_);
  double pause = std::min(no_clock, begin_ + std::min(reports, plans) - now);
  if (executor_.look_after_parts()) pause = std::min(pause, plan_.part_pause / 2);
  if (options_.progress && counts_here_) pause = std::min(pause, next_progress_ - now);
  if (stirred_.exchange(false)) watch_off_ = false;
  if (!watch_off_) {
    double const period = std::max(plan_.batch_latency / 2, shortest_watch);
    if (now >= next_flush_) {
      bool active = executor_.flush_source(false);
      if (!active && ++silent_looks_ >= 2) active = executor_.flush_source(true), watch_off_ = !active;
      if (active) silent_looks_ = 0;
      next_flush_ = now + period;
    }
    if (!watch_off_) pause = std::min(pause, next_flush_ - now);
  }
  return std::max(1e-6, pause);
}

/// In a lane: so many items have passed by then [ns]. Returns the time of the next look [ns].
std::int64_t conductor::look_at_throughput(std::uint64_t items, std::int64_t end) {
  std::lock_guard guard(throughput_mutex_);
  throughput_.look(static_cast<double>(end) * 1e-9 - begin_, items);
  return end + static_cast<std::int64_t>(std::max(first_look_period, throughput_.length()) * 1e9);
}

void conductor::report_progress(double now) {
  if (!options_.progress || !counts_here_ || now < next_progress_) return;
  if (next_progress_ > 0) {
    auto const standing = [&] {
      std::lock_guard guard(throughput_mutex_);
      return throughput_.standing();
    }();
    options_.progress(executor_.items_passed(), now - begin_, standing);
  }
  next_progress_ = now + 1.0;
}

void conductor::stop() {
  if (over_ns_ == 0) over_ns_ = record::now_ns();
  executor_.stop();
}

closing conductor::end() {
  closing mine;
  mine.stations = executor_.records();
  if (options_.trace) mine.spans = executor_.take_spans();
  mine.items = executor_.items_passed();
  mine.most_items = executor_.most_items();
  if (counts_here_) mine.forecasts = throughput_.forecasts();
  mine.ended_here = executor_.ended_here();
  epochs_.close();
  mine.remaps = epochs_.records();
  mine.moves = epochs_.moves();
  mine.checkpoints = checkpoints_.finish();
  mine.most_batches = epochs_.most_parcels();
  if (among_.rank() == 0)
    for (auto const& station : epochs_.last().stations) mine.final_ranks.push_back(station.ranks);
  mine.begin_ns = begin_ns_;
  mine.first_ns = executor_.first_ns();
  mine.last_ns = executor_.last_ns();
  mine.over_ns = over_ns_;
  mine.interrupted = interrupted_;
  mine.failed = executor_.first_failure();
  return mine;
}

}  // namespace skel::runtime
