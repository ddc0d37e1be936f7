#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <skel/base/error.hpp>

#include "suite.hpp"

namespace bench::reductions {

using nlohmann::ordered_json;

result_file::result_file(std::filesystem::path file, ordered_json const& head) : file_(std::move(file)) {
  std::string text;
  if (std::filesystem::exists(file_)) {
    std::ifstream in(file_, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
    if (in.bad() || !in.is_open()) throw skel::error(file_.string() + ": cannot be read");
  }
  std::size_t const whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  std::size_t line = 0;
  for (std::size_t at = 0; at < whole; ++line) {
    std::size_t const end = text.find('\n', at);
    ordered_json row = ordered_json::parse(text.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (row.is_discarded())
      throw skel::error(file_.string() + ": line " + std::to_string(line + 1) +
                        ": is no JSON; name another file, or one that --suite has written");
    if (line > 0)
      rows_.push_back(std::move(row));
    else if (row != head)
      throw skel::error(file_.string() + ": was measured otherwise (" + row.dump() + ", now " + head.dump() +
                        "); name another file");
  }
  if (line == 0) {
    std::ofstream out(file_, std::ios::binary);
    if (!(out << head.dump() << '\n' << std::flush)) throw skel::error(file_.string() + ": cannot be written");
  } else if (whole < text.size()) {
    std::filesystem::resize_file(file_, whole);
  }
}

bool result_file::has(std::string const& name) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](auto const& row) { return row.value("case", "") == name; });
}

void result_file::add(std::vector<ordered_json> const& rows) {
  std::string text;
  for (auto const& row : rows) text += row.dump() + '\n';
  std::ofstream out(file_, std::ios::binary | std::ios::app);
  if (!(out << text << std::flush)) throw skel::error(file_.string() + ": cannot be written; is the disk full?");
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

}  // namespace bench::reductions
