#include <skel/detail/cost/reduction/mechanisms.hpp>

#include <algorithm>

#include "busiest_part.hpp"

namespace skel::cost {

namespace {

constexpr std::array<std::string_view, mechanisms> names{
    "beginning",
    "phase",
    "iteration",
    "other work",
    "update",
    "updated word",
    "line from second level",
    "line from last level",
    "line from memory",
    "streamed from second level",
    "streamed from last level",
    "streamed from memory",
    "merged element",
    "merged word",
    "merged from second level",
    "merged from last level",
    "merged from memory",
    "merged run",
    "private update",
    "checked owner",
    "crossing iteration",
    "atomic word",
    "block lookup",
    "stored word",
    "gathered element",
    "inspection",
    "prepared part",
    "marked subscript",
    "bitmap word",
    "linked run",
    "listed iteration",
    "private subscript",
    "private element",
    "owned subscript",
    "crossing subscript",
    "copied iteration",
    "block",
    "sorted subscript",
    "counted line",
    "counted element",
    "opened block",
    "fresh page",
    "fresh huge page",
    "fresh line",
};

}  // namespace

std::string_view name_of(mechanism one) {
  return names[static_cast<std::size_t>(one)];
}

std::optional<mechanism> find_mechanism(std::string_view name) {
  auto const found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<mechanism>(found - names.begin());
}

mechanism_amounts amounts_of_run(plan::reduction_algorithm algorithm, reduction_problem const& problem,
                                 cache_sizes const& caches) {
  mechanism_amounts amounts{};
  busiest_part(problem, caches).tell_run(algorithm, [&](mechanism one, double amount) {
    amounts[static_cast<std::size_t>(one)] += amount;
  });
  return amounts;
}

mechanism_amounts amounts_of_setup(plan::reduction_algorithm algorithm, reduction_problem const& problem) {
  mechanism_amounts amounts{};
  busiest_part(problem, {}).tell_setup(algorithm, [&](mechanism one, double amount) {
    amounts[static_cast<std::size_t>(one)] += amount;
  });
  return amounts;
}

}  // namespace skel::cost
