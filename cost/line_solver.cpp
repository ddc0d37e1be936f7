#include <skel/detail/cost/line_solver.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

#include "line_chain.hpp"

namespace skel::cost {
namespace {

/// Chains are kept for another line of their structure up to this many states together: 64 MB and less.
inline constexpr std::size_t kept_states = 1'000'000;

/// Relative width of the enclosure up to which relative values are found for derivatives.
inline constexpr double value_gap = 1e-11;

/// A chain that goes round in phases converges when each step stays where it is with this probability (Schweitzer 1971,
/// Journal of Mathematical Analysis and Applications 34:495-501).
inline constexpr double lazy = 0.5;

/// The work that is stopped, for messages.
inline constexpr char const* solution = "line: its exact solution";

struct balance {
  double residual = 0;
  std::size_t transitions = 0;
};

/// ||pi Q||_1 relative to the flow of all events, transition by transition.
balance check_balance(detail::line_chain const& chain) {
  auto const& pi = chain.pi();
  auto const& theta = chain.rates();
  std::vector<double> net(pi.size(), 0);
  double flow = 0;
  balance result;
  std::size_t counted = detail::no_host;
  std::vector<std::uint16_t> busy;
  chain.for_each_run([&](detail::run const& one) {
    result.transitions += one.length;
    double const rate = theta[one.parameter] * one.weight;
    if (one.host != detail::no_host && one.host != counted) {
      busy = chain.busy_in_all_states(one.host);
      counted = one.host;
    }
    for (std::size_t r = 0; r < one.length; ++r) {
      double moved = rate * pi[one.src + r];
      if (one.host != detail::no_host) moved /= busy[one.src + r];
      net[one.src + r] -= moved;
      net[one.dst + r] += moved;
      flow += moved;
    }
  });
  for (double one : net) result.residual += std::abs(one);
  result.residual /= flow;
  return result;
}

}  // namespace

struct line_solver::state {
  /// The common part of lines of one structure, and the results of the last of them.
  struct entry {
    detail::line_chain chain;
    std::vector<double> arrivals{};  // forwards: flows
    std::vector<double> values{};    // backwards: relative times
  };

  line_solver_options options;
  std::list<entry> entries{};  // last used first
  std::vector<double> next{};
  std::size_t sweeps = 0;

  entry& prepare(line const& model) {
    check(model);
    auto const classes = detail::classify(model);
    auto const found =
        std::find_if(entries.begin(), entries.end(), [&](entry const& one) { return one.chain.fits(model, classes); });
    if (found != entries.end()) {
      entries.splice(entries.begin(), entries, found);
      entries.front().chain.set_rates(model, classes);
      return entries.front();
    }
    // Room first, so that two large chains are never held when one alone would fit.
    double held = count_states(model);
    for (auto one = entries.begin(); one != entries.end();) {
      held += static_cast<double>(one->chain.size());
      if (held > static_cast<double>(kept_states))
        one = entries.erase(one);
      else
        ++one;
    }
    entries.push_front({detail::line_chain(model, options.max_states, options.stop)});
    return entries.front();
  }

  /// Leaves pi in the chain, not normalised, and returns the throughput.
  double iterate(entry& one) {
    auto& chain = one.chain;
    auto& arrivals = one.arrivals;
    auto const n = chain.arrival_size();
    if (arrivals.size() != n) {
      arrivals.resize(n);
      for (std::size_t i = 0; i < n; ++i) arrivals[i] = chain.reachable(i) ? 1 / static_cast<double>(n) : 0;
    }
    next.resize(n);
    double const kept = chain.periodic() ? lazy : 0;
    double const events = static_cast<double>(2 * chain.stations().size() + 1);
    double change = 1;
    for (sweeps = 1; sweeps <= options.max_sweeps; ++sweeps) {
      options.stop.check(solution);
      chain.sweep(arrivals.data());
      chain.arrive(next.data());
      double sum = 0, differ = 0;
      for (std::size_t i = 0; i < n; ++i) sum += next[i], differ += std::abs(next[i] - arrivals[i]);
      change = differ / (events * sum);
      double const scale = (1 - kept) / sum;
      for (std::size_t i = 0; i < n; ++i) arrivals[i] = kept * arrivals[i] + next[i] * scale;
      if (change <= options.tolerance) {
        auto const& pi = chain.pi();
        return sum / std::accumulate(pi.begin(), pi.end(), 0.0);
      }
    }
    throw error("line: no steady state within " + std::to_string(options.max_sweeps) + " sweeps (residual " +
                shown(change) + "); raise max_sweeps or tolerance");
  }

  enclosure enclose(entry& one, double width, double enough) {
    auto& chain = one.chain;
    auto& values = one.values;
    auto const n = chain.arrival_size();
    if (values.size() != n) values.assign(n, 0);
    next.resize(n);
    double const kept = chain.periodic() ? lazy : 0;
    enclosure result{0, std::numeric_limits<double>::infinity()};
    for (sweeps = 1; sweeps <= options.max_sweeps; ++sweeps) {
      if (options.stop.met()) return result;
      chain.sweep_back(values.data(), next.data());
      double least = std::numeric_limits<double>::infinity(), most = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (!chain.reachable(i)) continue;
        double const step = next[i] - values[i];
        least = std::min(least, step);
        most = std::max(most, step);
      }
      double const origin = next[0];  // only differences matter; this keeps them small
      for (std::size_t i = 0; i < n; ++i) values[i] = kept * values[i] + (1 - kept) * (next[i] - origin);
      if (least > 0) result.upper = std::min(result.upper, 1 / least);
      result.lower = std::max(result.lower, 1 / most);
      bool const narrow = std::isfinite(result.upper) && result.upper - result.lower <= width * result.upper;
      if (narrow || result.upper < enough) return result;
    }
    return result;
  }

  /// Derivatives by move and class of workers, where the rates are those in the chain.
  std::vector<double> derivatives(entry& one, double throughput) {
    enclose(one, value_gap, 0);
    options.stop.check(solution);  // it may have ended the enclosure
    auto& chain = one.chain;
    // Once more, so that the values of all states go with those of the arrivals.
    chain.sweep_back(one.values.data(), next.data());
    auto const &pi = chain.pi(), &value = chain.value();
    double const mass = std::accumulate(pi.begin(), pi.end(), 0.0);
    std::vector<double> result(chain.rates().size(), 0);
    std::size_t counted = detail::no_host;
    std::vector<std::uint16_t> busy;
    chain.for_each_run([&](detail::run const& run) {
      if (run.host != detail::no_host && run.host != counted) {
        busy = chain.busy_in_all_states(run.host);
        counted = run.host;
      }
      double const renewal = run.parameter == 0 ? 1 / throughput : 0;  // an arrival starts the next round
      double sum = 0;
      for (std::size_t r = 0; r < run.length; ++r) {
        double const weight = run.host == detail::no_host ? pi[run.src + r] : pi[run.src + r] / busy[run.src + r];
        sum += weight * (value[run.src + r] + renewal - value[run.dst + r]);
      }
      result[run.parameter] += throughput * run.weight * sum / mass;
    });
    return result;
  }
};

line_solver::line_solver(line_solver_options options) : state_(new state{std::move(options)}) {}
line_solver::~line_solver() = default;
line_solver::line_solver(line_solver&&) noexcept = default;
line_solver& line_solver::operator=(line_solver&&) noexcept = default;

double line_solver::throughput(line const& model) {
  return state_->iterate(state_->prepare(model));
}

enclosure line_solver::enclose(line const& model, double width, double enough) {
  try {
    return state_->enclose(state_->prepare(model), width, enough);
  } catch (stopped const&) {
    return {0, std::numeric_limits<double>::infinity()};
  }
}

line_sensitivity line_solver::sensitivity(line const& model) {
  auto& entry = state_->prepare(model);
  line_sensitivity result;
  result.throughput = state_->iterate(entry);
  auto const slopes = state_->derivatives(entry, result.throughput);
  auto const moves = model.moves.size();
  result.moves.assign(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(moves));
  // Equal workers share the derivative of their class; under fixed share a rate counts by the share it gets.
  auto const classes = detail::classify(model);
  auto const shared = worker_rates(model);
  for (auto const& one : model.stations) result.workers.emplace_back(one.workers.size(), 0.0);
  for (std::size_t c = 0; c < classes.size(); ++c)
    for (auto w : classes[c].members) {
      auto const i = classes[c].station;
      result.workers[i][w] = slopes[moves + c] / static_cast<double>(classes[c].members.size()) * shared[i][w] /
                             model.stations[i].workers[w].rate;
    }
  return result;
}

line_solution line_solver::solve(line const& model) {
  auto& entry = state_->prepare(model);
  line_solution result;
  result.throughput = state_->iterate(entry);
  result.sweeps = state_->sweeps;
  auto& chain = entry.chain;
  double const scale = 1 / std::accumulate(chain.pi().begin(), chain.pi().end(), 0.0);
  for (auto& one : chain.pi()) one *= scale;
  auto const [residual, transitions] = check_balance(chain);
  result.residual = residual;
  result.states = chain.size();
  result.transitions = transitions;
  auto const marginals = chain.marginals();
  for (std::size_t i = 0; i < marginals.size(); ++i) {
    auto const& meaning = chain.meanings()[i];
    station_load load;
    for (std::size_t d = 0; d < marginals[i].size(); ++d) {
      load.busy += marginals[i][d] * meaning.busy[d];
      load.blocked += marginals[i][d] * meaning.blocked[d];
      load.population += marginals[i][d] * meaning.population[d];
    }
    load.starved = std::max(0.0, 1 - load.busy - load.blocked);
    auto const accepts = chain.stations()[i].accepting(), releases = chain.stations()[i].releasing();
    for (std::size_t d = 0; d < marginals[i].size(); ++d) {
      if (accepts[d]) load.room += marginals[i][d];
      if (releases[d]) load.finished += marginals[i][d];
    }
    result.population += load.population;
    result.stations.push_back(load);
  }
  result.latency = result.population / result.throughput;
  return result;
}

line_solution solve_line(line const& model, line_solver_options const& options) {
  return line_solver(options).solve(model);
}

double count_states(line const& model) {
  check(model);
  auto const classes = detail::classify(model);
  double total = 1;
  for (std::size_t i = 0; i < model.stations.size(); ++i) total *= detail::count_local_states(model, i, classes);
  return total;
}

}  // namespace skel::cost
