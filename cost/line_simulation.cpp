#include <skel/detail/cost/line_simulation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/shared_cores.hpp>

namespace skel::cost {
namespace {

constexpr std::size_t fewest_items = 100;
constexpr std::size_t batches = 30;
constexpr std::size_t fewest_batches = 2;  // that have a variance
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct simulated_worker {
  double rate;       // when it has its host for itself, or its fixed share
  std::size_t host;  // index into `busy`
  std::size_t room;  // items that fit: no more than are waited for, which a fast source would else go on to bring
  std::size_t items = 0;
  bool finished = false;  // its first item is
  double left = 0;        // of the item in service, in seconds at full rate
  double pause = 0;       // that follows, in which it needs no core

  bool processing() const { return items > 0 && !finished; }
};

struct simulated_station {
  std::vector<simulated_worker> workers;
  double waiting = 0;                     // share of its service time
  std::size_t next_in = 0, next_out = 0;  // round-robin
};

struct simulated_move {
  double mean;
  double left = 0;
  bool running = false;
};

class simulation {
 public:
  simulation(line const& model, simulation_options const& options)
      : options_(options), in_turn_(model.farms == dispatch::round_robin), bits_(options.seed) {
    auto const rates = worker_rates(model);
    std::map<std::size_t, std::size_t> host_index;
    std::size_t hosts = 0;
    for (std::size_t i = 0; i < model.stations.size(); ++i) {
      auto& here = stations_.emplace_back();
      if (i < options.waiting.size()) here.waiting = options.waiting[i];
      for (std::size_t w = 0; w < rates[i].size(); ++w) {
        std::size_t host = hosts;
        std::size_t const number = model.stations[i].workers[w].host;
        if (model.sharing == share::dynamic) host = host_index.try_emplace(number, hosts).first->second;
        hosts = std::max(hosts, host + 1);
        cores_.resize(hosts, 1);
        others_.resize(hosts, 0);
        if (model.sharing == share::dynamic && number < options.cores.size())
          cores_[host] = static_cast<double>(options.cores[number]);
        if (model.sharing == share::dynamic && number < options.others.size()) others_[host] = options.others[number];
        here.workers.push_back({rates[i][w], host, std::min(model.stations[i].buffer, options.items) + 1});
      }
    }
    for (double rate : model.moves) moves_.push_back({1 / rate});
    busy_.assign(hosts, 0);
    crowd_.assign(hosts, 1);
  }

  simulation_result run() {
    std::size_t const first = options_.items / 10;
    std::size_t const per_batch = (options_.items - first) / batches;
    std::vector<double> marks;
    start_moves();
    std::size_t left = 0;
    for (std::size_t events = 0; marks.size() <= batches && events < options_.most_events; ++events) {
      if (!step()) continue;
      if (left++ == first + marks.size() * per_batch) marks.push_back(now_);
    }
    if (marks.size() <= fewest_batches) return {};
    std::size_t const found = marks.size() - 1;
    auto const count = static_cast<double>(found);
    auto const span = marks.back() - marks.front();
    double const mean = span / count;
    double variance = 0;
    for (std::size_t b = 0; b < found; ++b) variance += std::pow(marks[b + 1] - marks[b] - mean, 2);
    variance /= count - 1;
    double const throughput = static_cast<double>(per_batch * found) / span;
    return {throughput, throughput * std::sqrt(variance / count) / mean};
  }

 private:
  /// The next event. Returns whether an item has left the line.
  bool step() {
    double soonest = std::numeric_limits<double>::infinity();
    simulated_worker* worker = nullptr;
    std::size_t move = none;
    for (auto& here : stations_)
      for (auto& each : here.workers)
        if (each.processing())
          if (double const left = until_next(each); left < soonest) soonest = left, worker = &each;
    for (std::size_t i = 0; i < moves_.size(); ++i)
      if (moves_[i].running && moves_[i].left < soonest) soonest = moves_[i].left, move = i;

    for (auto& here : stations_)
      for (auto& each : here.workers)
        if (&each != worker || move != none) progress(each, soonest);
    for (auto& each : moves_)
      if (each.running) each.left = std::max(0.0, each.left - soonest);
    now_ += soonest;

    if (move == none) {
      if (worker->left > 0) computes(worker->host, -1);
      if (worker->left > 0 && worker->pause > 0)
        worker->left = 0;
      else
        worker->finished = true, worker->left = worker->pause = 0;
    } else {
      complete(move);
    }
    start_moves();
    return move + 1 == moves_.size();
  }

  /// One worker more, or less, of a host.
  void computes(std::size_t host, int more) {
    busy_[host] += more;
    crowd_[host] = crowding(busy_[host] + others_[host], cores_[host]);
  }
  double until_next(simulated_worker const& one) const {
    return one.left > 0 ? one.left * crowd_[one.host] : one.pause;
  }
  /// What is left is more than nothing, as this is not its event; rounding must not end it.
  void progress(simulated_worker& one, double seconds) const {
    if (!one.processing()) return;
    double& part = one.left > 0 ? one.left : one.pause;
    double const done = one.left > 0 ? seconds / crowd_[one.host] : seconds;
    part = std::max(part - done, std::numeric_limits<double>::min());
  }

  void begin_service(simulated_station const& at, simulated_worker& one) {
    double const all = draw(1 / one.rate, options_.services);
    one.pause = all * at.waiting;
    one.left = all - one.pause;
    if (one.left > 0) computes(one.host, 1);
  }

  void start_moves() {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      auto& move = moves_[i];
      if (move.running || (i > 0 && !can_give(stations_[i - 1])) || (i < stations_.size() && !can_take(stations_[i])))
        continue;
      move.running = true;
      move.left = draw(move.mean, options_.moves);
    }
  }

  /// Who is ready to do what the turn or the demand of a farm lets one of them do; nobody: nullptr.
  static bool has_finished(simulated_worker const& one) { return one.finished; }
  static bool has_room(simulated_worker const& one) { return one.items < one.room; }
  bool can_give(simulated_station const& here) const { return any(here, here.next_out, has_finished); }
  bool can_take(simulated_station const& here) const { return any(here, here.next_in, has_room); }

  bool any(simulated_station const& among, std::size_t turn, bool (*ready)(simulated_worker const&)) const {
    return in_turn_ ? ready(among.workers[turn]) : std::any_of(among.workers.begin(), among.workers.end(), ready);
  }

  /// Precondition: any() of them is ready.
  simulated_worker& choose(simulated_station& among, std::size_t& turn, bool (*ready)(simulated_worker const&)) {
    std::size_t const mine = turn;
    turn = (turn + 1) % among.workers.size();
    if (in_turn_) return among.workers[mine];
    auto const count = static_cast<std::size_t>(std::count_if(among.workers.begin(), among.workers.end(), ready));
    std::size_t skip = count == 1 ? 0 : bits_() % count;
    auto chosen = std::find_if(among.workers.begin(), among.workers.end(), ready);
    for (; skip > 0; --skip) chosen = std::find_if(chosen + 1, among.workers.end(), ready);
    return *chosen;
  }

  /// In turn among equals.
  static simulated_worker& emptiest(simulated_station& among) {
    auto& workers = among.workers;
    std::size_t best = among.next_in % workers.size();
    for (std::size_t i = 1; i < workers.size(); ++i) {
      std::size_t const other = (among.next_in + i) % workers.size();
      if (workers[other].items < workers[best].items) best = other;
    }
    among.next_in = best + 1;
    return workers[best];
  }

  void complete(std::size_t i) {
    moves_[i].running = false;
    if (i > 0) {
      auto& from = choose(stations_[i - 1], stations_[i - 1].next_out, has_finished);
      from.finished = false;
      if (--from.items > 0) begin_service(stations_[i - 1], from);
    }
    if (i < stations_.size()) {
      auto& here = stations_[i];
      auto& to = options_.fewest_first && !in_turn_ ? emptiest(here) : choose(here, here.next_in, has_room);
      if (to.items++ == 0) begin_service(here, to);
    }
  }

  double draw(double mean, times kind) {
    if (kind == times::constant) return mean;
    return -mean * std::log1p(-static_cast<double>(bits_() >> 11U) * 0x1p-53);
  }

  simulation_options const& options_;
  bool in_turn_;
  std::mt19937_64 bits_;
  std::vector<simulated_station> stations_;
  std::vector<simulated_move> moves_;
  std::vector<double> busy_;   // per host: workers that are processing and do not wait
  std::vector<double> cores_;  // per host
  std::vector<double> others_;  // per host: threads of other programs
  std::vector<double> crowd_;  // per host: how many times longer it takes to compute than alone
  double now_ = 0;
};

}  // namespace

simulation_result simulate_line(line const& model, simulation_options const& options) {
  check(model);
  if (options.items < fewest_items)
    throw input_error(
        "simulation", "items",
        "there must be at least " + std::to_string(fewest_items) + ", not " + std::to_string(options.items));
  return simulation(model, options).run();
}

}  // namespace skel::cost
