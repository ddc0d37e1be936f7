#include <optional>

#include <skel/detail/pattern/compose.hpp>

struct copy_twice {
  template <class Emitter>
  void operator()(int x, Emitter& out) const {
    out(x);
    out(x);
  }
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::stage(copy_twice{});
