#include <skel/detail/plan/tree.hpp>

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

}  // namespace skel::plan
