#include <mutex>
#include <optional>

#include <skel/detail/pattern/compose.hpp>

struct make_locks {
  std::optional<std::mutex> operator()() const { return std::optional<std::mutex>(std::in_place); }
};

auto const app = skel::source(make_locks{}) | skel::sink([](std::mutex const&) {});
