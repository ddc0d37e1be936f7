#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <skel/detail/mapping/migration/host_memory.hpp>

#include "assignment_search.hpp"

namespace skel::mapping::migration {

/// Assignments with more and more even loads of hosts, from the present one on; the last is the most even one found.
/// The load of a process is its mean work over the supersteps of the problem; messages do not count.
///
/// While it helps, the slowest host h and another one g, the fastest first, divide their processes anew. Both take
/// equally long after a transfer of the work x = (t_h - t_g) / (1 / speed_h + 1 / speed_g). Processes of one group of h
/// go to g, the largest that fit into x first. Or a whole group of g comes back too, and so much more of h's goes to g.
/// Or two processes whose loads differ by about x change places.
///
/// A group is the processes of a host that share a block of memory, so that blocks are on few hosts. Processes without
/// a block are one group, and so are all if memory has no limit. When no transfer helps, some processes and groups go
/// elsewhere at random (the same for the same problem), and it tries again from there. Less even results are forgotten.
/// Memory is a hard limit. Sources: TemperedWMin of DARMA-tasking/vt, which swaps clusters of objects that share
/// memory; iterated local search, Lourenco, Martin and Stuetzle 2003, Handbook of Metaheuristics, 320-353.
///
/// O(processes log processes + steps hosts log hosts), and for each step O(groups^2 processes of a group) for some of
/// the hosts. Steps end when the search has looked at its most processes.
class even_loads {
 public:
  even_loads(assignment_problem const& problem, host_memory const& memory);

  std::vector<std::vector<std::size_t>> find();

 private:
  static constexpr std::size_t no_host = std::numeric_limits<std::size_t>::max();

  struct group {
    double load = 0;
    std::vector<std::size_t> processes;  // that may move, those with most load first
    std::size_t pinned = 0;              // others, which keep the block at its host
  };
  using groups = std::map<std::size_t, group>;  // by block
  /// Processes that go from one host to another, and those that come back.
  struct transfer {
    std::size_t to = no_host;
    std::vector<std::size_t> gone{}, back{};
    double slower = 0;  // time of the slower of the two hosts afterwards
  };
  struct part {
    std::vector<std::size_t> processes{};
    double load = 0, bytes = 0, working = 0;
  };
  struct evenness {
    double slowest = 0, squares = 0;
    friend auto operator<=>(evenness const&, evenness const&) = default;
  };
  struct state {
    std::vector<std::size_t> hosts;  // of each process
    std::vector<double> load;        // of each host
    std::vector<groups> of_host;
    host_memory memory;
  };

  double time(std::size_t host) const { return now_.load[host] / speed_[host]; }
  std::size_t slowest() const;
  evenness measure() const;
  bool is_even() const;
  bool is_tired() const { return looked_ > most_; }

  bool step();
  void divide(std::size_t from, std::size_t to, transfer& best);
  void exchange(std::size_t from, std::size_t to, transfer& best);
  double after(std::size_t from, std::size_t to, double load) const;
  double room(std::size_t host, std::size_t block, std::size_t without_block, group const* without) const;
  part largest_within(group const& of, double load, std::size_t host, double bytes);
  bool can_take(part const& taken, std::size_t process, double bytes) const;
  void take(part& taken, std::size_t process) const;
  void make(transfer const& one, std::size_t from);
  void move(std::size_t process, std::size_t to);
  void shake(std::mt19937& random);

  assignment_problem const& problem_;
  std::vector<double> work_;   // of each process
  std::vector<double> speed_;  // of each host
  std::vector<std::size_t> block_, movable_;
  state now_;
  double bound_ = 0;  // no assignment takes less time
  std::size_t looked_ = 0, most_ = 0;
};

}  // namespace skel::mapping::migration
