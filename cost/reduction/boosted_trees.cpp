#include <skel/cost/reduction/boosted_trees.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include <skel/base/contract.hpp>

namespace skel::cost {

namespace {

using platform::regression_tree;

/// Rows with each number replaced by the number of its bin: thresholds are looked for between bins.
class binned_rows {
 public:
  static constexpr std::size_t most_bins = 64;

  explicit binned_rows(std::vector<std::vector<double>> const& rows)
      : columns_(rows.front().size()), bins_(rows.size() * columns_), thresholds_(columns_) {
    std::vector<double> sorted(rows.size());
    for (std::size_t f = 0; f < columns_; ++f) {
      for (std::size_t r = 0; r < rows.size(); ++r) sorted[r] = rows[r][f];
      std::sort(sorted.begin(), sorted.end());
      auto& thresholds = thresholds_[f];
      for (std::size_t bin = 1; bin < most_bins; ++bin) {
        // Half-way between neighbours: rows that were not seen fall to the nearer side.
        std::size_t const at = bin * sorted.size() / most_bins;
        if (at == 0 || sorted[at] == sorted[at - 1]) continue;
        double const between = sorted[at - 1] + (sorted[at] - sorted[at - 1]) / 2;
        if (thresholds.empty() || between > thresholds.back()) thresholds.push_back(between);
      }
      for (std::size_t r = 0; r < rows.size(); ++r)
        bins_[r * columns_ + f] = static_cast<std::uint8_t>(
            std::upper_bound(thresholds.begin(), thresholds.end(), rows[r][f]) - thresholds.begin());
    }
  }

  std::size_t columns() const { return columns_; }
  std::uint8_t bin(std::size_t row, std::size_t column) const { return bins_[row * columns_ + column]; }
  std::vector<double> const& thresholds(std::size_t column) const { return thresholds_[column]; }

 private:
  std::size_t columns_;
  std::vector<std::uint8_t> bins_;
  std::vector<std::vector<double>> thresholds_;
};

struct split {
  double gain = 0;
  std::size_t column = 0, bin = 0;  // rows of bins up to it go left
};

split best_split(binned_rows const& rows, std::span<std::size_t const> members, std::vector<double> const& rest,
                 std::size_t smallest_leaf) {
  struct bin_sum {
    double sum = 0;
    std::size_t count = 0;
  };
  double total = 0;
  for (std::size_t const r : members) total += rest[r];
  double const all = static_cast<double>(members.size());
  split best;
  for (std::size_t f = 0; f < rows.columns(); ++f) {
    bin_sum bins[binned_rows::most_bins]{};
    for (std::size_t const r : members) {
      auto& one = bins[rows.bin(r, f)];
      one.sum += rest[r];
      ++one.count;
    }
    bin_sum left;
    for (std::size_t b = 0; b < rows.thresholds(f).size(); ++b) {
      left.sum += bins[b].sum;
      left.count += bins[b].count;
      if (left.count < smallest_leaf || members.size() - left.count < smallest_leaf) continue;
      double const in_left = static_cast<double>(left.count), in_right = all - in_left, right = total - left.sum;
      double const gain = left.sum * left.sum / in_left + right * right / in_right - total * total / all;
      if (gain > best.gain * (1 + 1e-12) + 1e-300) best = {gain, f, b};
    }
  }
  return best;
}

/// Adds the node of some rows and all below it; returns its number.
int grow(regression_tree& tree, binned_rows const& rows, std::span<std::size_t> members,
         std::vector<double> const& rest, boosting_options const& options, std::size_t depth) {
  int const number = static_cast<int>(tree.nodes.size());
  double sum = 0;
  for (std::size_t const r : members) sum += rest[r];
  tree.nodes.push_back({-1, options.rate * sum / static_cast<double>(members.size()), 0, 0});
  if (depth == 0) return number;
  split const best = best_split(rows, members, rest, options.smallest_leaf);
  if (best.gain <= 0) return number;
  auto const middle = std::stable_partition(members.begin(), members.end(),
                                            [&](std::size_t r) { return rows.bin(r, best.column) <= best.bin; });
  auto const left = static_cast<std::size_t>(middle - members.begin());
  int const low = grow(tree, rows, members.first(left), rest, options, depth - 1);
  int const high = grow(tree, rows, members.subspan(left), rest, options, depth - 1);
  tree.nodes[static_cast<std::size_t>(number)] = {static_cast<int>(best.column), rows.thresholds(best.column)[best.bin],
                                                  low, high};
  return number;
}

}  // namespace

std::vector<regression_tree> fit_trees(std::vector<std::vector<double>> const& rows, std::vector<double> const& targets,
                                       boosting_options const& options) {
  SKEL_EXPECTS(!rows.empty() && rows.size() == targets.size());
  binned_rows const binned(rows);
  std::vector<double> rest = targets;
  std::vector<regression_tree> trees;
  std::mt19937 dice(1);
  std::vector<std::size_t> members(rows.size());
  for (std::size_t t = 0; t < options.trees; ++t) {
    members.resize(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) members[r] = r;
    if (options.share < 1) {
      std::shuffle(members.begin(), members.end(), dice);
      members.resize(std::max<std::size_t>(1, static_cast<std::size_t>(options.share * double(rows.size()))));
    }
    regression_tree tree;
    grow(tree, binned, members, rest, options, options.depth);
    for (std::size_t r = 0; r < rows.size(); ++r) rest[r] -= value_of(tree, rows[r]);
    trees.push_back(std::move(tree));
  }
  return trees;
}

double value_of(regression_tree const& tree, std::span<double const> x) {
  std::size_t at = 0;
  while (tree.nodes[at].feature >= 0) {
    auto const& node = tree.nodes[at];
    at = static_cast<std::size_t>(x[static_cast<std::size_t>(node.feature)] < node.value ? node.left : node.right);
  }
  return tree.nodes[at].value;
}

double value_of(std::span<regression_tree const> trees, std::span<double const> x) {
  double sum = 0;
  for (auto const& tree : trees) sum += value_of(tree, x);
  return sum;
}

}  // namespace skel::cost
