#include "machine_news.hpp"

#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/archive.hpp>

#include "live_machine.hpp"

namespace skel {

bool machine_news::listen(runtime::communicator const& ranks, std::filesystem::path const& path,
                          platform::snapshot const& machine) {
  std::string refused;
  if (ranks.rank() == 0 && !path.empty() && !from_) try {
      from_.emplace(path, machine);
    } catch (error const& e) {
      refused = e.what();
    }
  auto const told = runtime::from_bytes<std::pair<bool, std::string>>(
      ranks.broadcast(runtime::to_bytes(std::pair(from_.has_value(), refused))));
  if (!told.second.empty()) throw error(told.second);
  return told.first;
}

std::vector<platform::announcement> machine_news::hear() {
  if (!from_) return {};
  auto said = from_->poll();
  keep_last_words(last_words_, said);
  keep_last_words(unsent_, said);
  return said;
}

std::vector<std::string> machine_news::refusals() const {
  return from_ ? from_->refusals() : std::vector<std::string>();
}

std::string machine_news::take_unsent() {
  hear();
  return to_news(std::exchange(unsent_, {}));
}

std::string machine_news::tell_all(runtime::communicator const& ranks, platform::monitor const* monitor) {
  std::string mine;
  if (monitor != nullptr) {
    keep_last_words(unsent_, known_paths(*monitor));
    mine = to_news(std::exchange(unsent_, {}));
  }
  std::string text = ranks.broadcast(mine);
  keep_last_words(told_, read_news(text));
  return text;
}

}  // namespace skel
