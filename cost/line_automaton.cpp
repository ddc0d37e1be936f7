#include "line_automaton.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace skel::cost::detail {
namespace {

/// A worker's state: 0 empty, else 1 + 2 (items - 1) + (the first item is finished).
using code = std::uint16_t;

inline constexpr std::size_t longest_buffer = std::numeric_limits<code>::max() / 2 - 1;
inline constexpr std::size_t widest_farm = std::numeric_limits<code>::max();

/// A state of a single worker takes a microsecond; one of a farm the square of its workers.
inline constexpr std::size_t states_between_questions = 256;

std::size_t items(code c) {
  return (c + 1u) / 2;
}
bool processing(code c) {
  return c % 2 == 1;
}
bool finished(code c) {
  return c != 0 && c % 2 == 0;
}
code after_process(code c) {
  return static_cast<code>(c + 1);
}
code after_accept(code c) {
  return static_cast<code>(c == 0 ? 1 : c + 2);
}
code after_release(code c) {
  return static_cast<code>(c == 2 ? 0 : c - 3);
}
std::size_t potential(code c) {
  return 2 * items(c) - (finished(c) ? 1 : 0);
}

/// Codes of all workers; under round-robin dispatch followed by the worker whose turn it is to receive and to send.
using configuration = std::vector<code>;

struct builder {
  line const& model;
  std::size_t index;
  std::vector<worker_class> const& classes;

  station const& here = model.stations[index];
  std::size_t width = here.workers.size();
  bool in_turn = model.farms == dispatch::round_robin && width > 1;
  std::vector<std::size_t> mine{};      // classes of this station
  std::vector<std::size_t> class_of{};  // per worker
  std::map<configuration, std::size_t> seen{};
  std::vector<configuration> found{};
  std::vector<step> inner{}, accept{}, release{};

  builder(line const& l, std::size_t i, std::vector<worker_class> const& c)
      : model(l), index(i), classes(c), class_of(l.stations[i].workers.size()) {
    auto const first =
        std::partition_point(classes.begin(), classes.end(), [&](auto const& one) { return one.station < i; });
    for (auto k = static_cast<std::size_t>(first - classes.begin()); k < classes.size() && classes[k].station == i;
         ++k) {
      for (auto member : classes[k].members) class_of[member] = k;
      mine.push_back(k);
    }
  }

  bool has_room(code c) const { return items(c) <= here.buffer; }

  /// One name for states that differ only by an exchange of equal workers.
  configuration canonical(configuration state) const {
    if (in_turn) {
      if (mine.size() == 1) {  // equal workers in a ring: turn it until number 0 sends next
        auto const out = state[width + 1];
        std::rotate(state.begin(), state.begin() + out, state.begin() + static_cast<std::ptrdiff_t>(width));
        state[width] = static_cast<code>((state[width] + width - out) % width);
        state[width + 1] = 0;
      }
      return state;
    }
    for (auto k : mine) {
      std::vector<code> codes;
      for (auto member : classes[k].members) codes.push_back(state[member]);
      std::sort(codes.begin(), codes.end(), std::greater<>());
      for (std::size_t j = 0; j < codes.size(); ++j) state[classes[k].members[j]] = codes[j];
    }
    return state;
  }

  state_id number(configuration state) {
    state = canonical(std::move(state));
    auto const [where, fresh] = seen.try_emplace(state, found.size());
    if (fresh) found.push_back(std::move(state));
    return static_cast<state_id>(where->second);
  }

  static configuration with(configuration state, std::size_t who, code c) {
    state[who] = c;
    return state;
  }

  void expand(std::size_t id) {
    auto const state = found[id];  // by value: `found` grows
    auto const from = static_cast<state_id>(id);
    auto const first_parameter = model.moves.size();
    std::vector<std::size_t> takers, givers;
    for (std::size_t w = 0; w < width; ++w) {
      if (processing(state[w]))
        inner.push_back({from, number(with(state, w, after_process(state[w]))), first_parameter + class_of[w], 1});
      if (has_room(state[w]) && (!in_turn || state[width] == w)) takers.push_back(w);
      if (finished(state[w]) && (!in_turn || state[width + 1] == w)) givers.push_back(w);
    }
    auto const next = [&](std::size_t w) { return static_cast<code>((w + 1) % width); };
    for (auto w : takers) {
      auto after = with(state, w, after_accept(state[w]));
      if (in_turn) after[width] = next(w);
      accept.push_back({from, number(std::move(after)), 0, 1 / static_cast<double>(takers.size())});
    }
    for (auto w : givers) {
      auto after = with(state, w, after_release(state[w]));
      if (in_turn) after[width + 1] = next(w);
      release.push_back({from, number(std::move(after)), 0, 1 / static_cast<double>(givers.size())});
    }
  }

  std::size_t potential_of(configuration const& state) const {
    std::size_t sum = 0;
    for (std::size_t w = 0; w < width; ++w) sum += potential(state[w]);
    return sum;
  }
};

/// Renumbers and sorts steps, and adds up those that go the same way.
void tidy(std::vector<step>& steps, std::vector<state_id> const& rank) {
  for (auto& one : steps) one.from = rank[one.from], one.to = rank[one.to];
  std::sort(steps.begin(), steps.end(), [](step const& a, step const& b) {
    return std::tie(a.from, a.to, a.parameter) < std::tie(b.from, b.to, b.parameter);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    bool const same = kept > 0 && steps[kept - 1].from == steps[i].from && steps[kept - 1].to == steps[i].to &&
                      steps[kept - 1].parameter == steps[i].parameter;
    if (same)
      steps[kept - 1].weight += steps[i].weight;
    else
      steps[kept++] = steps[i];
  }
  steps.resize(kept);
}

}  // namespace

std::size_t automaton::busy_on(std::size_t state, std::size_t host) const {
  auto const at = std::lower_bound(hosts.begin(), hosts.end(), host);
  if (at == hosts.end() || *at != host) return 0;
  return busy[state * hosts.size() + static_cast<std::size_t>(at - hosts.begin())];
}

std::vector<char> automaton::accepting() const {
  std::vector<char> can(size, 0);
  for (auto const& one : accept) can[one.from] = 1;
  return can;
}

std::vector<char> automaton::releasing() const {
  std::vector<char> can(size, 0);
  for (auto const& one : release) can[one.from] = 1;
  return can;
}

std::vector<worker_class> classify(line const& model) {
  auto const rates = worker_rates(model);
  std::vector<worker_class> classes;
  std::map<std::size_t, std::size_t> names;  // hosts in the order in which they come: only the sharing of hosts counts
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    auto const first = classes.size();
    for (std::size_t w = 0; w < rates[i].size(); ++w) {
      auto const host = model.sharing == share::dynamic
                            ? names.try_emplace(model.stations[i].workers[w].host, names.size()).first->second
                            : no_host;
      auto const alike = std::find_if(classes.begin() + static_cast<std::ptrdiff_t>(first), classes.end(),
                                      [&](auto const& c) { return c.rate == rates[i][w] && c.host == host; });
      if (alike == classes.end())
        classes.push_back({i, host, rates[i][w], {w}});
      else
        alike->members.push_back(w);
    }
  }
  return classes;
}

double count_local_states(line const& model, std::size_t i, std::vector<worker_class> const& classes) {
  auto const& here = model.stations[i];
  auto const width = static_cast<double>(here.workers.size()), room = static_cast<double>(here.buffer + 1);
  auto const first =
      std::partition_point(classes.begin(), classes.end(), [&](auto const& one) { return one.station < i; });
  auto const last = std::partition_point(first, classes.end(), [&](auto const& one) { return one.station == i; });
  if (model.farms == dispatch::round_robin && here.workers.size() > 1) {
    double const filling = std::exp2(width) - 1, full = (width * (room - 1) + 1) * std::exp2(width);
    return (filling + full) * (last - first == 1 ? 1 : width);
  }
  double product = 1;
  for (auto one = first; one != last; ++one) {
    auto const members = static_cast<double>(one->members.size()), kinds = 2 * room + 1;
    // The factors of the binomial coefficient that are fewer.
    double const fewer = std::min(members, kinds - 1), more = std::max(members, kinds - 1);
    for (double k = 1; k <= fewer && std::isfinite(product); ++k) product *= (more + k) / k;
  }
  return std::round(product);
}

automaton make_automaton(line const& model, std::size_t i, std::vector<worker_class> const& classes,
                         local_meaning& meaning, std::size_t limit, stop_condition const& stop) {
  builder b(model, i, classes);
  if (b.here.buffer > longest_buffer || b.width > widest_farm)
    throw error("line: station '" + b.here.name + "' has " + std::to_string(b.width) + " workers with a buffer of " +
                std::to_string(b.here.buffer) + "; at most " + std::to_string(widest_farm) +
                " workers and a buffer of " + std::to_string(longest_buffer) + " can be solved exactly");
  b.number(configuration(b.width + (b.in_turn ? 2 : 0), 0));
  if (count_local_states(model, i, classes) > static_cast<double>(limit))
    throw error("line: station '" + b.here.name + "' alone has more than " + std::to_string(limit) +
                " states; give it fewer workers or a smaller buffer, or use an approximation");
  std::size_t const states = std::max<std::size_t>(states_between_questions / (b.width * b.width), 1);
  for (std::size_t id = 0; id < b.found.size(); ++id) {
    if (id % states == 0) stop.check("line: its exact solution");
    b.expand(id);
  }

  automaton result;
  result.size = b.found.size();
  std::vector<std::size_t> order(result.size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    auto const px = b.potential_of(b.found[x]), py = b.potential_of(b.found[y]);
    return px != py ? px > py : b.found[x] > b.found[y];
  });
  std::vector<state_id> rank(result.size);
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<state_id>(k);
  tidy(b.inner, rank);
  tidy(b.accept, rank);
  tidy(b.release, rank);
  result.inner = std::move(b.inner);
  result.accept = std::move(b.accept);
  result.release = std::move(b.release);

  if (model.sharing == share::dynamic) {
    for (auto k : b.mine) result.hosts.push_back(classes[k].host);
    std::sort(result.hosts.begin(), result.hosts.end());
    result.hosts.erase(std::unique(result.hosts.begin(), result.hosts.end()), result.hosts.end());
    result.busy.assign(result.size * result.hosts.size(), 0);
  }
  meaning = {std::vector<double>(result.size), std::vector<double>(result.size), std::vector<double>(result.size)};
  auto const width = static_cast<double>(b.width);
  for (std::size_t k = 0; k < result.size; ++k) {
    auto const& state = b.found[order[k]];
    for (std::size_t w = 0; w < b.width; ++w) {
      meaning.busy[k] += processing(state[w]) / width;
      meaning.blocked[k] += finished(state[w]) / width;
      meaning.population[k] += static_cast<double>(items(state[w]));
      if (!result.hosts.empty() && processing(state[w])) {
        auto const g = std::lower_bound(result.hosts.begin(), result.hosts.end(), classes[b.class_of[w]].host) -
                       result.hosts.begin();
        ++result.busy[k * result.hosts.size() + static_cast<std::size_t>(g)];
      }
    }
  }
  return result;
}

automaton join(automaton const& left, std::size_t move, automaton const& right) {
  automaton result;
  result.size = left.size * right.size;
  auto const n = static_cast<state_id>(right.size);
  auto const lift_left = [&](std::vector<step> const& steps, std::vector<step>& into) {
    into.reserve(into.size() + steps.size() * right.size);
    for (auto const& one : steps)
      for (state_id r = 0; r < n; ++r) into.push_back({one.from * n + r, one.to * n + r, one.parameter, one.weight});
  };
  auto const lift_right = [&](std::vector<step> const& steps, std::vector<step>& into) {
    into.reserve(into.size() + steps.size() * left.size);
    for (state_id l = 0; l < left.size; ++l)
      for (auto const& one : steps) into.push_back({l * n + one.from, l * n + one.to, one.parameter, one.weight});
  };
  lift_left(left.inner, result.inner);
  lift_right(right.inner, result.inner);
  for (auto const& out : left.release)
    for (auto const& in : right.accept)
      result.inner.push_back({out.from * n + in.from, out.to * n + in.to, move, out.weight * in.weight});
  lift_left(left.accept, result.accept);
  lift_right(right.release, result.release);

  std::set_union(left.hosts.begin(), left.hosts.end(), right.hosts.begin(), right.hosts.end(),
                 std::back_inserter(result.hosts));
  result.busy.reserve(result.size * result.hosts.size());
  if (!result.hosts.empty())
    for (std::size_t l = 0; l < left.size; ++l)
      for (std::size_t r = 0; r < right.size; ++r)
        for (auto host : result.hosts)
          result.busy.push_back(static_cast<std::uint16_t>(left.busy_on(l, host) + right.busy_on(r, host)));
  return result;
}

void close_output(automaton& last, std::size_t move) {
  for (auto one : last.release) {
    one.parameter = move;
    last.inner.push_back(one);
  }
  last.release.clear();
}

}  // namespace skel::cost::detail
