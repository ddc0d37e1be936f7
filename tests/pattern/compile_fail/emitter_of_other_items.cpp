#include <optional>
#include <string>

#include <skel/detail/pattern/compose.hpp>

struct split_words {
  void operator()(std::string const&, skel::emitter<std::string>&) const {}
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::stage(split_words{});
