
#include <skel/detail/pattern/runtime_pipeline.hpp>

void build(skel::runtime_pipeline<int>& steps) {
  steps.stage(
      "add", [](int x) { return x + 1; }, skel::width(4));
}
