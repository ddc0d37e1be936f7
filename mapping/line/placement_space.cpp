#include <skel/detail/mapping/placement_space.hpp>

#include <algorithm>
#include <cmath>

namespace skel::mapping {
namespace {

using hosts = std::vector<plan::host_id>;

/// True if its number of workers is open, or more than one.
bool is_farm(skeletons::stage_shape const& stage) {
  return stage.replicable && stage.width != 1;
}

/// Number of ascending lists of `width` hosts, with repetition or without: a binomial coefficient.
double count_lists(std::size_t host_count, std::size_t width, bool repeat) {
  if (!repeat && width > host_count) return 0;
  auto const others = static_cast<double>(repeat ? host_count - 1 : host_count - width);
  double product = 1;
  for (std::size_t k = 1; k <= width; ++k) product *= (others + static_cast<double>(k)) / static_cast<double>(k);
  return product;
}

/// Appends all of these lists.
void append_lists(std::size_t host_count, std::size_t width, bool repeat, std::vector<hosts>& into) {
  hosts current;
  auto const grow = [&](auto const& self, plan::host_id first) -> void {
    if (current.size() == width) {
      into.push_back(current);
      return;
    }
    for (auto host = first; host < host_count; ++host) {
      current.push_back(host);
      self(self, repeat ? host : host + 1);
      current.pop_back();
    }
  };
  grow(grow, 0);
}

std::optional<infeasible> find_missing(skeletons::terminal const& end, char const* which,
                                       platform::description const& platform) {
  if (platform.find_host(end.at)) return {};
  return infeasible{std::string(which) + ": the platform has no host '" + end.at +
                    "'; name one of its hosts, such as '" + platform.host_name(0) + "'"};
}

}  // namespace

double placement_space::size() const {
  double product = 1;
  for (auto const& one : choices) product *= static_cast<double>(one.size());
  return product;
}

std::variant<placement_space, infeasible> enumerate_choices(placement_problem const& problem, std::size_t limit) {
  auto const& platform = problem.platform;
  if (problem.program.stages.empty()) return infeasible{"pipeline: it has no stage; give it at least one"};
  if (platform.host_count() == 0) return infeasible{"platform: it has no host; give it at least one cluster"};
  if (problem.program.input)
    if (auto const missing = find_missing(*problem.program.input, "input", platform)) return *missing;
  if (problem.program.output)
    if (auto const missing = find_missing(*problem.program.output, "output", platform)) return *missing;

  placement_space space;
  auto const count = platform.host_count();
  auto const& stages = problem.program.stages;
  auto const single = std::ranges::count_if(stages, [](auto const& s) { return s.at.empty() && !is_farm(s); });
  if (static_cast<double>(single) * static_cast<double>(count) > static_cast<double>(most_single_choices))
    return infeasible{"pipeline: " + std::to_string(single) + " of its stages have " + std::to_string(count) +
                      " hosts each to choose from, more than " + std::to_string(most_single_choices) +
                      " together; pin some of them, or give a platform of fewer hosts"};
  auto const widest = std::min(problem.max_width == 0 ? count : problem.max_width, count);
  std::size_t left = limit;  // of the choices of all farms
  for (auto const& stage : stages) {
    auto& choices = space.choices.emplace_back();
    auto const where = "stage '" + stage.name + "'";
    if (!stage.at.empty()) {
      hosts pinned;
      for (auto const& name : stage.at) {
        auto const host = platform.find_host(name);
        if (!host) return infeasible{where + ": the platform has no host '" + name + "'; pin it to another or to none"};
        pinned.push_back(*host);
      }
      if (pinned.size() > 1 && !stage.replicable)
        return infeasible{where + ": it is pinned to " + std::to_string(pinned.size()) +
                          " hosts and is not replicable; pin it to one"};
      choices.push_back(std::move(pinned));
      continue;
    }
    bool const farm = is_farm(stage), repeat = farm && stage.width > 0;
    std::size_t const least = repeat ? stage.width : 1, most = repeat ? stage.width : farm ? widest : 1;
    double lists = 0;
    for (std::size_t width = least; width <= most && lists <= static_cast<double>(limit); ++width)
      lists += count_lists(count, width, repeat);
    // Half a choice more, for a rounded product.
    if (lists > static_cast<double>(farm ? left : limit) + 0.5) {
      space.complete = false;
      continue;
    }
    for (std::size_t width = least; width <= most; ++width) append_lists(count, width, repeat, choices);
    if (farm) left -= std::min(left, choices.size());
  }
  return space;
}

namespace {

/// Two hosts that must talk and cannot: the ends of move `move` of a placement.
struct gap {
  std::size_t move = 0;
  plan::host_id from = 0, to = 0;
};

std::optional<gap> find_gap(placement_problem const& problem, plan::placement const& where) {
  auto const& platform = problem.platform;
  auto const between = [&](std::size_t move, hosts const& from, hosts const& to) -> std::optional<gap> {
    for (auto a : from)
      for (auto b : to)
        if (!platform.connected(a, b)) return gap{move, a, b};
    return std::nullopt;
  };
  auto const end = [&](skeletons::terminal const& terminal) {
    auto const host = platform.find_host(terminal.at);
    return host ? hosts{*host} : hosts{};
  };
  std::optional<gap> found;
  if (problem.program.input) found = between(0, end(*problem.program.input), where.stages.front());
  for (std::size_t i = 0; i + 1 < where.stages.size() && !found; ++i)
    found = between(i + 1, where.stages[i], where.stages[i + 1]);
  if (problem.program.output && !found)
    found = between(where.stages.size(), where.stages.back(), end(*problem.program.output));
  return found;
}

}  // namespace

bool connected(placement_problem const& problem, plan::placement const& where) {
  auto const there = [&](std::optional<skeletons::terminal> const& end) {
    return !end || problem.platform.find_host(end->at);
  };
  return there(problem.program.input) && there(problem.program.output) && !find_gap(problem, where);
}

std::optional<std::string> missing_link(placement_problem const& problem, plan::placement const& where) {
  auto const missing = find_gap(problem, where);
  if (!missing) return std::nullopt;
  auto const& platform = problem.platform;
  auto const& stages = problem.program.stages;
  auto const side = [&](bool sends) {
    std::size_t const count = where.stages.size();
    bool const outside = sends ? missing->move == 0 : missing->move == count;
    if (outside) return std::string(sends ? "the input" : "the output");
    return "stage '" + stages[sends ? missing->move - 1 : missing->move].name + "'";
  };
  auto const cluster = [&](plan::host_id host) { return platform.clusters()[platform.cluster_of(host)].name; };
  std::string linked;
  for (auto const& one : platform.links())
    if (one.from == platform.cluster_of(missing->from))
      linked.append(linked.empty() ? "'" : ", '").append(platform.clusters()[one.to].name).append("'");
  return side(true) + " on host '" + platform.host_name(missing->from) + "' cannot send to " + side(false) +
         " on host '" + platform.host_name(missing->to) + "': there is no link from '" + cluster(missing->from) +
         "' to '" + cluster(missing->to) +
         "'; add it to the platform, or put them on one host or on hosts that are linked ('" + cluster(missing->from) +
         "' has links to " + (linked.empty() ? "none" : linked) + ")";
}

std::string to_string(plan::placement const& where, platform::description const& platform) {
  std::string text = "(";
  for (std::size_t i = 0; i < where.stages.size(); ++i) {
    if (i > 0) text += ", ";
    for (std::size_t w = 0; w < where.stages[i].size(); ++w)
      text.append(w > 0 ? "+" : "").append(platform.host_name(where.stages[i][w]));
  }
  return text + ")";
}

}  // namespace skel::mapping
