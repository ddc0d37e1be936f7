#include <skel/detail/show/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/output_file.hpp>
#include <skel/detail/record/output_file.hpp>

namespace skel {

namespace {

/// A second and a nanosecond in the times of a trace [us].
constexpr double second = 1e6, ns = 1e-3;

/// A file of events. Times are in us. `args` holds the members of a JSON object.
class trace_file {
 public:
  explicit trace_file(std::string file) : out_(std::move(file), output_file::target::anything) {
    out_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  }

  /// A rank is a process of the trace.
  void rank(std::size_t rank, std::string const& host) {
    std::string const name = "rank " + std::to_string(rank) + " (" + host + ")";
    event('M', rank, ",\"name\":\"process_name\",\"args\":{\"name\":" + record::in_json(name) + "}");
  }
  void row(std::size_t rank, std::uint64_t row, std::string const& name) {
    event('M', rank, in_row(row) + ",\"name\":\"thread_name\",\"args\":{\"name\":" + record::in_json(name) + "}");
  }
  void slice(std::size_t rank, std::uint64_t row, std::string const& name, double begin, double length,
             std::string const& args) {
    event('X', rank, in_row(row) + named(name) + time("ts", begin) + time("dur", length) + ",\"args\":{" + args + "}");
  }
  void mark(std::size_t rank, std::uint64_t row, std::string const& name, double at) {
    event('i', rank, in_row(row) + ",\"s\":\"t\"" + named(name) + time("ts", at));
  }

  /// The file has its name from then on.
  void end() {
    out_.write("\n]}\n");
    out_.finish();
  }

 private:
  static std::string in_row(std::uint64_t row) { return ",\"tid\":" + std::to_string(row); }
  static std::string named(std::string const& name) { return ",\"name\":" + record::in_json(name); }
  static std::string time(char const* name, double us) { return std::string(",\"") + name + "\":" + fixed(us, 3); }

  void event(char kind, std::size_t rank, std::string const& rest) {
    out_.write((any_ ? ",\n" : "\n") + ("{\"ph\":\"" + std::string(1, kind)) + "\",\"pid\":" + std::to_string(rank) +
               rest + "}");
    any_ = true;
  }

  output_file out_;
  bool any_ = false;
};

std::string name_of(std::vector<std::string> const& names, std::uint64_t station) {
  return station < names.size() ? names[station] : "station " + std::to_string(station);
}

/// Spans as the rows and slices of one rank, in the order of the line.
class rank_rows {
 public:
  rank_rows(trace_file& out, std::size_t rank, std::int64_t start) : out_(out), rank_(rank), start_(start) {}

  void add(std::vector<record::span> const& spans, std::vector<std::string> const& names, std::string const& prefix) {
    std::map<std::uint64_t, std::uint64_t> threads;  // (station, worker) -> row
    auto const key = [](record::span const& s) { return (std::uint64_t{s.station} << 32) | s.worker; };
    for (record::span const& s : spans) threads[key(s)];
    for (auto& [station_worker, id] : threads) {
      id = next_++;
      out_.row(rank_, id,
               prefix + name_of(names, station_worker >> 32) + " #" + std::to_string(station_worker & 0xffffffffu));
    }
    for (record::span const& s : spans)
      out_.slice(rank_, threads[key(s)], prefix + name_of(names, s.station), static_cast<double>(s.begin - start_) * ns,
                 static_cast<double>(s.end - s.begin) * ns,
                 "\"first item\":" + std::to_string(s.first_item) + ",\"items\":" + std::to_string(s.items));
  }

 private:
  trace_file& out_;
  std::size_t rank_;
  std::int64_t start_;
  std::uint64_t next_ = 0;
};

std::string supersteps_text(record::timed_supersteps const& some) {
  return some.count == 1
             ? "superstep " + std::to_string(some.first)
             : "supersteps " + std::to_string(some.first) + " to " + std::to_string(some.first + some.count - 1);
}

}  // namespace

void write_trace(record::run_record const& run, std::string const& file) {
  std::int64_t start = INT64_MAX;
  for (record::span const& s : run.calibration) start = std::min(start, s.begin);
  for (auto const& spans : run.spans)
    for (record::span const& s : spans) start = std::min(start, s.begin);

  trace_file out(file);
  for (std::size_t rank = 0; rank < std::max<std::size_t>(1, run.spans.size()); ++rank) {
    out.rank(rank, rank < run.hosts.size() ? run.hosts[rank] : "");
    rank_rows of_rank(out, rank, start);
    if (rank == 0) of_rank.add(run.calibration, run.names, "calibration: ");
    if (rank < run.spans.size()) of_rank.add(run.spans[rank], run.names, "");
  }
  out.end();
}

void write_trace(record::bsp_timeline const& run, std::vector<record::bsp_migration> const& migrations,
                 std::string const& file) {
  trace_file out(file);
  auto const& all = run.supersteps();
  double const start = all.empty() ? 0 : all.front().begin;
  for (std::size_t rank = 0; rank < run.hosts().size(); ++rank) {
    out.rank(rank, run.hosts()[rank]);
    out.row(rank, 0, "supersteps");
    for (auto const& some : all) {
      double at = (some.begin - start) * second;
      double const end = (some.end - start) * second;
      auto const slice = [&](std::string const& name, double length, std::string const& args) {
        length = std::clamp(length, 0.0, std::max(0.0, end - at));
        if (length > 0) out.slice(rank, 0, name, at, length, args);
        at += length;
      };
      std::string const counted =
          "\"first\":" + std::to_string(some.first) + ",\"count\":" + std::to_string(some.count);
      if (some.moved > 0) slice("migrations", some.moving * second, "\"processes\":" + std::to_string(some.moved));
      slice(supersteps_text(some), some.computing[rank] * second, counted);
      slice("waiting", end - at, counted);
    }
  }
  for (auto const& one : migrations) {
    // It was made after its superstep: before the next one begins.
    auto const next = std::ranges::partition_point(
        all, [&](auto const& some) { return some.first + some.count <= one.superstep + 1; });
    if (!one.failed.empty() || next == all.end()) continue;
    out.mark(static_cast<std::size_t>(one.to), 0,
             "process " + std::to_string(one.process) + " from rank " + std::to_string(one.from),
             (next->begin - start) * second);
  }
  out.end();
}

}  // namespace skel
