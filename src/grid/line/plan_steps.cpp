#include "plan_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

namespace skel {

forced_placement::forced_placement(std::string_view text, runtime::program const& line, processor_map const& processors)
    : text_(plan::read_placement(text)), line_(line), processors_(processors) {
  if (text_.size() != line.size()) {
    std::vector<std::string> names;
    for (auto const& station : line.stations) names.push_back(station.notes.name);
    refuse("the program has " + std::to_string(line.size()) + " stages, source and sink too, not " +
           std::to_string(text_.size()) + ": " + joined(names, " | "));
  }
  for (std::size_t s = 0; s < line.size(); ++s) {
    ranks_.push_back(ranks_of(s));
    check_workers(s, ranks_.back().size());
  }
}

std::vector<int> forced_placement::ranks_of(std::size_t station) const {
  auto const& names = processors_.rank_names;
  std::vector<int> ranks;
  for (auto const& [host, count] : text_[station]) {
    auto const found = std::ranges::find(names, host);
    if (found == names.end())
      refuse("there is no rank " + in_quotes(host) + " for " + name(station) + "; there are " + joined(names) +
             did_you_mean(host, names));
    auto const rank = static_cast<int>(found - names.begin());
    if (std::ranges::find(processors_.rank_of, rank) == processors_.rank_of.end())
      refuse(in_quotes(host) + " has no core of its own for " + name(station));
    if (count > mapping::most_width || ranks.size() + count > mapping::most_width)
      refuse(name(station) + " would have more than " + std::to_string(mapping::most_width) +
             " workers, the most of a farm that can be priced");
    ranks.insert(ranks.end(), count, rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

void forced_placement::check_workers(std::size_t station, std::size_t workers) const {
  auto const& of = line_.stations[station];
  std::string const number = counted(workers, "worker");
  if (!spreads(of) && workers > 1) refuse(name(station) + " is no farm and takes one worker, not " + number);
  if (spreads(of) && of.notes.width > 0 && workers != of.notes.width)
    refuse(name(station) + " is " + std::to_string(of.notes.width) + " wide (skel::width) and cannot have " + number);
}

void forced_placement::require(station_ranks const& possible, int home,
                               std::vector<std::optional<int>> const& state_on) const {
  auto const tied = tied_to_source(line_);
  for (std::size_t s = 0; s < line_.size(); ++s) {
    bool const leaves = tied[s] && std::ranges::any_of(ranks_[s], [&](int rank) { return rank != home; });
    auto must = leaves ? std::vector{home} : possible[s];
    std::ranges::sort(must);
    if (must == ranks_[s]) continue;
    std::string const only = name(s) + " can only be on " + in_words(must);
    if (leaves)
      refuse(only +
             ": items beside it cannot be sent to another rank (no skel::serializer of their type, or of the "
             "one inside it; docs/types.md)");
    if (!line_.stations[s].notes.at.empty()) refuse(only + ", where the program pins it (skel::at)");
    if (s == 0 || s + 1 == line_.size())
      refuse(only + ", as the " + (s == 0 ? "source" : "sink") + " of this program; skel::at pins it elsewhere");
    if (state_on[s])
      refuse(only +
             ": it may keep state and has seen items there; say skel::stateless if it keeps none, or give its "
             "type a skel::serializer so that its state can travel");
    refuse(only);
  }
}

void forced_placement::refuse(std::string const& why) const {
  throw error(std::string(mapping::placement_choice::name) + ": '" + to_string(text_) +
              "' is forced, but may not be taken: " + why);
}

std::string forced_placement::name(std::size_t station) const {
  return in_quotes(line_.stations[station].notes.name);
}

std::string forced_placement::in_words(std::vector<int> const& ranks) const {
  std::vector<plan::named_workers> all;
  all.reserve(ranks.size());
  for (int const rank : ranks) all.push_back({processors_.rank_names.at(static_cast<std::size_t>(rank))});
  return in_quotes(to_string(plan::placement_text{all}));
}

namespace {

/// The first search takes this long [s]: it ends within a millisecond or two of its limit.
constexpr double first_search = 1e-3;

}  // namespace

mapping::placement_answer search_while_it_pays(std::function<mapping::placement_answer(double limit)> const& search,
                                               double longest, double horizon) {
  double best = 0, in_vain = 0;
  for (double limit = std::min(first_search, longest);; limit = std::min(2 * limit, longest)) {
    auto answer = search(limit);
    auto const* found = std::get_if<mapping::decision>(&answer);
    if (found == nullptr || found->optimal || limit >= longest) return answer;
    in_vain = found->evaluated > 0 && found->throughput <= best ? in_vain + 1 : 0;
    best = found->throughput;
    if (horizon * (found->bound / best - 1) / (in_vain + 2) <= 2 * limit) return answer;
  }
}

mapping::copy_tree_request ranks_of_copies(plan::station_plan const& station, processor_map const& processors) {
  auto const& machine = processors.platform;
  auto const& rank_of = processors.rank_of;
  mapping::copy_tree_request asked{.capacity = station.capacity};
  std::vector<std::size_t> processor;
  for (auto const& [rank, copies] : runtime::flow_control::copy_ranks(station)) {
    processor.push_back(static_cast<std::size_t>(std::ranges::find(rank_of, rank) - rank_of.begin()));
    asked.ranks.push_back(processors.rank_names[static_cast<std::size_t>(rank)]);
  }
  for (std::size_t const a : processor)
    for (std::size_t const b : processor)
      asked.paths.push_back(machine.connected(a, b) && machine.connected(b, a)
                                ? machine.path(a, b)
                                : platform::link{std::numeric_limits<double>::infinity()});
  return asked;
}

void take_tree(plan::station_plan& station, mapping::copy_tree const& tree) {
  auto const ranks = runtime::flow_control::copy_ranks(station);
  station.ranks.clear();
  for (std::size_t const vertex : tree.order)
    station.ranks.insert(station.ranks.end(), ranks[vertex].second, ranks[vertex].first);
  station.parents = tree.parents;
}

}  // namespace skel
