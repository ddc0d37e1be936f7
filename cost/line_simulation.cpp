#include <skel/detail/cost/line_simulation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
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
  double rate;         // when it has its host for itself, or its fixed share
  std::size_t host;    // index into `hosts_`
  std::size_t room;    // items that fit: no more than are waited for, which a fast source would else go on to bring
  std::size_t number;  // in the line
  std::size_t station;
  std::size_t items = 0;
  bool finished = false;  // its first item is
  double pause = 0;       // of the item in service, in which it needs no core
};

/// When a worker or a move ends, by some clock, and which.
struct ending {
  double at;
  std::size_t number;

  /// Later than the other one; those at the same time are in the order of the line.
  bool operator<(ending const& other) const { return at != other.at ? at > other.at : number > other.number; }
};
using endings = std::priority_queue<ending>;

/// A host whose workers progress alike: when all of them work w seconds each, its clock goes on by w.
struct simulated_host {
  double cores = 1;
  double others = 0;  // threads of other programs
  double busy = 0;    // workers that are processing and do not wait
  double crowd = 1;   // how many times longer it takes to compute than alone
  double worked = 0;  // its clock [s]
  endings services{};

  void computes(int more) {
    busy += more;
    crowd = crowding(busy + others, cores);
  }
};

struct simulated_station {
  std::vector<simulated_worker> workers;
  double waiting = 0;                     // share of its service time
  std::size_t next_in = 0, next_out = 0;  // round-robin
};

struct simulated_move {
  double mean;
  bool running = false;
};

class simulation {
 public:
  simulation(line const& model, simulation_options const& options)
      : options_(options), in_turn_(model.farms == dispatch::round_robin), bits_(options.seed) {
    auto const rates = worker_rates(model);
    std::map<std::size_t, std::size_t> host_index;
    std::size_t workers = 0;
    for (std::size_t i = 0; i < model.stations.size(); ++i) {
      auto& here = stations_.emplace_back();
      if (i < options.waiting.size()) here.waiting = options.waiting[i];
      for (std::size_t w = 0; w < rates[i].size(); ++w) {
        std::size_t host = hosts_.size();
        std::size_t const number = model.stations[i].workers[w].host;
        if (model.sharing == share::dynamic) host = host_index.try_emplace(number, host).first->second;
        if (host == hosts_.size()) {
          auto& made = hosts_.emplace_back();
          if (model.sharing == share::dynamic && number < options.cores.size())
            made.cores = static_cast<double>(options.cores[number]);
          if (model.sharing == share::dynamic && number < options.others.size()) made.others = options.others[number];
        }
        here.workers.push_back(
            {rates[i][w], host, std::min(model.stations[i].buffer, options.items) + 1, workers++, i});
      }
    }
    for (auto& here : stations_)
      for (auto& worker : here.workers) workers_.push_back(&worker);
    for (double rate : model.moves) moves_.push_back({1 / rate});
  }

  simulation_result run() {
    std::size_t const first = options_.items / 10;
    std::size_t const per_batch = (options_.items - first) / batches;
    std::vector<double> marks;
    start_moves(0, moves_.size());
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
    ending next{std::numeric_limits<double>::infinity(), none};  // of a worker, then of a move
    simulated_host* computes_on = nullptr;
    for (auto& host : hosts_)
      if (!host.services.empty()) {
        auto const& top = host.services.top();
        if (ending const one{now_ + (top.at - host.worked) * host.crowd, top.number}; next < one)
          next = one, computes_on = &host;
      }
    if (!pauses_.empty() && next < pauses_.top()) next = pauses_.top(), computes_on = nullptr;
    bool const moves = !underway_.empty() && underway_.top().at < next.at;
    if (moves) next = underway_.top();

    for (auto& host : hosts_) host.worked += (next.at - now_) / host.crowd;
    now_ = next.at;

    if (moves) {
      underway_.pop();
      complete(next.number);
      start_moves(std::max<std::size_t>(next.number, 1) - 1, next.number + 1);
      return next.number + 1 == moves_.size();
    }
    auto& worker = *workers_[next.number];
    if (computes_on != nullptr) {
      computes_on->worked = computes_on->services.top().at;  // no rounding adds up
      computes_on->services.pop();
      computes_on->computes(-1);
    } else {
      pauses_.pop();
    }
    if (computes_on != nullptr && worker.pause > 0) {
      pauses_.push({now_ + worker.pause, next.number});
      return false;
    }
    worker.finished = true;
    start_moves(worker.station + 1, worker.station + 1);
    return false;
  }

  void begin_service(simulated_station const& at, simulated_worker& one) {
    double const all = draw(1 / one.rate, options_.services);
    one.pause = all * at.waiting;
    if (double const work = all - one.pause; work > 0) {
      auto& host = hosts_[one.host];
      host.computes(1);
      host.services.push({host.worked + work, one.number});
    } else {
      pauses_.push({now_ + one.pause, one.number});
    }
  }

  /// Begins those of the moves from `first` to `last` that can begin. The others have not become able to.
  void start_moves(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last && i < moves_.size(); ++i) {
      auto& move = moves_[i];
      if (move.running || (i > 0 && !can_give(stations_[i - 1])) || (i < stations_.size() && !can_take(stations_[i])))
        continue;
      move.running = true;
      underway_.push({now_ + draw(move.mean, options_.moves), i});
    }
  }

  /// True if a worker is ready; of a station: the one whose turn it is, or any on demand.
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

  /// The worker with the fewest items, in turn among equals.
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
  std::vector<simulated_host> hosts_;
  std::vector<simulated_worker*> workers_{};  // by their numbers
  endings pauses_{}, underway_{};             // workers that need no core; moves
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
