#include <skel/detail/cost/reduction/tree_sum.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include <skel/detail/base/contract.hpp>

namespace skel::cost {

namespace {

using platform::regression_tree;

/// Full trees with more levels would mostly be filling.
constexpr unsigned most_levels = 8;

unsigned depth_of(regression_tree const& tree) {
  std::vector<unsigned> levels(tree.nodes.size(), 0);
  for (std::size_t at = 0; at < levels.size(); ++at)  // nodes are followed by later ones only, some by the same
    if (auto const& node = tree.nodes[at]; node.feature >= 0)
      for (std::size_t const next : {at + 1, static_cast<std::size_t>(node.next)})
        levels[next] = std::max(levels[next], levels[at] + 1);
  return *std::max_element(levels.begin(), levels.end());
}

template <class T>
void prefetch(std::vector<T> const& all) {
  for (std::size_t k = 0; k < all.size(); k += 64 / sizeof(T)) __builtin_prefetch(&all[k]);
}

}  // namespace

tree_sum::tree_sum(std::vector<regression_tree> const& trees, std::size_t outputs) : outputs_(outputs) {
  for (auto const& tree : trees) {
    SKEL_EXPECTS(outputs > 0 && tree.nodes.size() < 1U << 16U);
    for (auto const& one : tree.nodes) SKEL_EXPECTS(one.feature < 256);
    unsigned const depth = depth_of(tree);
    if (depth <= most_levels)
      add_flat(tree, depth);
    else
      add_deep(tree);
  }
}

void tree_sum::add_flat(regression_tree const& tree, unsigned depth) {
  std::size_t const inner = (std::size_t{1} << depth) - 1, first_leaf = leaves_.size();
  flat_.push_back({static_cast<std::uint32_t>(thresholds_.size()), static_cast<std::uint32_t>(first_leaf), depth});
  std::size_t const first = thresholds_.size();
  thresholds_.resize(first + inner, std::numeric_limits<float>::infinity());
  features_.resize(first + inner, 0);
  leaves_.resize(first_leaf + (inner + 1) * outputs_);
  // Which of the tree's nodes stands at each place of the full one; below a leaf, that leaf.
  std::vector<std::size_t> standing(2 * inner + 1);
  for (std::size_t place = 0; place < standing.size(); ++place) {
    auto const at = standing[place];
    auto const& one = tree.nodes[at];
    if (place >= inner) {
      SKEL_EXPECTS(one.feature < 0);
      for (std::size_t k = 0; k < outputs_; ++k)
        leaves_[first_leaf + (place - inner) * outputs_ + k] =
            static_cast<float>(tree.leaves[static_cast<std::size_t>(one.next) + k]);
      continue;
    }
    bool const is_leaf = one.feature < 0;
    standing[2 * place + 1] = is_leaf ? at : at + 1;
    standing[2 * place + 2] = is_leaf ? at : static_cast<std::size_t>(one.next);
    if (is_leaf) continue;
    thresholds_[first + place] = static_cast<float>(one.threshold);
    features_[first + place] = static_cast<std::uint8_t>(one.feature);
  }
}

void tree_sum::add_deep(regression_tree const& tree) {
  deep_.push_back({static_cast<std::uint32_t>(nodes_.size()), static_cast<std::uint32_t>(leaves_.size())});
  for (auto const& one : tree.nodes) {
    auto const next = static_cast<std::size_t>(one.next) / (one.feature < 0 ? outputs_ : 1);
    nodes_.push_back(
        {static_cast<float>(one.threshold), static_cast<std::int16_t>(one.feature), static_cast<std::uint16_t>(next)});
  }
  for (double const value : tree.leaves) leaves_.push_back(static_cast<float>(value));
}

float const* tree_sum::leaf_of_flat(std::size_t tree, std::span<double const> x) const {
  auto const& one = flat_[tree];
  float const* const thresholds = thresholds_.data() + one.node;
  std::uint8_t const* const features = features_.data() + one.node;
  std::size_t at = 0;
  for (unsigned level = 0; level < one.depth; ++level)
    at = 2 * at + (x[features[at]] < static_cast<double>(thresholds[at]) ? 1 : 2);
  return leaves_.data() + one.leaf + (at + 1 - (std::size_t{1} << one.depth)) * outputs_;
}

float const* tree_sum::leaf_of_deep(std::size_t tree, std::span<double const> x) const {
  node const* const first = &nodes_[deep_[tree].node];
  node const* at = first;
  while (at->feature >= 0)
    at = x[static_cast<std::size_t>(at->feature)] < static_cast<double>(at->threshold) ? at + 1 : first + at->next;
  return leaves_.data() + deep_[tree].leaf + at->next * outputs_;
}

void tree_sum::add(std::span<double const> x, std::span<double> sums) const {
  SKEL_EXPECTS(sums.size() == outputs_ || empty());
  auto const add_leaf = [&](float const* leaf) {
    for (std::size_t k = 0; k < outputs_; ++k) sums[k] += static_cast<double>(leaf[k]);
  };
  for (std::size_t t = 0; t < deep_.size(); ++t) add_leaf(leaf_of_deep(t, x));
  prefetch(thresholds_);
  prefetch(features_);
  // Leaves of some trees are on their way while the next ones are walked.
  constexpr std::size_t ahead = 64;
  std::array<float const*, ahead> said;
  for (std::size_t begin = 0; begin < flat_.size(); begin += ahead) {
    std::size_t const end = std::min(flat_.size(), begin + ahead);
    for (std::size_t t = begin; t < end; ++t) {
      float const* const leaf = leaf_of_flat(t, x);
      __builtin_prefetch(leaf);
      __builtin_prefetch(leaf + outputs_ - 1);
      said[t - begin] = leaf;
    }
    for (std::size_t t = begin; t < end; ++t) add_leaf(said[t - begin]);
  }
}

}  // namespace skel::cost
