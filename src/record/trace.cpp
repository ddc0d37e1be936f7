#include <skel/detail/record/run_record.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

#include "chrome_trace.hpp"

namespace skel::record {

namespace {

/// [us]
constexpr double ns = 1e-3;

std::string name_of(std::vector<std::string> const& names, std::uint64_t station) {
  return station < names.size() ? names[station] : "station " + std::to_string(station);
}

/// Spans as the rows and slices of one rank, in the order of the line.
class rows {
 public:
  rows(chrome_trace& out, std::size_t rank, std::int64_t start) : out_(out), rank_(rank), start_(start) {}

  void add(std::vector<span> const& spans, std::vector<std::string> const& names, std::string const& prefix) {
    std::map<std::uint64_t, std::uint64_t> threads;  // (station, worker) -> row
    auto const key = [](span const& s) { return (std::uint64_t{s.station} << 32) | s.worker; };
    for (span const& s : spans) threads[key(s)];
    for (auto& [station_worker, id] : threads) {
      id = next_++;
      out_.row(rank_, id,
               prefix + name_of(names, station_worker >> 32) + " #" + std::to_string(station_worker & 0xffffffffu));
    }
    for (span const& s : spans)
      out_.slice(rank_, threads[key(s)], prefix + name_of(names, s.station), static_cast<double>(s.begin - start_) * ns,
                 static_cast<double>(s.end - s.begin) * ns,
                 "\"first item\":" + std::to_string(s.first_item) + ",\"items\":" + std::to_string(s.items));
  }

 private:
  chrome_trace& out_;
  std::size_t rank_;
  std::int64_t start_;
  std::uint64_t next_ = 0;
};

}  // namespace

void write_chrome_trace(run_record const& run, std::string const& file) {
  std::int64_t start = INT64_MAX;
  for (span const& s : run.calibration) start = std::min(start, s.begin);
  for (auto const& spans : run.spans)
    for (span const& s : spans) start = std::min(start, s.begin);

  chrome_trace out(file);
  for (std::size_t rank = 0; rank < std::max<std::size_t>(1, run.spans.size()); ++rank) {
    out.rank(rank, rank < run.hosts.size() ? run.hosts[rank] : "");
    rows of_rank(out, rank, start);
    if (rank == 0) of_rank.add(run.calibration, run.names, "calibration: ");
    if (rank < run.spans.size()) of_rank.add(run.spans[rank], run.names, "");
  }
  out.end();
}

}  // namespace skel::record
