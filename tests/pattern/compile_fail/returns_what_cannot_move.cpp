#include <optional>

#include <skel/detail/pattern/compose.hpp>

struct pinned {
  explicit pinned(int) {}
  pinned(pinned&&) = delete;
};
struct pin {
  pinned operator()(int x) const { return pinned(x); }
};

auto const app = skel::source([] { return std::optional<int>(1); }) | pin{} | skel::sink([](pinned const&) {});
