#include <optional>

#include <skel/detail/pattern/compose.hpp>

struct from_number {
  std::optional<int> operator()(int) const { return 1; }
};

auto const app = skel::source(from_number{}) | skel::stage([](int x) { return x; });
