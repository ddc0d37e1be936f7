#include <functional>
#include <optional>

#include <skel/detail/pattern/collective_stages.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::broadcast([](int const& x) { return x; }) |
                 skel::reduce(std::plus<>{}, skel::every(3));
