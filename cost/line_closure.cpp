#include <skel/detail/cost/line_closure.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/line_bounds.hpp>

#include "line_automaton.hpp"

namespace skel::cost {
namespace {

/// Stands for a conditional probability of 0, which would never change again.
inline constexpr double least_ready = 1e-12;
/// Sweeps of a window before its neighbours are told.
inline constexpr int sweeps_per_visit = 4;

/// The work that is stopped, for messages.
inline constexpr char const* closure = "line: its window closure";

/// A window of more states is refused.
inline constexpr std::size_t most_window_states = 1'000'000;

/// Busy fractions by host, and the rates that follow from them.
class mean_share {
 public:
  explicit mean_share(line const& model)
      : model_(model), rates_(worker_rates(model)), busy_(model.stations.size(), 1) {}

  bool dynamic() const { return model_.sharing == share::dynamic; }

  /// Rates of all workers, given how busy each station was found to be.
  std::vector<std::vector<double>> const& rates() {
    if (!dynamic()) return rates_;
    std::map<std::size_t, double> load;
    for (std::size_t i = 0; i < busy_.size(); ++i)
      for (auto const& w : model_.stations[i].workers) load[w.host] += busy_[i];
    for (std::size_t i = 0; i < busy_.size(); ++i)
      for (std::size_t w = 0; w < rates_[i].size(); ++w) {
        auto const& one = model_.stations[i].workers[w];
        rates_[i][w] = one.rate / (1 + std::max(0.0, load[one.host] - busy_[i]));
      }
    return rates_;
  }
  void found(std::size_t i, double busy) { busy_[i] = busy; }

 private:
  line const& model_;
  std::vector<std::vector<double>> rates_;
  std::vector<double> busy_;
};

line_estimate from_exact(line_solution const& exact, std::size_t stations) {
  return {exact.throughput, true,           true,          0,           stations, exact.throughput,
          exact.throughput, exact.stations, exact.latency, exact.sweeps};
}

/// The common part of windows of equal structure: the product of their stations, and flags of its states for its ends.
struct window_structure {
  std::vector<detail::automaton> stations;
  std::vector<detail::local_meaning> meanings;
  detail::automaton row;
  std::vector<detail::step> inner, accept;  // by to
  std::vector<char> accepts, releases, first_releases, last_accepts;

  window_structure(line const& window, std::vector<detail::worker_class> const& classes, stop_condition const& stop) {
    double states = 1;
    for (std::size_t i = 0; i < window.stations.size(); ++i) states *= detail::count_local_states(window, i, classes);
    if (states > static_cast<double>(most_window_states))
      throw error("line: a window of " + std::to_string(window.stations.size()) + " stations from '" +
                  window.stations.front().name + "' has more than " + std::to_string(most_window_states) +
                  " states; give its farms fewer workers, or workers that are alike");
    for (std::size_t i = 0; i < window.stations.size(); ++i)
      stations.push_back(detail::make_automaton(window, i, classes, meanings.emplace_back(), most_window_states, stop));
    row = stations.back();
    for (auto i = stations.size() - 1; i-- > 0;) {
      stop.check(closure);
      row = detail::join(stations[i], i + 1, row);
    }
    inner = row.inner;
    accept = row.accept;
    auto const by_target = [](detail::step const& a, detail::step const& b) { return a.to < b.to; };
    inner.insert(inner.end(), row.release.begin(), row.release.end());  // parameter: set to leaving below
    for (auto k = row.inner.size(); k < inner.size(); ++k) inner[k].parameter = leaving;
    std::sort(inner.begin(), inner.end(), by_target);
    std::sort(accept.begin(), accept.end(), by_target);
    accepts = row.accepting();
    releases = row.releasing();
    auto const first = stations.front().releasing(), last = stations.back().accepting();
    for (std::size_t s = 0; s < row.size; ++s) {
      first_releases.push_back(first[s / after_first()]);
      last_accepts.push_back(last[s % stations.back().size]);
    }
  }

  static constexpr std::size_t leaving = detail::no_host;
  /// States of all stations but the first, and but the last.
  std::size_t after_first() const { return row.size / stations.front().size; }
  std::size_t before_last() const { return row.size / stations.back().size; }
};

/// A window with the rates at its ends, which depend on the state of the stations that it shares with its neighbours.
struct window {
  window_structure const* structure = nullptr;
  std::vector<double> theta;         // inner moves and classes
  std::vector<double> entry, leave;  // by state of all stations but the last (first)
  std::vector<double> pi;

  /// Gauss-Seidel in the order in which everything but arrivals goes forward. Gives the relative change.
  double sweep() {
    auto const& at = *structure;
    auto const n = at.row.size, last = at.stations.back().size, rest = at.after_first();
    exit_.assign(n, 0);
    for (std::size_t s = 0; s < n; ++s)
      exit_[s] = (at.accepts[s] ? entry[s / last] : 0) + (at.releases[s] ? leave[s % rest] : 0);
    for (auto const& one : at.row.inner) exit_[one.from] += one.weight * theta[one.parameter];
    double change = 0, sum = 0;
    auto in = at.inner.begin();
    auto arrival = at.accept.begin();
    for (detail::state_id s = 0; s < n; ++s) {
      double flow = 0;
      for (; in != at.inner.end() && in->to == s; ++in)
        flow += in->weight * pi[in->from] *
                (in->parameter == window_structure::leaving ? leave[in->from % rest] : theta[in->parameter]);
      for (; arrival != at.accept.end() && arrival->to == s; ++arrival)
        flow += arrival->weight * pi[arrival->from] * entry[arrival->from / last];
      double const next = flow / exit_[s];
      change += std::abs(next - pi[s]);
      sum += pi[s] = next;
    }
    for (auto& p : pi) p /= sum;
    return change / sum;
  }

  double throughput() const {
    double flow = 0;
    for (std::size_t s = 0; s < pi.size(); ++s)
      if (structure->releases[s]) flow += pi[s] * leave[s % structure->after_first()];
    return flow;
  }

  /// The rate at which the first station hands over, by state of the others; and the last receives.
  void hand_over(double rate, std::vector<double>& entry_of_next) const {
    condition(structure->after_first(), 1, structure->first_releases, rate, entry_of_next);
  }
  void receive(double rate, std::vector<double>& leave_of_previous) const {
    condition(structure->before_last(), structure->stations.back().size, structure->last_accepts, rate,
              leave_of_previous);
  }

 private:
  /// rate * P(ready | shared state). States never seen keep what they had.
  void condition(std::size_t shared, std::size_t block, std::vector<char> const& ready, double rate,
                 std::vector<double>& into) const {
    mass_.assign(shared, 0);
    able_.assign(shared, 0);
    for (std::size_t s = 0; s < pi.size(); ++s) {
      auto const at = block == 1 ? s % shared : s / block;
      mass_[at] += pi[s];
      if (ready[s]) able_[at] += pi[s];
    }
    for (std::size_t at = 0; at < shared; ++at)
      if (mass_[at] > 0) into[at] = rate * std::max(least_ready, able_[at] / mass_[at]);
  }

  mutable std::vector<double> exit_, mass_, able_;
};

station_load load_of(window const& from, std::size_t which) {
  auto const& at = *from.structure;
  std::size_t inside = 1;
  for (auto i = which + 1; i < at.stations.size(); ++i) inside *= at.stations[i].size;
  auto const size = at.stations[which].size;
  auto const accepts = at.stations[which].accepting(), releases = at.stations[which].releasing();
  station_load load;
  for (std::size_t s = 0; s < from.pi.size(); ++s) {
    auto const d = s / inside % size;
    double const p = from.pi[s];
    load.busy += p * at.meanings[which].busy[d];
    load.blocked += p * at.meanings[which].blocked[d];
    load.population += p * at.meanings[which].population[d];
    if (accepts[d]) load.room += p;
    if (releases[d]) load.finished += p;
  }
  load.starved = std::max(0.0, 1 - load.busy - load.blocked);
  return load;
}

}  // namespace

line_estimate close_line(line const& model, closure_options const& options) {
  check(model);
  SKEL_EXPECTS(options.window >= 2);
  auto const count = model.stations.size(), width = options.window;
  line_solver solver(options.solver);
  if (count <= width) return from_exact(solver.solve(model), count);

  mean_share share(model);
  auto const rates_of = [&](std::size_t first, std::vector<std::vector<double>> const& rates) {
    auto row = sub_line(model, first, width);
    row.sharing = share::fixed;
    std::size_t host = 0;
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t w = 0; w < rates[first + i].size(); ++w)
        row.stations[i].workers[w] = {rates[first + i][w], host++};
    return row;
  };
  std::map<std::vector<std::size_t>, window_structure> structures;
  std::vector<window> windows(count - width + 1);
  auto const set_rates = [&] {
    auto const& rates = share.rates();
    for (std::size_t k = 0; k < windows.size(); ++k) {
      auto const row = rates_of(k, rates);
      auto const classes = detail::classify(row);
      std::vector<std::size_t> key;
      for (auto const& one : row.stations) key.insert(key.end(), {one.workers.size(), one.buffer});
      for (auto const& one : classes) {
        key.push_back(one.members.size());
        key.insert(key.end(), one.members.begin(), one.members.end());
      }
      auto at = structures.find(key);
      if (at == structures.end()) at = structures.try_emplace(key, row, classes, options.solver.stop).first;
      auto& one = windows[k];
      one.theta = row.moves;
      for (auto const& c : classes) one.theta.push_back(c.rate);
      if (one.structure == &at->second) continue;
      one.structure = &at->second;
      one.entry.assign(one.structure->before_last(), row.moves.front());
      one.leave.assign(one.structure->after_first(), row.moves.back());
      one.pi.assign(one.structure->row.size, 1 / static_cast<double>(one.structure->row.size));
    }
  };
  line_estimate result;
  result.window = width;
  result.stations.resize(count);
  auto const visit = [&](std::size_t k) {
    for (int sweep = 0; sweep < sweeps_per_visit; ++sweep) {
      options.solver.stop.check(closure);
      windows[k].sweep();
    }
    if (k + 1 < windows.size()) windows[k].hand_over(model.moves[k + 1], windows[k + 1].entry);
    if (k > 0) windows[k].receive(model.moves[k + width - 1], windows[k - 1].leave);
  };
  set_rates();
  auto const most = std::max<std::size_t>(1, std::min(options.max_rounds, options.max_visits / windows.size()));
  double last = 0;
  for (result.rounds = 1; result.rounds <= most && !result.settled; ++result.rounds) {
    for (std::size_t k = 0; k < windows.size(); ++k) visit(k);
    for (auto k = windows.size(); k-- > 0;) visit(k);
    if (share.dynamic()) {
      for (std::size_t i = 0; i < count; ++i) {
        auto const k = std::min(i, windows.size() - 1);
        share.found(i, load_of(windows[k], i - k).busy);
      }
      set_rates();
    }
    double least = windows.front().throughput(), greatest = least;
    for (auto const& one : windows) {
      least = std::min(least, one.throughput());
      greatest = std::max(greatest, one.throughput());
    }
    result.throughput = least;
    result.spread = greatest / least - 1;
    result.settled = result.spread <= options.tolerance && std::abs(least - last) <= options.tolerance * least;
    last = least;
  }
  result.lower = options.bounds ? lower_bound(model) : 0;
  result.upper = options.bounds ? window_bound(model, width, solver) : std::numeric_limits<double>::infinity();
  double population = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto const k = std::min(i - std::min(i, width / 2), windows.size() - 1);  // a window that has it in the middle
    result.stations[i] = load_of(windows[k], i - k);
    population += result.stations[i].population;
  }
  result.latency = population / result.throughput;
  return result;
}

line_estimate estimate_line(line const& model, double exact_states, line_solver_options const& options) {
  if (count_states(model) <= exact_states) return from_exact(solve_line(model, options), model.stations.size());
  closure_options settings;
  settings.solver = options;
  auto const relaxed = relax(model);
  for (settings.window = 4; settings.window > 2; --settings.window) {
    double most = 0;
    for (std::size_t first = 0; first + settings.window <= model.stations.size(); ++first)
      most = std::max({most, count_states(sub_line(model, first, settings.window)),
                       count_states(sub_line(relaxed, first, settings.window))});
    if (most <= exact_states) break;
  }
  return close_line(model, settings);
}

}  // namespace skel::cost
