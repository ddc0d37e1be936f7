#include <skel/detail/platform/clusters.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::platform {
namespace {

std::string cell_at(std::size_t row, std::size_t column) {
  return "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
}

struct csv_line {
  std::size_t number;
  std::vector<std::string_view> fields;
};

/// The lines with fields, which the first one parts by commas, semicolons, tabs or blanks.
std::vector<csv_line> lines_of(std::string_view text, std::string const& source) {
  std::vector<csv_line> lines;
  std::size_t count = 0;
  char separator = '\0';
  for (std::string_view const line : lines_in(text)) {
    ++count;
    auto const fail = [&](std::string reason) {
      throw input_error(source, "line " + std::to_string(count), std::move(reason));
    };
    if (trim(line).empty() || line.front() == '#') continue;
    if (separator == '\0') {
      separator = separator_of(line);
      if (words_in(line).size() > 1 && line.find(separator) == std::string_view::npos) separator = ' ';
    }
    // Before they are listed: a line without an end may have any number of them.
    bool const many = static_cast<std::size_t>(std::ranges::count(line, separator)) > latency_matrix::max_hosts;
    if (many && separator != ' ') fail("has more than " + std::to_string(latency_matrix::max_hosts) + " hosts");
    auto fields = separator == ' ' ? std::optional(words_in(line)) : fields_of(line, separator);
    if (!fields) fail("a quote is not closed in this line");
    lines.push_back({count, *std::move(fields)});
  }
  return lines;
}

}  // namespace

latency_matrix::latency_matrix(std::vector<std::string> hosts, std::vector<double> seconds, std::string const& source,
                               double tolerance)
    : hosts_(std::move(hosts)), seconds_(std::move(seconds)) {
  std::size_t const n = hosts_.size();
  if (n == 0) throw input_error(source, "", "has no host; the first line holds the names of the hosts");
  if (n > max_hosts)
    throw input_error(source, "", "has " + std::to_string(n) + " hosts; at most " + std::to_string(max_hosts));
  if (seconds_.size() != n * n)
    throw input_error(source, "",
                      "has " + std::to_string(seconds_.size()) + " latencies for " + counted(n, "host") + "; " +
                          std::to_string(n * n) + " are wanted");
  std::unordered_map<std::string, std::size_t> names;
  for (std::size_t h = 0; h < n; ++h) {
    if (hosts_[h].empty()) throw input_error(source, "host " + std::to_string(h + 1), "has no name");
    if (auto const fault = fault_of_name(hosts_[h])) throw input_error(source, "host " + std::to_string(h + 1), *fault);
    auto const [other, is_new] = names.emplace(hosts_[h], h);
    if (!is_new)
      throw input_error(source, "host " + std::to_string(h + 1),
                        in_quotes(hosts_[h]) + " is also the name of host " + std::to_string(other->second + 1));
  }
  std::vector<double> gaps;
  for (std::size_t a = 0; a < n; ++a) {
    seconds_[a * n + a] = 0;
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      double const value = seconds_[a * n + b];
      auto const which = [&] { return "the latency from '" + hosts_[a] + "' to '" + hosts_[b] + "' "; };
      if (!std::isfinite(value))
        throw input_error(source, cell_at(a, b), which() + "is not a finite number; seconds are wanted");
      if (value <= 0)
        throw input_error(source, cell_at(a, b),
                          which() + "is " + shown(value) + "; a time in seconds, more than 0, is wanted");
      if (b < a) gaps.push_back(std::abs(std::log(value / seconds_[b * n + a])));
    }
  }
  double const limit = std::max(std::log1p(tolerance),
                                6 * statistics::normal_deviation * (gaps.size() < 3 ? 0 : statistics::median(gaps)));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      double &there = seconds_[a * n + b], &back = seconds_[b * n + a];
      if (there == back) continue;
      if (std::abs(std::log(there / back)) > limit)
        throw input_error(source, cell_at(b, a),
                          "the latency from '" + hosts_[b] + "' to '" + hosts_[a] + "' is " + shown(back) +
                              " s, back it is " + shown(there) +
                              " s; a matrix of latencies is symmetric: measure the pair again");
      there = back = std::sqrt(there) * std::sqrt(back);
    }
}

latency_matrix parse_latencies(std::string_view bytes, std::string const& source, double tolerance) {
  plain_text const text(bytes, source);
  std::vector<csv_line> const lines = lines_of(text.view(), source);
  if (lines.empty()) throw input_error(source, "", "is empty; the first line holds the names of the hosts");
  std::vector<std::string_view> names = lines.front().fields;
  bool const rows_named = names.size() > 1 && names.front().empty();
  if (rows_named) names.erase(names.begin());
  std::size_t const n = names.size();
  for (std::size_t h = 0; h < n; ++h)
    if (names[h].empty())
      throw input_error(source, "line " + std::to_string(lines.front().number),
                        "host " + std::to_string(h + 1) + " has no name");
  if (n > latency_matrix::max_hosts)
    throw input_error(source, "line " + std::to_string(lines.front().number),
                      "has " + std::to_string(n) + " hosts; at most " + std::to_string(latency_matrix::max_hosts));
  if (lines.size() != n + 1)
    throw input_error(source, "",
                      "has " + std::to_string(lines.size() - 1) + " rows of latencies for " + std::to_string(n) +
                          " hosts; the first line holds the host names, then one row per host");
  std::vector<double> seconds(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    csv_line const& line = lines[a + 1];
    std::string const where = "line " + std::to_string(line.number);
    bool const named = rows_named || (line.fields.size() == n + 1 && line.fields.front() == names[a]);
    if (line.fields.size() != n + (named ? 1 : 0))
      throw input_error(source, where,
                        "has " + std::to_string(line.fields.size() - (named ? 1 : 0)) + " latencies; " +
                            std::to_string(n) + " are wanted, one per host");
    if (named && line.fields.front() != names[a])
      throw input_error(source, where,
                        "is the row of " + in_quotes(line.fields.front()) + "; the row of " + in_quotes(names[a]) +
                            " is wanted, rows are in the order of the first line");
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      std::string_view const field = line.fields[b + (named ? 1 : 0)];
      auto const fail = [&](std::string const& reason) {
        throw input_error(source, where + ", column " + std::to_string(b + (named ? 2 : 1)),
                          "the latency from " + in_quotes(names[a]) + " to " + in_quotes(names[b]) + " " + reason);
      };
      if (field.empty()) fail("is missing");
      auto const value = number_in<double>(field);
      if (!value) fail("is " + in_quotes(field) + "; seconds are wanted");
      if (!std::isfinite(*value)) fail("is not a finite number; seconds are wanted");
      if (*value <= 0) fail("is " + shown(*value) + "; a time in seconds, more than 0, is wanted");
      seconds[a * n + b] = *value;
    }
  }
  return latency_matrix(std::vector<std::string>(names.begin(), names.end()), std::move(seconds), source, tolerance);
}

latency_matrix read_latencies(std::filesystem::path const& file, double tolerance) {
  return parse_latencies(read_text(file), file.string(), tolerance);
}

latency_matrix latencies_of(description const& machine, std::string const& source, double tolerance) {
  std::size_t const n = machine.host_count();
  if (n > latency_matrix::max_hosts)
    throw input_error(source, "clusters",
                      "have " + std::to_string(n) + " hosts; at most " + std::to_string(latency_matrix::max_hosts) +
                          " can be clustered");
  std::vector<double> seconds(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      if (!machine.connected(a, b))
        throw input_error(source, "links",
                          "there is no link from cluster '" + machine.clusters()[machine.cluster_of(a)].name +
                              "' to cluster '" + machine.clusters()[machine.cluster_of(b)].name +
                              "'; clustering needs the latency of every pair");
      seconds[a * n + b] = machine.path(a, b).latency;
    }
  return latency_matrix(machine.host_names(), std::move(seconds), source, tolerance);
}

}  // namespace skel::platform
