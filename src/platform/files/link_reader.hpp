#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/json_reader.hpp>

#include "quick_scanner.hpp"

namespace skel::platform::detail {

/// The text of a description with an empty array in the place of its links, and the text between their brackets.
struct links_apart {
  std::string rest;
  std::string_view links;
};
/// Nothing if there is no array "links", or if brackets and quotes do not match. O(bytes).
std::optional<links_apart> take_links_out(std::string_view text);

parameter_blocks read_parameters(reader const& object);
link read_link(reader const& object, bool latency_needed);

/// Reads the links of a description one by one: a document of all of them would take ten times as much memory.
class link_reader {
 public:
  /// Both must live as long as this.
  link_reader(std::vector<cluster> const& clusters, std::string const& source);

  /// Throws skel::input_error.
  void read_all(reader const& array);
  /// From the text between the brackets. Throws skel::input_error whose place is wrong; `from` has no paths. O(bytes).
  void read_all(std::string_view array);

  /// Behind each link of an entry for both directions its reverse, when all are read. O(links).
  void add_reverses();

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
  std::size_t find(reader const& value) const;

  std::vector<cluster> const& clusters_;
  std::vector<bool> symmetric_;  // of each entry
  std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> index_;
};

}  // namespace skel::platform::detail
