#include <memory>

#include <skel/detail/pattern/compose.hpp>

struct owner {
  std::unique_ptr<int> state;
  int operator()(int x) const { return x; }
};

auto const part = skel::farm("own", skel::pipeline([](int x) { return x; }, owner{}));
