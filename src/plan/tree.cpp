#include <skel/detail/plan/tree.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel::plan {

tree::tree(std::vector<std::uint32_t> parent, bool highest_first) : parent_(std::move(parent)) {
  std::size_t const n = parent_.size();
  SKEL_EXPECTS(n > 0);
  parent_[0] = 0;
  first_.assign(n + 1, 0);
  depth_.assign(n, 0);
  subtree_.assign(n, 1);
  for (std::size_t v = 1; v < n; ++v) {
    SKEL_EXPECTS(parent_[v] < v);
    ++first_[parent_[v] + 1];
    depth_[v] = depth_[parent_[v]] + 1;
  }
  for (std::size_t v = 0; v < n; ++v) first_[v + 1] += first_[v];
  children_.resize(n - 1);
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  auto const put = [&](std::size_t v) { children_[next[parent_[v]]++] = static_cast<std::uint32_t>(v); };
  for (std::size_t v = n - 1; v > 0; --v) {
    subtree_[parent_[v]] += subtree_[v];
    if (highest_first) put(v);
  }
  if (!highest_first)
    for (std::size_t v = 1; v < n; ++v) put(v);
}

tree flat_tree(std::size_t vertices) {
  return tree(std::vector<std::uint32_t>(vertices, 0), false);
}

tree chain_tree(std::size_t vertices) {
  std::vector<std::uint32_t> parent(vertices, 0);
  for (std::size_t v = 1; v < vertices; ++v) parent[v] = static_cast<std::uint32_t>(v - 1);
  return tree(std::move(parent), false);
}

tree binary_tree(std::size_t vertices) {
  std::vector<std::uint32_t> parent(vertices, 0);
  for (std::size_t v = 1; v < vertices; ++v) parent[v] = static_cast<std::uint32_t>((v - 1) / 2);
  return tree(std::move(parent), false);
}

tree binomial_tree(std::size_t vertices) {
  return k_nomial_tree(vertices, 2);
}

tree k_nomial_tree(std::size_t vertices, std::size_t radix) {
  SKEL_EXPECTS(radix >= 2);
  std::vector<std::uint32_t> parent(vertices, 0);
  for (std::size_t v = 1; v < vertices; ++v) {
    std::size_t place = 1;  // of the lowest digit of v that is not zero, which its parent has as zero
    while (v / place % radix == 0) place *= radix;
    parent[v] = static_cast<std::uint32_t>(v - v / place % radix * place);
  }
  return tree(std::move(parent), true);
}

namespace {

struct shape_row {
  std::string_view name;
  tree (*make)(std::size_t vertices, std::size_t radix);
};
constexpr shape_row shapes[] = {{"flat", of_any_radix<flat_tree>},
                                {"chain", of_any_radix<chain_tree>},
                                {"binary", of_any_radix<binary_tree>},
                                {"binomial", of_any_radix<binomial_tree>},
                                {"k_nomial", k_nomial_tree}};

}  // namespace

std::string_view name_of(tree_shape shape) {
  return shapes[static_cast<std::size_t>(shape)].name;
}

tree make_tree(tree_shape shape, std::size_t vertices, std::size_t radix) {
  return shapes[static_cast<std::size_t>(shape)].make(vertices, radix);
}

stripe_trees::stripe_trees(grid_tree what) : what_(std::move(what)), members_(what_.clusters) {
  constexpr place nowhere{std::numeric_limits<std::uint32_t>::max(), 0};
  std::size_t const clusters = members_.size();
  SKEL_EXPECTS(clusters > 0 && what_.parent.size() == clusters && what_.inside.size() == clusters);
  SKEL_EXPECTS(what_.order.size() + 1 == clusters && what_.stripes > 0);
  std::size_t ranks = 0;
  for (auto const& some : members_) ranks += some.size();
  SKEL_EXPECTS(what_.root < ranks);
  place_.assign(ranks, nowhere);
  for (std::size_t c = 0; c < clusters; ++c) {
    SKEL_EXPECTS(!members_[c].empty());
    if (auto const at = std::ranges::find(members_[c], what_.root); at != members_[c].end()) {
      root_cluster_ = c;
      std::rotate(members_[c].begin(), at, members_[c].end());
    }
    for (std::size_t i = 0; i < members_[c].size(); ++i) {
      SKEL_EXPECTS(members_[c][i] < ranks && place_[members_[c][i]].cluster == nowhere.cluster);
      place_[members_[c][i]] = {static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(i)};
    }
    trees_.push_back(make_tree(what_.inside[c].shape, members_[c].size(), what_.inside[c].radix));
  }
  if (std::size_t const n = members_[root_cluster_].size(); n > 1)
    without_root_.push_back(make_tree(what_.inside[root_cluster_].shape, n - 1, what_.inside[root_cluster_].radix));
  child_clusters_.resize(clusters);
  turns_.resize(clusters);
  std::vector<bool> served(clusters, false);
  served[root_cluster_] = true;
  for (std::uint32_t c : what_.order) {
    SKEL_EXPECTS(c < clusters && !served[c] && what_.parent[c] < clusters && served[what_.parent[c]]);
    served[c] = true;
    child_clusters_[what_.parent[c]].push_back(c);
  }
  for (std::size_t c = 0; c < clusters; ++c) {
    bool const several = what_.stripes > 1 && members_[c].size() > 1;
    bool const spared = what_.turns == relay_turns::without_root && several && c == root_cluster_;
    std::size_t const first = spared ? 1 : 0, relays = members_[c].size() - first;
    bool const by_stripe = what_.turns == relay_turns::by_stripe;
    turns_[c] = {.first = first,
                 .relays = relays,
                 .period = by_stripe ? what_.stripes : std::min<std::size_t>(what_.stripes, relays)};
  }
}

std::size_t stripe_trees::first_of(std::size_t cluster, std::size_t segment) const {
  auto const& [first, relays, period] = turns_[cluster];
  return first + segment % period % relays;
}

std::size_t stripe_trees::period(std::size_t limit) const {
  std::size_t all = 1;
  for (turns const& one : turns_) {
    all = std::lcm(all, one.period);
    if (all >= limit) return limit;
  }
  return all;
}

std::uint32_t stripe_trees::relay(std::size_t cluster, std::size_t segment) const {
  return members_[cluster][first_of(cluster, segment)];
}

stripe_trees::neighbours stripe_trees::of(std::size_t rank, std::size_t segment) const {
  std::size_t const c = place_[rank].cluster, index = place_[rank].index;
  auto const& members = members_[c];
  std::size_t const n = members.size(), first = first_of(c, segment);
  bool const home = c == root_cluster_;
  neighbours result;
  if (home && index == 0 && first != 0) {  // the root gives everything to its cluster's relay
    result.children.push_back({members[first], 0});
    return result;
  }
  // Positions in the tree inside: the relay is 0, the others follow in the order of the members.
  bool const aside = home && first != 0;  // the root has no place in the tree
  std::size_t const start = aside ? first - 1 : first, size = aside ? n - 1 : n, from = aside ? 1 : 0;
  tree const& shape = aside ? without_root_.front() : trees_[c];
  std::size_t const position = (index - from + size - start) % size;
  auto const at = [&](std::size_t where) { return neighbour{members[from + (start + where) % size], 0}; };
  if (position > 0) {
    result.has_parent = true;
    result.parent = at(shape.parent(position));
  } else {
    result.has_parent = rank != what_.root;
    if (aside)
      result.parent = {what_.root, 0};
    else if (!home)
      result.parent = {relay(what_.parent[c], segment), static_cast<std::uint32_t>(c + 1)};
    for (std::uint32_t child : child_clusters_[c]) result.children.push_back({relay(child, segment), child + 1});
  }
  for (std::size_t i = 0; i < shape.degree(position); ++i) result.children.push_back(at(shape.child(position, i)));
  return result;
}

}  // namespace skel::plan
