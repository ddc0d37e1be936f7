#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/mapping/partition_methods.hpp>

#include "laws.hpp"

namespace skel::test {

using mapping::partition_method;
using mapping::partition_problem;

inline partition_method lying(std::string name,
                              std::function<std::vector<std::uint32_t>(partition_problem const&)> lie) {
  partition_method made;
  made.name = std::move(name);
  made.parts_of = [lie = std::move(lie)](partition_problem const& of, double) { return lie(of); };
  return made;
}
/// A cell short, a part that does not exist, all in one part (METIS's issue 29), no part at all, no memory.
inline std::vector<partition_method> liars() {
  using parts = std::vector<std::uint32_t>;
  return {lying("short", [](auto const& of) { return parts(of.cells() - 1, 0); }),
          lying("beyond", [](auto const& of) { return parts(of.cells(), static_cast<std::uint32_t>(of.parts())); }),
          lying("one", [](auto const& of) { return parts(of.cells(), 0); }),
          lying("nothing", [](auto const&) { return parts(); }),
          lying("memory", [](auto const&) -> parts { throw std::bad_alloc(); })};
}
inline partition_method lopsided() {
  return lying("lopsided", [](auto const& of) {
    std::vector<std::uint32_t> made(of.cells(), 0);
    for (std::uint32_t p = 0; p < of.parts(); ++p) made[p] = p;
    return made;
  });
}

}  // namespace skel::test
