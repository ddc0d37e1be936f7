#include <skel/detail/cost/reduction/boosted_trees.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel::cost {

namespace {

using platform::regression_tree;

/// Rows with each number replaced by the number of its bin: thresholds are looked for between bins.
class binned_rows {
 public:
  static constexpr std::size_t most_bins = 256;

  explicit binned_rows(std::vector<std::vector<double>> const& rows)
      : columns_(rows.front().size()), bins_(rows.size() * columns_), thresholds_(columns_) {
    std::vector<double> sorted(rows.size());
    for (std::size_t f = 0; f < columns_; ++f) {
      for (std::size_t r = 0; r < rows.size(); ++r) sorted[r] = rows[r][f];
      std::sort(sorted.begin(), sorted.end());
      auto& thresholds = thresholds_[f];
      for (std::size_t bin = 1; bin < most_bins; ++bin) {
        // Half-way between neighbours: rows that were not seen fall to the nearer side. Where many are equal, behind
        // them.
        std::size_t at = std::max<std::size_t>(1, bin * sorted.size() / most_bins);
        while (at < sorted.size() && sorted[at] == sorted[at - 1]) ++at;
        if (at == sorted.size()) break;
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

struct leaf_split {
  double gain = 0;
  std::size_t column = 0, bin = 0;  // rows of bins up to it go left
};

/// What is left to explain: a row of outputs for each row.
struct rest_of_targets {
  std::size_t outputs;
  std::vector<double> values;

  std::span<double> row(std::size_t r) { return {values.data() + r * outputs, outputs}; }
  std::span<double const> row(std::size_t r) const { return {values.data() + r * outputs, outputs}; }

  std::vector<double> sum(std::span<std::size_t const> members) const {
    std::vector<double> sums(outputs, 0);
    for (std::size_t const r : members)
      for (std::size_t k = 0; k < outputs; ++k) sums[k] += row(r)[k];
    return sums;
  }
};

double square(std::span<double const> x) {
  double sum = 0;
  for (double const one : x) sum += one * one;
  return sum;
}

leaf_split best_split(binned_rows const& rows, std::span<std::size_t const> members, rest_of_targets const& rest,
                      std::size_t smallest_leaf) {
  if (members.size() < 2 * smallest_leaf) return {};
  std::size_t const outputs = rest.outputs;
  auto const total = rest.sum(members);
  double const all = static_cast<double>(members.size()), before = square(total) / all;
  std::vector<double> sums(binned_rows::most_bins * outputs), left(outputs), right(outputs);
  leaf_split best;
  for (std::size_t f = 0; f < rows.columns(); ++f) {
    std::size_t counts[binned_rows::most_bins]{};
    std::size_t const bins = rows.thresholds(f).size() + 1;
    std::fill_n(sums.begin(), bins * outputs, 0.0);
    for (std::size_t const r : members) {
      std::size_t const bin = rows.bin(r, f);
      ++counts[bin];
      for (std::size_t k = 0; k < outputs; ++k) sums[bin * outputs + k] += rest.row(r)[k];
    }
    std::size_t in_left = 0;
    std::fill(left.begin(), left.end(), 0.0);
    for (std::size_t b = 0; b < rows.thresholds(f).size(); ++b) {
      if (counts[b] == 0) continue;
      in_left += counts[b];
      for (std::size_t k = 0; k < outputs; ++k) left[k] += sums[b * outputs + k], right[k] = total[k] - left[k];
      std::size_t const in_right = members.size() - in_left;
      if (in_left < smallest_leaf || in_right < smallest_leaf) continue;
      double const gain =
          square(left) / static_cast<double>(in_left) + square(right) / static_cast<double>(in_right) - before;
      if (gain > best.gain * (1 + 1e-12) + 1e-300) best = {gain, f, b};
    }
  }
  return best;
}

/// What one tree is grown from.
struct growth {
  binned_rows const& rows;
  rest_of_targets const& rest;
  boosting_options const& options;
  regression_tree& tree;

  /// Adds the node of some rows and all below it; returns its number.
  int grow(std::span<std::size_t> members, std::size_t depth) {
    int const number = static_cast<int>(tree.nodes.size());
    tree.nodes.emplace_back();
    leaf_split const best = depth == 0 ? leaf_split{} : best_split(rows, members, rest, options.smallest_leaf);
    auto& mine = tree.nodes.back();
    if (best.gain <= 0) {
      mine.next = static_cast<int>(tree.leaves.size());
      for (double const sum : rest.sum(members))
        tree.leaves.push_back(options.rate * sum / static_cast<double>(members.size()));
      return number;
    }
    mine.feature = static_cast<int>(best.column);
    mine.threshold = rows.thresholds(best.column)[best.bin];
    auto const middle = std::stable_partition(members.begin(), members.end(),
                                              [&](std::size_t r) { return rows.bin(r, best.column) <= best.bin; });
    auto const left = static_cast<std::size_t>(middle - members.begin());
    grow(members.first(left), depth - 1);
    int const next = grow(members.subspan(left), depth - 1);
    tree.nodes[static_cast<std::size_t>(number)].next = next;
    return number;
  }
};

}  // namespace

std::vector<regression_tree> fit_trees(std::vector<std::vector<double>> const& rows,
                                       std::vector<std::vector<double>> const& targets,
                                       boosting_options const& options) {
  SKEL_EXPECTS(!rows.empty() && rows.size() == targets.size() && !targets.front().empty());
  binned_rows const binned(rows);
  rest_of_targets rest{targets.front().size(), {}};
  for (auto const& one : targets) {
    SKEL_EXPECTS(one.size() == rest.outputs);
    rest.values.insert(rest.values.end(), one.begin(), one.end());
  }
  std::vector<regression_tree> trees;
  std::mt19937 dice(1);
  std::vector<std::size_t> members;
  for (std::size_t t = 0; t < options.trees; ++t) {
    members.resize(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) members[r] = r;
    if (options.share < 1) {
      std::shuffle(members.begin(), members.end(), dice);
      members.resize(std::max<std::size_t>(1, static_cast<std::size_t>(options.share * double(rows.size()))));
    }
    regression_tree tree;
    growth{binned, rest, options, tree}.grow(members, options.depth);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      auto const said = values_of(tree, rows[r], rest.outputs);
      for (std::size_t k = 0; k < rest.outputs; ++k) rest.row(r)[k] -= said[k];
    }
    trees.push_back(std::move(tree));
  }
  return trees;
}

std::span<double const> values_of(regression_tree const& tree, std::span<double const> x, std::size_t outputs) {
  std::size_t at = 0;
  while (tree.nodes[at].feature >= 0) {
    auto const& node = tree.nodes[at];
    at = x[static_cast<std::size_t>(node.feature)] < node.threshold ? at + 1 : static_cast<std::size_t>(node.next);
  }
  return {tree.leaves.data() + tree.nodes[at].next, outputs};
}

}  // namespace skel::cost
