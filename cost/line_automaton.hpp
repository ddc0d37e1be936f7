#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/cost/line.hpp>

/// One station of a line, or several neighbours taken together, as an automaton that accepts and releases items.
namespace skel::cost::detail {

using state_id = std::uint32_t;
inline constexpr std::size_t no_host = std::numeric_limits<std::size_t>::max();

/// from -> to at weight * rate of a parameter (a move or a class of workers), or with probability `weight`.
struct step {
  state_id from = 0, to = 0;
  std::size_t parameter = 0;
  double weight = 1;
};

/// Local states in an order in which every step but `accept` goes up: falling 2 * unfinished + finished items. The
/// product of two automata, ordered lexicographically, keeps the property: an item that leaves the left one raises its
/// state, and the left one is the more significant.
struct automaton {
  std::size_t size = 1;
  std::vector<step> inner;            ///< processing, and moves inside
  std::vector<step> accept, release;  ///< weight: probability, given that it accepts (releases) at all
  std::vector<std::size_t> hosts;     ///< hosts of its workers, ascending; filled under dynamic share only
  std::vector<std::uint16_t> busy;    ///< size x hosts: workers that are processing

  std::size_t busy_on(std::size_t state, std::size_t host) const;
  std::vector<char> accepting() const;
  std::vector<char> releasing() const;
};

/// Workers of one station that cannot be told apart: equal rate, and under dynamic share equal host.
struct worker_class {
  std::size_t station = 0;
  std::size_t host = no_host;  ///< set under dynamic share only; numbered in the order of the line
  double rate = 0;
  std::vector<std::size_t> members;  ///< indices into station.workers
};

/// Meaning of the states of one station, averaged over its workers (population: summed).
struct local_meaning {
  std::vector<double> busy, blocked, population;
};

/// Classes of all stations; parameter number of class c is N + 1 + c, of move i it is i.
std::vector<worker_class> classify(line const& model);

/// Number of states of station i's automaton, as far as a double can hold it. O(workers).
/// On demand, each class of m equal workers is a multiset of m of the 2 k + 3 states of one worker. In turn, n items
/// are where n turns have put them, and each of the min(n, m) first ones is finished or not. If workers differ, the
/// turn counts too.
double count_local_states(line const& model, std::size_t i, std::vector<worker_class> const& classes);

/// Automaton of station i. Throws skel::error beyond `limit` states, before anything is built, and skel::stopped when
/// the condition is met. O(states * workers * log states).
automaton make_automaton(line const& model, std::size_t i, std::vector<worker_class> const& classes,
                         local_meaning& meaning, std::size_t limit, stop_condition const& stop = {});

/// The product: left hands over to right by a move with parameter `move`.
automaton join(automaton const& left, std::size_t move, automaton const& right);

/// Releases to the outside: they become inner steps.
void close_output(automaton& last, std::size_t move);

}  // namespace skel::cost::detail
