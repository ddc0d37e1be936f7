#include <skel/detail/pattern/compose.hpp>

struct count_up {
  int operator()() const { return 1; }
};

auto const app = skel::source(count_up{}) | [](int x) { return x; };
