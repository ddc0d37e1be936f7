#include <skel/detail/machine/rank_cores.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/ranks/native.hpp>

namespace skel {
namespace {

/// The view that one rank has of its cores.
struct own_view {
  std::uint64_t host = 1, most = 0;
  double granted = std::numeric_limits<double>::infinity();
  std::vector<std::uint64_t> mine;
  SKEL_FIELDS(host, most, granted, mine);
};

own_view look() {
  auto const found = platform::find_usable_cores();
  own_view view;
  view.host = found.host;
  view.mine.assign(found.mine.begin(), found.mine.end());
  if (auto const granted = platform::read_group_limits().processors)
    view.granted = *granted, view.most = static_cast<std::uint64_t>(std::ceil(*granted));
  return view;
}

std::vector<own_view> look_everywhere(runtime::communicator const& ranks) {
  std::vector<own_view> views;
  for (std::string const& bytes : ranks.all_gather(runtime::to_bytes(look())))
    views.push_back(runtime::from_bytes<own_view>(bytes));
  return views;
}

/// Cores as they are dealt, and what control groups grant of them.
rank_cores dealt(std::vector<own_view> const& views, rank_cores cores) {
  for (auto const& one : views) cores.granted.push_back(one.granted);
  return cores;
}

/// Ranks that may use fewer cores than `there` are for each of them.
std::string sentence(std::vector<own_view> const& views, std::vector<std::size_t> const& there,
                     std::vector<std::string> const& hosts) {
  std::string text;
  std::size_t few = 0;
  bool bound = false;
  for (std::size_t r = 0; r < views.size(); ++r) {
    if (views[r].mine.size() >= there[r]) continue;
    bound = bound || views[r].mine.size() < views[r].host;
    if (few++ == 0)
      text = "rank " + std::to_string(r) + " may use " + std::to_string(views[r].mine.size()) + " of the " +
             std::to_string(there[r]) + " cores of '" + hosts[r] + "'";
  }
  if (few == 0) return {};
  if (few > 1)
    text += ", and " + counted(few - 1, "other rank") + " may use only some cores of " +
            (few == 2 ? "its host" : "their hosts");
  if (!bound) return text + ": there are no more where it runs";
  return text + (runtime::is_launched()
                     ? ": mpirun binds ranks to cores unless it is told not to (mpirun --bind-to none)"
                     : ": it was started so (by taskset, or in a container with a limit)");
}

}  // namespace

rank_cores deal_cores(std::vector<std::size_t> const& host_of_rank, std::vector<std::vector<std::size_t>> const& usable,
                      std::vector<std::size_t> const& most) {
  SKEL_EXPECTS(usable.size() == host_of_rank.size() && most.size() == host_of_rank.size());
  std::size_t const ranks = host_of_rank.size();
  rank_cores out{std::vector<std::size_t>(ranks, 0), std::vector<std::size_t>(ranks, 0), {}};
  std::map<std::size_t, std::vector<std::size_t>> ranks_on;
  for (std::size_t r = 0; r < ranks; ++r) ranks_on[host_of_rank[r]].push_back(r);
  for (auto const& [host, here] : ranks_on) {
    std::map<std::size_t, std::vector<std::size_t>> users;  // of each core
    for (std::size_t r : here)
      for (std::size_t core : usable[r]) users[core].push_back(r);
    std::vector<std::size_t> order;
    for (auto const& [core, who] : users) order.push_back(core);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return users[a].size() < users[b].size(); });
    std::size_t left = order.size();
    for (std::size_t r : here)
      if (most[r] > 0) left = std::min(left, most[r]);
    for (std::size_t i = 0; i < order.size() && i < left; ++i) {
      auto const& who = users[order[i]];
      ++out.own[*std::min_element(who.begin(), who.end(),
                                  [&](std::size_t a, std::size_t b) { return out.own[a] < out.own[b]; })];
    }
    std::map<std::set<std::size_t>, std::size_t> domains;
    for (std::size_t r : here) {
      std::set<std::size_t> const mine(usable[r].begin(), usable[r].end());
      auto const [domain, is_new] = domains.emplace(mine, out.cores.size());
      if (is_new) out.cores.push_back(std::max<std::size_t>(1, std::min(mine.size(), left)));
      out.domain[r] = domain->second;
    }
  }
  return out;
}

rank_cores find_rank_cores(runtime::communicator const& ranks, std::string& limits) {
  auto const views = look_everywhere(ranks);
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> host_of_rank, most, there;
  std::vector<std::vector<std::size_t>> usable;
  for (std::size_t r = 0; r < views.size(); ++r) {
    host_of_rank.push_back(numbers.emplace(ranks.hosts()[r], numbers.size()).first->second);
    usable.emplace_back(views[r].mine.begin(), views[r].mine.end());
    most.push_back(views[r].most);
    there.push_back(views[r].host);
  }
  limits = sentence(views, there, ranks.hosts());
  return dealt(views, deal_cores(host_of_rank, usable, most));
}

rank_cores find_stated_cores(runtime::communicator const& ranks, platform::description const& machine,
                             std::vector<plan::host_id> const& host_of_rank, std::string& limits) {
  auto const views = look_everywhere(ranks);
  std::vector<std::size_t> most, there;
  std::vector<std::vector<std::size_t>> usable;
  std::vector<std::string> names;
  std::map<std::size_t, bool> is_here;
  for (std::size_t r = 0; r < views.size(); ++r) {
    there.push_back(std::max<std::size_t>(1, machine.cores(host_of_rank[r])));
    names.push_back(machine.host_name(host_of_rank[r]));
    auto const here = is_here.emplace(host_of_rank[r], true).first;
    here->second = here->second && names[r] == ranks.hosts()[r];
  }
  for (std::size_t r = 0; r < views.size(); ++r) {
    bool const here = is_here[host_of_rank[r]];
    if (here) {
      usable.emplace_back(views[r].mine.begin(), views[r].mine.end());
    } else {
      usable.emplace_back(there[r]);
      std::iota(usable.back().begin(), usable.back().end(), std::size_t{0});
    }
    most.push_back(!here ? 0 : views[r].most == 0 ? there[r] : std::min<std::size_t>(there[r], views[r].most));
  }
  limits = sentence(views, there, names);
  return dealt(views, deal_cores({host_of_rank.begin(), host_of_rank.end()}, usable, most));
}

void take_least_of_shared_cores(std::vector<std::vector<double>>& seconds, rank_cores const& cores,
                                std::vector<std::size_t> const& threads) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> least;  // by domain and threads
  auto const for_each_unlimited = [&](auto const& use) {
    for (std::size_t r = 0; r < seconds.size(); ++r)
      if (!seconds[r].empty() && (cores.granted.empty() || !std::isfinite(cores.granted[r])))
        use(std::pair(cores.domain[r], threads[r]), seconds[r]);
  };
  for_each_unlimited([&](auto const& key, std::vector<double> const& own) {
    auto& all = least.try_emplace(key, own).first->second;
    for (std::size_t s = 0; s < own.size(); ++s) all[s] = std::min(all[s], own[s]);
  });
  for_each_unlimited([&](auto const& key, std::vector<double>& own) { own = least.at(key); });
}

std::size_t threads_worth(platform::host_reading const& reading, std::size_t most) {
  SKEL_EXPECTS(most > 0);
  bool const knows_cores = !reading.processors.empty();
  double const cores = knows_cores ? static_cast<double>(reading.cores) : std::numeric_limits<double>::infinity();
  double const others = platform::busy_with_others(reading).value_or(0), guests = std::ceil(others);
  double const quota = reading.quota.value_or(std::numeric_limits<double>::infinity());
  std::size_t best = 1;
  double worth = 0;
  for (std::size_t threads = 1; threads <= most; ++threads) {
    double const p = static_cast<double>(threads);
    double const beside = p + guests <= cores || guests == 0 ? 1 : std::max(0.5, 1 - others / guests);
    double const found = p * std::min({quota / p, beside, cores / p});
    if (found > worth * (1 + std::numeric_limits<float>::epsilon())) best = threads, worth = found;
  }
  return best;
}

bool granted_threads::add(platform::host_reading const& reading, double now) {
  last_ = now;
  if (reading.seconds == 0 && !reading.quota) return false;  // it says nothing yet
  std::size_t const wanted = threads_worth(reading, most_);
  seen_ = wanted == next_ ? seen_ + 1 : 1;
  next_ = wanted;
  if (wanted == now_ || seen_ < agreeing) return false;
  now_ = wanted;
  return true;
}

}  // namespace skel
