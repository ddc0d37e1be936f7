#include "link_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::platform::detail {
namespace {

constexpr auto none = std::string_view::npos;

/// The quote that ends the text which begins at a quote.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return at < json.size() ? at : none;
}

/// Calls visit(where, depth) for each bracket and for the last quote of each text, until it returns false. The depth of
/// a bracket that opens is the one inside it, of a bracket that closes the one outside.
template <class Visit>
void for_each_bracket(std::string_view json, Visit visit) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    char const c = json[at];
    if (c == '"') {
      at = end_of_text(json, at);
      if (at == none) return;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else {
      continue;
    }
    if (!visit(at, depth)) return;
  }
}

}  // namespace

std::size_t find_links(std::string_view text) {
  constexpr std::string_view key = "\"links\"";
  std::size_t first = none;
  for_each_bracket(text, [&](std::size_t at, std::size_t depth) {
    // at depth 1 a bracket stands before it
    if (depth == 1 && text.substr(0, at + 1).ends_with(key) && text[at - key.size()] != '\\') {
      std::size_t const value = text.find_first_not_of(" \t\r\n:", at + 1);
      if (value != none && text[value] == '[') first = value + 1;
    }
    return first == none && depth > 0;
  });
  return first;
}

parameter_blocks read_parameters(reader const& object) {
  parameter_blocks blocks;
  for (auto const& [key, value] : object.value().items())
    if (is_parameter_key(key)) blocks[key] = value.dump();
  return blocks;
}

link read_link(reader const& object, bool latency_needed) {
  link result;
  if (object.has("latency"))
    result.latency = object.at("latency").number();
  else if (latency_needed)
    reader(object.value(), object.source(), object.path() + ".latency")
        .fail("is missing; a latency in seconds is wanted");
  result.bandwidth = object.number_or("bandwidth", result.bandwidth);
  return result;
}

std::size_t link_reader::number_of(std::string_view name) {
  if (auto const known = index_.find(name); known != index_.end()) return known->second;
  return index_.emplace(name, index_.size()).first->second;
}

std::size_t link_reader::find(reader const& value) {
  std::string const name = value.text();
  if (clusters_ == nullptr || index_.contains(name)) return number_of(name);
  std::string reason = "there is no cluster " + in_quotes(name);
  std::size_t const dash = name.rfind('-');
  std::vector<std::string> names;
  for (cluster const& c : *clusters_) names.push_back(c.name);
  if (dash != std::string::npos && index_.contains(name.substr(0, dash)))
    reason += "; links join whole clusters; did you mean " + in_quotes(name.substr(0, dash)) + "?";
  else
    reason += did_you_mean(name, names);
  value.fail(reason);
}

void link_reader::read(reader const& object) {
  object.expect_object("a link");
  object.expect_keys({"between", "from", "to", "latency", "bandwidth"}, is_parameter_key);
  cluster_link forward;
  bool const symmetric = object.has("between");
  if (symmetric) {
    if (object.has("from") || object.has("to"))
      object.fail("has \"between\" (both directions) and \"from\" or \"to\" (one direction); give one or the other");
    auto const ends = object.at("between").elements("\"between\" is an array of two cluster names");
    if (ends.size() != 2) object.at("between").fail("has " + std::to_string(ends.size()) + " names; two are wanted");
    forward.from = find(ends[0]);
    forward.to = find(ends[1]);
  } else {
    if (!object.has("from") && !object.has("to"))
      object.fail("names no clusters; give \"between\": [\"a\", \"b\"], or \"from\" and \"to\" for one direction");
    forward.from = find(object.at("from"));
    forward.to = find(object.at("to"));
  }
  forward.path = read_link(object, true);
  forward.parameters = read_parameters(object);
  add(std::move(forward), symmetric);
}

void link_reader::read_all(reader const& array, std::vector<cluster> const& clusters) {
  clusters_ = &clusters;
  for (cluster const& c : clusters) number_of(c.name);
  for (reader const& entry : array.elements("\"links\" is an array of links")) {
    read(entry);
    if (auto const& one = read_so_far.back(); symmetric_.back()) {
      symmetric_.back() = false;
      add({one.to, one.from, one.path, one.parameters}, false);
    }
    from.links.resize(read_so_far.size(), entry.path());
  }
}

void link_reader::add(cluster_link forward, bool symmetric) {
  symmetric_.push_back(symmetric && forward.from != forward.to);
  read_so_far.push_back(std::move(forward));
}

void link_reader::finish(std::vector<cluster> const& clusters) {
  std::vector<std::size_t> place(index_.size(), none), next(clusters.size() + 1);
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (auto const known = index_.find(clusters[c].name); known != index_.end()) place[known->second] = c;
  for (std::size_t k = 0; k < read_so_far.size(); ++k) {
    auto& one = read_so_far[k];
    one.from = place[one.from], one.to = place[one.to];
    if (std::max(one.from, one.to) == none) throw input_error(from.source, "links", "names no cluster");
    if (!symmetric_[k]) continue;
    if (one.from > one.to) std::swap(one.from, one.to);
    ++next[one.to + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> reverses(next.back());  // links that have some, in the order of these
  for (std::uint32_t k = 0; k < read_so_far.size(); ++k)
    if (symmetric_[k]) reverses[next[read_so_far[k].to]++] = k;
  auto const ends = [](cluster_link const& one) { return std::pair(one.from, one.to); };
  bool const in_order = std::ranges::is_sorted(read_so_far, {}, ends);
  std::size_t left = read_so_far.size(), to = left + reverses.size();
  read_so_far.resize(to);
  while (!reverses.empty()) {  // the last one first, behind all that are left
    auto const& one = read_so_far[reverses.back()];
    if (in_order && std::pair(one.to, one.from) < ends(read_so_far[left - 1])) {
      read_so_far[--to] = std::move(read_so_far[--left]);
    } else {
      read_so_far[--to] = {one.to, one.from, one.path, one.parameters};
      reverses.pop_back();
    }
  }
}

bool link_reader::read_quickly(quick_scanner& text) {
  constexpr std::array<std::string_view, 5> keys = {"between", "from", "to", "latency", "bandwidth"};
  std::array<bool, keys.size()> found{};
  cluster_link forward;
  auto const name = [&](std::size_t& end) {
    if (auto const one = text.text(); text.goes_on()) end = number_of(one);
  };
  text.expect(text.take('{'));
  do {
    auto const key = static_cast<std::size_t>(std::ranges::find(keys, text.text()) - keys.begin());
    text.expect(text.take(':') && key < keys.size() && !found[key]);
    if (!text.goes_on()) return false;
    found[key] = true;
    if (keys[key] == "between") {
      text.expect(text.take('['));
      name(forward.from);
      text.expect(text.take(','));
      name(forward.to);
      text.expect(text.take(']'));
    } else if (keys[key] == "from" || keys[key] == "to") {
      name(keys[key] == "from" ? forward.from : forward.to);
    } else {
      (keys[key] == "latency" ? forward.path.latency : forward.path.bandwidth) = text.number();
    }
  } while (text.goes_on() && text.take(','));
  text.expect(text.take('}'));
  auto const& [between, from_one, to_one, latency, bandwidth] = found;
  text.expect(latency && between != from_one && from_one == to_one);
  if (text.goes_on()) add(std::move(forward), between);
  return text.goes_on();
}

std::string_view link_reader::read_all(std::string_view array) {
  constexpr std::string_view shortest = R"({"from":"a","to":"b","latency":1})";
  read_so_far.reserve(2 * (array.size() / shortest.size() + 1));
  quick_scanner rest(array);
  if (rest.take(']')) return rest.rest();
  std::size_t entries = 0;
  do {
    quick_scanner text(rest.rest());
    if (!read_quickly(text)) {
      std::size_t end = none;  // of this entry, which may be of any form
      std::string_view const here = rest.rest();
      for_each_bracket(here, [&](std::size_t at, std::size_t depth) {
        if (depth == 0) end = at;
        return depth > 0 && depth <= max_depth - 2;
      });
      if (end == none) throw input_error(from.source, "links", "has no end");
      json const entry = parse_json(here.substr(0, end + 1), from.source);
      read(reader(entry, from.source, "links[" + std::to_string(entries) + "]"));
      text = quick_scanner(here.substr(end + 1));
    }
    rest = text;
    ++entries;
  } while (rest.take(','));
  if (!rest.take(']')) throw input_error(from.source, "links", "has something behind an entry");
  return rest.rest();
}

}  // namespace skel::platform::detail
