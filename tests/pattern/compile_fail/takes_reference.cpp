#include <optional>

#include <skel/detail/pattern/compose.hpp>

struct in_place {
  int operator()(int& x) const { return ++x; }
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::farm("work", in_place{});
