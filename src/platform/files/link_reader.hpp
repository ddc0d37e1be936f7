#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/json_reader.hpp>

#include "quick_scanner.hpp"

namespace skel::platform::detail {

/// The place behind the bracket that opens the array "links" of a description; npos if there is none. O(bytes).
std::size_t find_links(std::string_view text);

parameter_blocks read_parameters(reader const& object);
link read_link(reader const& object, bool latency_needed);

/// Reads the links of a description one by one: a document of all of them would take ten times as much memory.
class link_reader {
 public:
  /// `source` must live as long as this.
  explicit link_reader(std::string const& source) : from{.source = source, .links = {}} {}

  /// Throws skel::input_error.
  void read_all(reader const& array, std::vector<cluster> const& clusters);
  /// From the text behind the bracket that opens the array, before it knows clusters. Gives the text behind that which
  /// closes it. Throws skel::input_error whose place is wrong; `from` has no paths. O(bytes).
  std::string_view read_all(std::string_view array);

  /// Makes numbers of clusters of their names, and adds the reverse of each link of an entry for both directions. Links
  /// whose entries were sorted by their ends are sorted then too. Throws as that does. O(clusters + links).
  void finish(std::vector<cluster> const& clusters);

  std::vector<cluster_link> read_so_far{};
  origin from;

 private:
  struct text_hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  /// One entry of "links", which has a reverse if it is "between" two.
  void read(reader const& object);
  /// {"between": ["a", "b"], "latency": 1, "bandwidth": 2} or so: an entry without blocks of parameters, as most are.
  bool read_quickly(quick_scanner& text);
  void add(cluster_link forward, bool symmetric);
  /// The number of the cluster, which it has by its first link if clusters are not known.
  std::size_t number_of(std::string_view name);
  std::size_t find(reader const& value);

  std::vector<cluster> const* clusters_ = nullptr;  // while a document is read
  std::vector<bool> symmetric_;  // of each entry
  std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> index_;
};

}  // namespace skel::platform::detail
