#include <skel/record/run_record.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>

#include <skel/base/error.hpp>

namespace skel::record {

namespace {

std::string quoted(std::string const& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

void write_chrome_trace(run_record const& run, std::string const& file) {
  std::map<std::uint32_t, std::string> names;
  for (auto const& s : run.stations) names[s.station] = s.name;
  std::int64_t start = INT64_MAX;
  for (auto const& spans : run.spans)
    for (span const& s : spans) start = std::min(start, s.begin);

  std::ofstream out(file);
  if (!out) throw error(file + ": cannot be opened for writing; give --skel-trace a file in a folder that exists");
  out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  char const* comma = "";
  for (std::size_t rank = 0; rank < run.spans.size(); ++rank) {
    std::string const host = rank < run.hosts.size() ? run.hosts[rank] : "";
    out << comma << "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" << rank
        << ",\"args\":{\"name\":" << quoted("rank " + std::to_string(rank) + " (" + host + ")") << "}}";
    comma = ",";
    std::map<std::uint64_t, std::uint64_t> threads;  // (station, worker) -> row, in the order of the line
    for (span const& s : run.spans[rank]) threads[(std::uint64_t{s.station} << 32) | s.worker];
    std::uint64_t row = 0;
    for (auto& [key, id] : threads) {
      id = row++;
      std::string const name = names[static_cast<std::uint32_t>(key >> 32)];
      out << ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" << rank << ",\"tid\":" << id
          << ",\"args\":{\"name\":" << quoted(name + " #" + std::to_string(key & 0xffffffffu)) << "}}";
    }
    for (span const& s : run.spans[rank]) {
      char times[96];
      std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", static_cast<double>(s.begin - start) / 1e3,
                    static_cast<double>(s.end - s.begin) / 1e3);
      out << ",\n{\"ph\":\"X\",\"name\":" << quoted(names[s.station]) << ",\"pid\":" << rank
          << ",\"tid\":" << threads[(std::uint64_t{s.station} << 32) | s.worker] << "," << times
          << ",\"args\":{\"first item\":" << s.first_item << ",\"items\":" << s.items << "}}";
    }
  }
  out << "\n]}\n";
  out.flush();
  if (!out) throw error(file + ": cannot be written; is the disk full?");
}

}  // namespace skel::record
