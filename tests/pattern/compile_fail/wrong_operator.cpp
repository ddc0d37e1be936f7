#include <optional>
#include <string>

#include <skel/detail/pattern/collective_stages.hpp>

struct add_lengths {
  int operator()(std::string const& a, std::string const& b) const { return static_cast<int>(a.size() + b.size()); }
};

auto const app = skel::source([] { return std::optional<std::string>("x"); }) | skel::reduce("lengths", add_lengths{});
