#include <memory>
#include <optional>

#include <skel/pattern/compose.hpp>
#include <skel/runtime/program.hpp>

struct owner {
  std::unique_ptr<int> state;
  int operator()(int x) const { return x; }
};

void lower() {
  auto app = skel::source([] { return std::optional<int>(1); }) | skel::farm("own", owner{}) | skel::sink([](int) {});
  (void)skel::runtime::make_program(app);
}
