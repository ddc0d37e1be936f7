#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "supporting_planes.hpp"

namespace skel::mapping::detail {

/// Visits the placements that agree with a node, and tests each against the planes. supporting_planes::close_bound()
/// tests one plane with all placements of a node together. Here each placement has its best plane, and no mixture
/// stands for them. That makes the bounds of nodes with few placements much tighter.
class completions {
 public:
  completions(placement_tables const& tables, supporting_planes& planes) : tables_(tables), planes_(planes) {}

  /// Tells if a stage may go to a host when so many workers are on each.
  using admissible = std::function<bool(plan::host_id, std::vector<std::size_t> const& count)>;
  /// The hosts of the stages of the order, and a bound on the throughput.
  using found = std::function<void(std::span<plan::host_id const>, double bound)>;

  /// Visits every placement that agrees with `where` and that no plane bounds below `enough` > 0. The other stages are
  /// `order`: each is where it is pinned, or on an admissible host. The four planes that helped last are followed from
  /// stage to stage, with the least that later stages can add. So most placements are never reached. O(hosts^stages of
  /// the order * planes * stages) at most.
  void for_each(partial_placement const& where, std::span<std::size_t const> order, double enough,
                admissible const& may, found const& visit);

 private:
  static constexpr std::size_t guides = 4;
  struct guide {
    supporting_planes::plane const* plane = nullptr;
    std::vector<double> load;  ///< per host: sum over its stages of the cost of each there alone
    std::vector<double> rest;  ///< least sum that stages k and later of the order add
    double value = 0;          ///< of the stages that are placed and the moves between them
  };

  void begin(guide& one) const;
  double added(guide const& one, std::size_t i, plan::host_id h) const;
  void descend(std::size_t at);

  placement_tables const& tables_;
  supporting_planes& planes_;
  std::vector<guide> guides_;
  std::vector<plan::host_id> host_, chosen_;  // per stage (or the number of hosts); per stage of the order
  std::vector<std::size_t> count_;
  std::span<std::size_t const> order_;
  double enough_ = 0;
  admissible const* may_ = nullptr;
  found const* visit_ = nullptr;
};

}  // namespace skel::mapping::detail
