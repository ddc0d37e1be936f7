#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <skel/detail/platform/announcement.hpp>

namespace skel::platform {

/// The last word on each subject of all that was announced, in the order of these words. Subjects are: a host joins, a
/// host leaves (unless it joins later), its speed, the latency and the bandwidth of a path. They tell a monitor as much
/// as all announcements.
///
/// Memory: at most three words for each name that hosts have, and most_paths for each figure of paths.
class last_words {
 public:
  /// Of latencies, and of bandwidths, the latest ones are kept: as many as a monitor does.
  static constexpr std::size_t most_paths = 512;

  last_words() = default;
  last_words(last_words&&) = default;
  last_words& operator=(last_words&&) = default;

  /// O(1).
  void add(announcement const& said);
  void add(std::vector<announcement> const& all);

  /// Figures of a path that follow each other are one announcement. O(words log words).
  std::vector<announcement> all() const;
  bool empty() const { return by_subject_.empty(); }
  void clear();

 private:
  enum class what : std::uint8_t { joins, leaves, speed, latency, bandwidth };
  struct word {
    what of;
    announcement said;
    std::uint64_t number = 0;  // the later the more
  };
  using words = std::list<word>;  // in this order
  struct subject {
    what of;
    std::string_view host, to;  // of the word, or of one that is looked for
    friend bool operator==(subject const&, subject const&) = default;
  };
  struct hash {
    std::size_t operator()(subject const& one) const;
  };

  static subject subject_of(word const& one) { return {one.of, one.said.host, one.said.to}; }
  words& with(what of) { return of == what::latency ? latencies_ : of == what::bandwidth ? bandwidths_ : of_hosts_; }
  void put(what of, announcement const& said);
  void remove(words::iterator one);

  words of_hosts_, latencies_, bandwidths_;
  std::unordered_map<subject, words::iterator, hash> by_subject_;
  std::uint64_t words_ = 0;  // so far
};

}  // namespace skel::platform
