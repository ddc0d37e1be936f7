#include <functional>

#include <skel/detail/pattern/collective_stages.hpp>

auto const part = skel::farm(skel::pipeline([](int x) { return x; }, skel::reduce(std::plus<>{})));
