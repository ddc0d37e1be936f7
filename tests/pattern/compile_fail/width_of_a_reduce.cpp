#include <functional>
#include <optional>

#include <skel/detail/pattern/collective_stages.hpp>

auto const app =
    skel::source([] { return std::optional<int>(1); }) | skel::reduce("sum", std::plus<>{}, skel::width(4));
