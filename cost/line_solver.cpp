#include <skel/cost/line_solver.hpp>

#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include <skel/base/error.hpp>

#include "line_chain.hpp"

namespace skel::cost {
namespace {

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
  line_solver_options options;
  std::optional<detail::line_chain> chain{};
  std::vector<double> arrivals{}, next{};
  std::size_t sweeps = 0;

  void prepare(line const& model) {
    check(model);
    auto const classes = detail::classify(model);
    if (chain && chain->fits(model, classes)) {
      chain->set_rates(model, classes);
    } else {
      chain.reset();
      chain.emplace(model, options.max_states);
      arrivals.clear();
    }
  }

  /// Leaves pi in the chain, not normalised, and returns the throughput.
  double iterate() {
    auto const n = chain->arrival_size();
    if (arrivals.size() != n) arrivals.assign(n, 1 / static_cast<double>(n));
    next.resize(n);
    double const events = static_cast<double>(2 * chain->stations().size() + 1);
    double change = 1;
    for (sweeps = 1; sweeps <= options.max_sweeps; ++sweeps) {
      if (options.stop.stop_requested()) throw error("line: the solution was cancelled");
      chain->sweep(arrivals.data());
      chain->arrive(next.data());
      double sum = 0, differ = 0;
      for (std::size_t i = 0; i < n; ++i) sum += next[i], differ += std::abs(next[i] - arrivals[i]);
      change = differ / (events * sum);
      double const scale = 1 / sum;
      for (std::size_t i = 0; i < n; ++i) arrivals[i] = next[i] * scale;
      if (change <= options.tolerance) {
        auto const& pi = chain->pi();
        return sum / std::accumulate(pi.begin(), pi.end(), 0.0);
      }
    }
    throw error("line: no steady state within " + std::to_string(options.max_sweeps) + " sweeps (residual " +
                std::to_string(change) + "); raise max_sweeps or tolerance");
  }
};

line_solver::line_solver(line_solver_options options) : state_(new state{std::move(options)}) {}
line_solver::~line_solver() = default;
line_solver::line_solver(line_solver&&) noexcept = default;
line_solver& line_solver::operator=(line_solver&&) noexcept = default;

double line_solver::throughput(line const& model) {
  state_->prepare(model);
  return state_->iterate();
}

line_solution line_solver::solve(line const& model) {
  state_->prepare(model);
  line_solution result;
  result.throughput = state_->iterate();
  result.sweeps = state_->sweeps;
  auto& chain = *state_->chain;
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
    load.starved = 1 - load.busy - load.blocked;
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
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    detail::local_meaning meaning;
    total *=
        static_cast<double>(detail::make_automaton(model, i, classes, meaning, line_solver_options{}.max_states).size);
  }
  return total;
}

}  // namespace skel::cost
