#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

#include "suite.hpp"

namespace bench::reductions {

using nlohmann::ordered_json;

std::size_t result_file::read() {
  std::ifstream in(file_, std::ios::binary);
  std::string const text(std::istreambuf_iterator<char>(in), {});
  if (in.bad() || !in.is_open()) throw skel::error(file_.string() + ": cannot be read");
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
    else
      head_ = std::move(row);
  }
  return whole;
}

result_file::result_file(std::filesystem::path file) : file_(std::move(file)) {
  read();
  if (!head_.is_object() || head_.value("suite", "") != "reductions")
    throw skel::error(file_.string() + ": has no timings of reductions; name one that --suite has written");
}

result_file::result_file(std::filesystem::path file, ordered_json const& head) : file_(std::move(file)) {
  if (std::filesystem::exists(file_)) {
    std::size_t const whole = read();
    if (!head_.is_null() && head_ != head)
      throw skel::error(file_.string() + ": was measured otherwise (" + head_.dump() + ", now " + head.dump() +
                        "); name another file");
    if (whole < std::filesystem::file_size(file_)) std::filesystem::resize_file(file_, whole);
  }
  if (!head_.is_null()) return;
  head_ = head;
  std::ofstream out(file_, std::ios::binary);
  if (!(out << head.dump() << '\n' << std::flush)) throw skel::error(file_.string() + ": cannot be written");
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
