#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/mapping/partition_methods.hpp>
#include <skel/detail/plan/partition.hpp>

namespace skel::mapping::partitioning {

/// Result of a method, with its faults.
struct attempt {
  std::vector<std::uint32_t> parts;  ///< empty if they are broken
  std::string broken, unbalanced;    ///< why_broken(), or the method's error; why_unbalanced()
};
attempt try_method(partition_method const& method, partition_problem const& of, double tolerance);

/// All cells in part 0, without any method.
plan::partition one_part(partition_problem const& of);

/// "metis: part 3 of 8 is empty; scotch: ..."
void append(std::string& all, std::string const& method, std::string const& why);

}  // namespace skel::mapping::partitioning
