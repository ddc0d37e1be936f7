#include <skel/detail/plan/placement.hpp>

#include <map>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::plan {
namespace {

named_workers read_one(std::string_view text, std::string const& stage) {
  named_workers all;
  std::size_t const star = text.find('*');
  if (star != std::string_view::npos) {
    all.count = number_in<decltype(all.count)>(trim(text.substr(star + 1))).value_or(0);
    if (all.count == 0)
      throw error("gives " + stage + " " + in_quotes(text) + ", which has no number of workers behind its star");
  }
  all.host = trim(text.substr(0, star));
  if (all.host.empty()) throw error("names no host for " + stage);
  return all;
}

}  // namespace

std::vector<named_workers> read_workers(std::string_view text, std::string const& stage) {
  std::vector<named_workers> all;
  for (auto const one : split(text, '+')) all.push_back(read_one(one, stage));
  return all;
}

placement_text read_placement(std::string_view text) {
  placement_text where;
  for (auto const stage : split(text, '|'))
    where.push_back(read_workers(stage, "stage " + std::to_string(where.size() + 1)));
  return where;
}

std::string to_string(placement_text const& where) {
  std::string text;
  for (auto const& stage : where) {
    std::map<std::string_view, std::size_t> workers;
    for (auto const& [host, count] : stage) workers[host] += count;
    text += text.empty() ? "" : " | ";
    char const* plus = "";
    for (auto const& [host, count] : workers) {
      text.append(std::exchange(plus, "+")).append(host);
      if (count > 1) text += "*" + std::to_string(count);
    }
  }
  return text;
}

}  // namespace skel::plan
