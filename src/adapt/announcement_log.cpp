#include <skel/detail/adapt/announcement_log.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <skel/detail/base/number.hpp>

namespace skel {

announcement_log::announcement_log(platform::snapshot const& machine, std::vector<std::size_t> host_of_rank)
    : names_(machine), host_of_rank_(std::move(host_of_rank)) {}

void announcement_log::add(platform::announcement const& said, double seconds) {
  using kind = platform::announcement::kind;
  ++all_;
  entry one{{.seconds = seconds, .text = platform::in_words(said), .leaves = said.says == kind::leaves}};
  if (said.says == kind::leaves || said.says == kind::joins) {
    auto const& hosts = names_.find(said.host);
    for (std::size_t r = 0; r < host_of_rank_.size(); ++r)
      if (std::ranges::binary_search(hosts, host_of_rank_[r])) one.ranks.push_back(static_cast<int>(r));
  }
  if (said.says == kind::joins)
    for (auto& before : entries_)
      if (std::ranges::find_first_of(before.ranks, one.ranks) != before.ranks.end()) before.what.leaves = false;
  entries_.push_back(std::move(one));
  auto const alike = [leaves = entries_.back().what.leaves](entry const& other) { return other.what.leaves == leaves; };
  if (std::ranges::count_if(entries_, alike) > static_cast<std::ptrdiff_t>(most_kept))
    entries_.erase(std::ranges::find_if(entries_, alike));
}

void announcement_log::placed(std::vector<std::vector<int>> const& ranks, double seconds) {
  std::set<int> used;
  for (auto const& station : ranks) used.insert(station.begin(), station.end());
  for (auto& [what, on] : entries_) {
    if (!what.leaves) continue;
    if (std::ranges::any_of(on, [&](int rank) { return used.contains(rank); }))
      what.left = record::heard_announcement{}.left;
    else if (what.left < 0)
      what.left = seconds;
  }
}

bool announcement_log::hosts_leave() const {
  return std::ranges::any_of(entries_, [](entry const& one) { return one.what.leaves; });
}

std::vector<record::heard_announcement> announcement_log::kept() const {
  std::vector<record::heard_announcement> out;
  std::ranges::transform(entries_, std::back_inserter(out), &entry::what);
  return out;
}

std::string announcement_text(record::heard_announcement const& one, bool ended) {
  std::string const text = (one.seconds > 0 ? print("after %.2f s: ", one.seconds) : "before the run: ") + one.text;
  if (!one.leaves) return text;
  if (one.left < 0)
    return text + (ended ? "; something was there to the end that cannot go elsewhere" : "; stages are there");
  return text + (one.left > one.seconds ? print("; no stage was there after %.2f s", one.left)
                                        : std::string("; no stage was there"));
}

}  // namespace skel
