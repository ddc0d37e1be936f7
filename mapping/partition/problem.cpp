#include <algorithm>
#include <cmath>
#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/partition_methods.hpp>

namespace skel::mapping {
namespace {

/// Shares are made by divisions and sums of a rounding each.
constexpr double rounding_of_shares = 1e-6;

void expect_targets(partition_problem const& of) {
  for (std::size_t j = 0; j < of.constraints; ++j) {
    double sum = 0;
    for (std::size_t p = 0; p < of.parts(); ++p) {
      double const target = of.target(p, j);
      if (!(target > 0) || !std::isfinite(target))
        throw error("partition: the share of part " + std::to_string(p) + " under constraint " + std::to_string(j) +
                    " is " + shown(target) + "; it must be more than 0, or leave the part out");
      sum += target;
    }
    if (std::abs(sum - 1) > rounding_of_shares)
      throw error("partition: shares under constraint " + std::to_string(j) + " sum up to " + shown(sum) +
                  "; they must sum up to 1");
  }
}

void expect_clusters(partition_problem const& of) {
  if (of.cluster_of.empty()) return;
  bool right = of.cluster_of.size() == of.parts() && of.cluster_of.front() == 0;
  for (std::size_t p = 1; right && p < of.parts(); ++p)
    right = of.cluster_of[p] == of.cluster_of[p - 1] || of.cluster_of[p] == of.cluster_of[p - 1] + 1;
  if (!right)
    throw error(
        "partition: clusters of parts must count from 0, those of a cluster beside each other, one for each of " +
        counted(of.parts(), "part"));
}

}  // namespace

std::vector<double> partition_problem::sums() const {
  std::vector<double> all(constraints, 0);
  for (std::size_t c = 0; c < cells(); ++c)
    for (std::size_t j = 0; j < constraints; ++j) all[j] += weight(c, j);
  return all;
}

std::vector<double> partition_problem::heaviest() const {
  std::vector<double> most(constraints, 0);
  for (std::size_t c = 0; c < cells(); ++c)
    for (std::size_t j = 0; j < constraints; ++j) most[j] = std::max(most[j], weight(c, j));
  return most;
}

void expect_problem(partition_problem const& of) {
  SKEL_EXPECTS(of.graph != nullptr && of.constraints > 0);
  if (auto const fault = fault_of(*of.graph); !fault.empty()) throw error("partition: " + fault);
  if (of.targets.empty() || of.targets.size() % of.constraints != 0)
    throw error("partition: " + counted(of.targets.size(), "share") + " for " + counted(of.constraints, "constraint") +
                "; each part needs one for each constraint");
  if (of.parts() > of.cells())
    throw error("partition: " + counted(of.parts(), "part") + " cannot have a cell each of " +
                counted(of.cells(), "cell") + "; take no more parts than cells, or a finer mesh");
  expect_targets(of);
  expect_clusters(of);
  if (!of.weights.empty() && of.weights.size() != of.cells() * of.constraints)
    throw error("partition: " + counted(of.weights.size(), "weight") + " for " + counted(of.cells(), "cell") + " and " +
                counted(of.constraints, "constraint"));
  for (std::size_t k = 0; k < of.weights.size(); ++k)
    if (!(of.weights[k] >= 0) || !std::isfinite(of.weights[k]))
      throw error("partition: cell " + std::to_string(k / of.constraints) + " weighs " + shown(of.weights[k]) +
                  "; a weight is 0 or more");
  if (!of.centres.empty() && of.centres.size() != 3 * of.cells())
    throw error("partition: " + counted(of.centres.size(), "coordinate") + " for " + counted(of.cells(), "cell") +
                "; three each, or none");
}

}  // namespace skel::mapping
