#include <skel/detail/record/run_record.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>

#include <skel/detail/base/error.hpp>

#include "json_text.hpp"

namespace skel::record {

namespace {

std::string name_of(std::vector<std::string> const& names, std::uint64_t station) {
  return station < names.size() ? names[station] : "station " + std::to_string(station);
}

/// Spans as the threads and slices of one process, in the order of the line.
class rows {
 public:
  rows(std::ofstream& out, std::size_t process, std::int64_t start) : out_(out), process_(process), start_(start) {}

  void add(std::vector<span> const& spans, std::vector<std::string> const& names, std::string const& prefix) {
    std::map<std::uint64_t, std::uint64_t> threads;  // (station, worker) -> row
    auto const key = [](span const& s) { return (std::uint64_t{s.station} << 32) | s.worker; };
    for (span const& s : spans) threads[key(s)];
    for (auto& [station_worker, id] : threads) {
      id = next_++;
      std::string const name =
          prefix + name_of(names, station_worker >> 32) + " #" + std::to_string(station_worker & 0xffffffffu);
      out_ << ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" << process_ << ",\"tid\":" << id
           << ",\"args\":{\"name\":" << in_json(name) << "}}";
    }
    for (span const& s : spans) {
      char times[96];
      std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", static_cast<double>(s.begin - start_) / 1e3,
                    static_cast<double>(s.end - s.begin) / 1e3);
      out_ << ",\n{\"ph\":\"X\",\"name\":" << in_json(prefix + name_of(names, s.station)) << ",\"pid\":" << process_
           << ",\"tid\":" << threads[key(s)] << "," << times << ",\"args\":{\"first item\":" << s.first_item
           << ",\"items\":" << s.items << "}}";
    }
  }

 private:
  std::ofstream& out_;
  std::size_t process_;
  std::int64_t start_;
  std::uint64_t next_ = 0;
};

}  // namespace

void write_chrome_trace(run_record const& run, std::string const& file) {
  std::int64_t start = INT64_MAX;
  for (span const& s : run.calibration) start = std::min(start, s.begin);
  for (auto const& spans : run.spans)
    for (span const& s : spans) start = std::min(start, s.begin);

  std::ofstream out(file);
  if (!out) throw error(file + ": cannot be opened for writing; give --skel-trace a file in a folder that exists");
  out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  char const* comma = "";
  for (std::size_t rank = 0; rank < std::max<std::size_t>(1, run.spans.size()); ++rank) {
    std::string const host = rank < run.hosts.size() ? run.hosts[rank] : "";
    out << comma << "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" << rank
        << ",\"args\":{\"name\":" << in_json("rank " + std::to_string(rank) + " (" + host + ")") << "}}";
    comma = ",";
    rows of_rank(out, rank, start);
    if (rank == 0) of_rank.add(run.calibration, run.names, "calibration: ");
    if (rank < run.spans.size()) of_rank.add(run.spans[rank], run.names, "");
  }
  out << "\n]}\n";
  out.flush();
  if (!out) throw error(file + ": cannot be written; is the disk full?");
}

}  // namespace skel::record
