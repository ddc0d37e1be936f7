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
  keep(said);
  return said;
}

void machine_news::hear_all() {
  if (from_) keep(from_->poll_all());
}

void machine_news::keep(std::vector<platform::announcement> const& said) {
  keep_last_words(last_words_, said);
  keep_last_words(unsent_, said);
}

std::vector<std::string> machine_news::refusals() const {
  if (!from_) return {};
  auto out = from_->refusals();
  if (auto const more = from_->seen().refused - out.size(); more > 0)
    out.push_back("and so were " + std::to_string(more) + " more");
  return out;
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
