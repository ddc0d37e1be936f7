#include <skel/detail/mapping/selection_picture.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::mapping {
namespace {

/// Of the drawing, in its own units: a page shows it as wide as there is room for.
constexpr double width = 680, box_width = 172, box_height = 62, square = 5.5, margin = 8, row_height = 92;
constexpr std::size_t squares_of_a_box = 27, longest_name = 24;
/// Links of so many clusters all have their latencies beside them; with more clusters only some do.
constexpr std::size_t most_labelled_clusters = 5;

struct spot {
  double x = 0, y = 0;
};

/// The longer one of both directions, by pairs of clusters [s]; nothing if one has no link.
std::map<std::pair<std::size_t, std::size_t>, double> latencies_of(platform::description const& machine) {
  std::map<std::pair<std::size_t, std::size_t>, double> there, both;
  for (auto const& one : machine.links()) there[{one.from, one.to}] = one.path.latency;
  for (auto const& [pair, latency] : there)
    if (auto const back = there.find({pair.second, pair.first}); pair.first < pair.second && back != there.end())
      both[pair] = std::max(latency, back->second);
  return both;
}

/// Joins of the nearest groups (single linkage: Kruskal 1956, Proceedings of the AMS 7(1):48-50).
struct joining {
  std::vector<std::pair<std::size_t, std::size_t>> links;
  std::vector<std::size_t> order;  ///< of clusters, those of a group beside each other
};

template <class Latencies>
joining joined_by(Latencies const& latencies, std::vector<std::size_t> const& all) {
  std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> rising;
  rising.reserve(latencies.size());
  for (auto const& [pair, latency] : latencies) rising.emplace_back(latency, pair);
  std::ranges::sort(rising);
  std::map<std::size_t, std::size_t> group;
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (auto const c : all) group[c] = c, members[c] = {c};
  joining out;
  for (auto const& [latency, pair] : rising) {
    std::size_t const a = group[pair.first], b = group[pair.second];
    if (a == b) continue;
    for (auto const c : members[b]) group[c] = a, members[a].push_back(c);
    members.erase(b);
    out.links.push_back(pair);
  }
  for (auto const& [name, some] : members) out.order.insert(out.order.end(), some.begin(), some.end());
  return out;
}

/// Boxes as on a wheel, in their order clockwise: in rows of two, the first alone if their number is odd, so that no
/// box is on another.
std::vector<spot> wheel(std::size_t boxes, double& height) {
  std::size_t const rows = (boxes + 1) / 2, alone = boxes % 2;
  height = static_cast<double>(std::max<std::size_t>(1, rows)) * row_height;
  double const across = (width - box_width) / 2 - margin, least = box_width / 2 + 4 * margin;
  std::vector<spot> right, left;
  for (std::size_t row = 0; row < rows; ++row) {
    double const y = (static_cast<double>(row) + 0.5) * row_height, part = 2 * y / height - 1,
                 x = std::max(least, across * std::sqrt(1 - part * part));
    if (row < alone) {
      right.push_back({width / 2, y});
      continue;
    }
    right.push_back({width / 2 + x, y});
    left.push_back({width / 2 - x, y});
  }
  right.insert(right.end(), left.rbegin(), left.rend());
  return right;
}

bool is_chosen(selection_picture const& of, std::size_t cluster) {
  return std::ranges::binary_search(of.chosen, cluster);
}

std::string host_said(selection_picture const& of, std::size_t host) {
  return (of.hosts.empty() ? of.machine.host_name(host) : of.hosts[host]) + ": " +
         counted(static_cast<std::uint64_t>(std::llround(of.elements[host])), "element");
}

std::string box(selection_picture const& of, std::size_t cluster, std::size_t first_host, spot at) {
  auto const& one = of.machine.clusters()[cluster];
  bool const in = is_chosen(of, cluster);
  double const elements = std::accumulate(of.elements.begin(), of.elements.end(), 0.0),
               mine = std::accumulate(of.elements.begin() + static_cast<std::ptrdiff_t>(first_host),
                                      of.elements.begin() + static_cast<std::ptrdiff_t>(first_host + one.hosts), 0.0);
  std::string const share =
      in ? print("%.0f elements, %.0f %%", mine, elements > 0 ? 100 * mine / elements : 0.0) : "takes no part";
  double const x = at.x - box_width / 2, y = at.y - box_height / 2;
  std::string out = box_shape(x, y, box_width, box_height, in ? "cluster chosen" : "cluster",
                              one.name + ": " + counted(one.hosts, "host") + ", " + share);
  auto const line = [&](double down, std::string const& text, char const* kind = "") {
    out += text_shape(x + 7, y + down, "start", text, kind);
  };
  line(14, printable(one.name, longest_name), "title");
  line(28, counted(one.hosts, "host") + ", " + scaled(of.seconds_per_element[cluster], "s/element"));
  line(41, share);
  std::size_t const drawn = std::min(one.hosts, squares_of_a_box);
  for (std::size_t k = 0; k < drawn; ++k)
    out += box_shape(x + 7 + static_cast<double>(k) * square, y + 48, square - 1.5, 9,
                     of.elements[first_host + k] > 0 ? "bar" : "idle", host_said(of, first_host + k));
  if (drawn < one.hosts) out += text_shape(x + 7 + static_cast<double>(drawn) * square, y + 56, "start", "...");
  return out;
}

/// Place of a link's label: on no other label and no box, as near to the middle of the link as there is room.
spot label_of(spot from, spot to, std::vector<spot> const& boxes, std::vector<spot> const& labels) {
  constexpr double label_width = 44, label_height = 13;
  spot best{};
  for (double const part : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74}) {
    spot const at{from.x + part * (to.x - from.x), from.y + part * (to.y - from.y) + 4};
    auto const near = [&](double wide, double high) {
      return [=](spot other) { return std::abs(other.x - at.x) < wide && std::abs(other.y - at.y) < high; };
    };
    if (part == 0.5) best = at;
    if (std::ranges::none_of(labels, near(label_width, label_height)) &&
        std::ranges::none_of(boxes, near((box_width + label_width) / 2, (box_height + label_height) / 2)))
      return at;
  }
  return best;
}

}  // namespace

drawing grid_drawing(selection_picture const& of) {
  auto const& clusters = of.machine.clusters();
  std::vector<std::size_t> shown = of.chosen, first_host(clusters.size());
  for (std::size_t c = 0, host = 0; c < clusters.size(); ++c) {
    first_host[c] = host, host += clusters[c].hosts;
    if (!is_chosen(of, c)) shown.push_back(c);
  }
  std::size_t const left_out = shown.size() - std::min(shown.size(), most_drawn_clusters);
  shown.resize(shown.size() - left_out);
  std::ranges::sort(shown);
  auto latencies = latencies_of(of.machine);
  std::erase_if(latencies, [&](auto const& one) {
    return !std::ranges::binary_search(shown, one.first.first) || !std::ranges::binary_search(shown, one.first.second);
  });
  auto const near = joined_by(latencies, shown);
  drawing out{.title = "the grid", .width = width};
  auto const places = wheel(near.order.size(), out.height);
  std::vector<std::size_t> place(clusters.size());
  for (std::size_t k = 0; k < near.order.size(); ++k) place[near.order[k]] = k;
  std::string labels;
  std::vector<spot> labelled_at;
  for (auto const& [pair, latency] : latencies) {
    auto const from = places[place[pair.first]], to = places[place[pair.second]];
    bool const both = is_chosen(of, pair.first) && is_chosen(of, pair.second),
               labelled = shown.size() <= most_labelled_clusters || std::ranges::count(near.links, pair) > 0;
    out.shapes +=
        line_shape(from.x, from.y, to.x, to.y, both ? "link chosen" : "link",
                   clusters[pair.first].name + " - " + clusters[pair.second].name + ": " + scaled(latency, "s"));
    if (!labelled) continue;
    auto const at = label_of(from, to, places, labelled_at);
    labelled_at.push_back(at);
    labels += text_shape(at.x, at.y, "middle", scaled(latency, "s"), "label");
  }
  for (auto const c : near.order) out.shapes += box(of, c, first_host[c], places[place[c]]);
  out.shapes += labels;
  if (left_out > 0)
    out.shapes += text_shape(margin, out.height - 4, "start", "and " + counted(left_out, "more cluster"));
  return out;
}

chart sizes_chart(selection_picture const& of) {
  chart out{.title = "time of an iteration on the best set of each size",
            .x = {.label = "clusters"},
            .y = {.label = "an iteration [s]"}};
  chart_line guessed{.name = "of a heuristic", .points = {}, .joined = false},
      chosen{.name = "chosen", .points = {}, .joined = false};
  for (auto const& model : of.models) {
    chart_line line{.name = model.name, .points = {}};
    for (std::size_t k = 0; k < model.best.size(); ++k) {
      auto const& one = model.best[k];
      line.points.emplace_back(static_cast<double>(k + 1), one.seconds);
      if (!one.proven) guessed.points.push_back(line.points.back());
    }
    out.lines.push_back(std::move(line));
    chosen.points.emplace_back(static_cast<double>(of.chosen.size()), model.chosen);
  }
  out.lines.push_back(std::move(guessed));
  out.lines.push_back(std::move(chosen));
  return out;
}

}  // namespace skel::mapping
