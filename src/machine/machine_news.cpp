#include <skel/detail/machine/machine_news.hpp>

#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/machine/live_machine.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>

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
  auto said = from_->poll(record::now());
  keep(said);
  return said;
}

void machine_news::hear_all() {
  if (from_) keep(from_->poll_all());
}

void machine_news::keep(std::vector<platform::announcement> const& said) {
  last_words_.add(said);
  unsent_.add(said);
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
  std::string text = to_news(unsent_.all());
  unsent_.clear();
  return text;
}

std::string machine_news::tell_all(runtime::communicator const& ranks, platform::monitor const* monitor) {
  std::string mine;
  if (monitor != nullptr) {
    unsent_.add(known_paths(*monitor));
    mine = to_news(unsent_.all());
    unsent_.clear();
  }
  std::string text = ranks.broadcast(mine);
  told_.add(read_news(text));
  return text;
}

}  // namespace skel
