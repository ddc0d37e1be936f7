#include <skel/detail/platform/last_words.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace skel::platform {

std::size_t last_words::hash::operator()(subject const& one) const {
  std::hash<std::string_view> const of_text;
  constexpr std::size_t odd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio, so that equal texts do not cancel out
  return ((of_text(one.host) * odd) ^ of_text(one.to)) * odd + static_cast<std::size_t>(one.of);
}

void last_words::add(announcement const& said) {
  switch (said.says) {
    case announcement::kind::joins: {
      if (auto const found = by_subject_.find({what::leaves, said.host, {}}); found != by_subject_.end())
        remove(found->second);
      return put(what::joins, said);
    }
    case announcement::kind::leaves:
      return put(what::leaves, said);  // that it joined before took back its speed
    case announcement::kind::speed:
      return put(what::speed, said);
    case announcement::kind::link:
      if (said.latency) put(what::latency, said);
      if (said.bandwidth) put(what::bandwidth, said);
  }
}

void last_words::add(std::vector<announcement> const& all) {
  for (auto const& one : all) add(one);
}

void last_words::put(what of, announcement const& said) {
  auto& kept = with(of);
  bool const is_path = said.says == announcement::kind::link;
  auto const found = by_subject_.find({of, said.host, is_path ? said.to : std::string_view()});
  if (found != by_subject_.end()) {
    kept.splice(kept.end(), kept, found->second);
  } else {
    if (is_path && kept.size() == most_paths) remove(kept.begin());
    kept.push_back({of, {.says = said.says, .host = said.host, .to = is_path ? said.to : ""}});
    by_subject_.emplace(subject_of(kept.back()), std::prev(kept.end()));
  }
  word& last = kept.back();
  last.number = ++words_;
  last.said.factor = said.factor;
  if (of == what::latency) last.said.latency = said.latency;
  if (of == what::bandwidth) last.said.bandwidth = said.bandwidth;
}

void last_words::remove(words::iterator one) {
  by_subject_.erase(subject_of(*one));
  with(one->of).erase(one);
}

void last_words::clear() {
  by_subject_.clear();
  for (auto* kept : {&of_hosts_, &latencies_, &bandwidths_}) kept->clear();
}

std::vector<announcement> last_words::all() const {
  std::vector<word const*> in_order;
  for (auto const* kept : {&of_hosts_, &latencies_, &bandwidths_})
    for (word const& one : *kept) in_order.push_back(&one);
  std::ranges::sort(in_order, {}, &word::number);
  std::vector<announcement> result;
  for (word const* one : in_order) {
    auto const& said = one->said;
    bool const goes_on = said.says == announcement::kind::link && !result.empty() &&
                         result.back().says == announcement::kind::link && result.back().host == said.host &&
                         result.back().to == said.to;
    if (!goes_on) result.push_back(said);
    if (said.latency) result.back().latency = said.latency;
    if (said.bandwidth) result.back().bandwidth = said.bandwidth;
  }
  return result;
}

}  // namespace skel::platform
