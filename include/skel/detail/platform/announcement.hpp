#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/platform/snapshot.hpp>

namespace skel::platform {

/// A statement of somebody outside the program, such as a scheduler, about hosts or a path between them.
struct announcement {
  enum class kind : std::uint8_t {
    joins,   ///< the host may be used (again)
    leaves,  ///< the host will go; its work must leave it
    speed,   ///< the host has `factor` times the speed that the platform says
    link,    ///< the path from `host` to `to` has this latency, this bandwidth, or both
  };

  kind says = kind::joins;
  std::string host{};                 ///< or a cluster or site: all its hosts
  std::string to{};                   ///< of a link
  double factor = 1;                  ///< > 0, finite; 1: as the platform says
  std::optional<double> latency{};    ///< [s], >= 0
  std::optional<double> bandwidth{};  ///< [B/s], > 0

  friend bool operator==(announcement const&, announcement const&) = default;
};

/// An announcement as a line of JSON without its end (docs/formats.md, "Announcements"), and back. The parser throws
/// skel::input_error with `source` for another version, a missing or unknown key, a number that is negative or not
/// finite, or a line of more than longest_announcement bytes. It does not look names up.
inline constexpr std::size_t longest_announcement = 4096;
std::string to_json(announcement const& said);
announcement parse_announcement(std::string_view line, std::string const& source);

/// In words: "'lyon-2' has 0.5 times its speed".
std::string in_words(announcement const& said);

/// The hosts of a machine by all their names: the host's own, the description's, the cluster's and the site's.
class host_names {
 public:
  explicit host_names(snapshot const& machine);

  /// Numbers of the hosts, ascending; empty if nothing has this name. O(log hosts).
  std::vector<std::size_t> const& find(std::string_view name) const;

  /// True if a path leads from a host of one name to another host of the other.
  /// O(log hosts + clusters of `to` * log clusters).
  bool has_path(std::string_view from, std::string_view to) const;
  /// Number of clusters with hosts of this name. O(log hosts).
  std::size_t clusters_of(std::string_view name) const;

  /// True if the machine has the announcement's hosts or path. No path leads from a host to itself.
  bool knows(announcement const& said) const;
  /// Throws skel::input_error with `source` unless knows(said). The error suggests the name that was probably meant.
  void expect_known(announcement const& said, std::string const& source) const;

 private:
  struct part {
    std::size_t cluster = 0, first = 0, last = 0;  // hosts of it
  };
  struct named {
    std::vector<std::size_t> hosts;
    std::vector<part> parts;           // ascending
    std::vector<std::size_t> reached;  // clusters, by a link from one of several parts; ascending
  };

  std::map<std::string, named, std::less<>> hosts_;
  std::vector<std::vector<std::size_t>> reached_;  // from each cluster; ascending
};

}  // namespace skel::platform
