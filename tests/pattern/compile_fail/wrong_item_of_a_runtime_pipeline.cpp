#include <optional>
#include <string>

#include <skel/detail/pattern/runtime_pipeline.hpp>

auto chain() {
  skel::runtime_pipeline<int> steps;
  return skel::source([] { return std::optional<std::string>("x"); }) | steps | skel::sink([](int) {});
}
