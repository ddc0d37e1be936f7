#include "chrome_trace.hpp"

#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

#include "json_text.hpp"

namespace skel::record {

namespace {

std::string time_text(char const* name, double us) {
  return std::string(",\"") + name + "\":" + fixed(us, 3);
}

std::string row_text(std::uint64_t row) {
  return ",\"tid\":" + std::to_string(row);
}

}  // namespace

chrome_trace::chrome_trace(std::string file) : out_(std::move(file), output_file::target::anything) {
  out_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
}

void chrome_trace::event(char kind, std::size_t rank, std::string const& rest) {
  out_.write((any_ ? ",\n" : "\n") + ("{\"ph\":\"" + std::string(1, kind)) + "\",\"pid\":" + std::to_string(rank) +
             rest + "}");
  any_ = true;
}

void chrome_trace::rank(std::size_t rank, std::string const& host) {
  event('M', rank,
        ",\"name\":\"process_name\",\"args\":{\"name\":" + in_json("rank " + std::to_string(rank) + " (" + host + ")") +
            "}");
}

void chrome_trace::row(std::size_t rank, std::uint64_t row, std::string const& name) {
  event('M', rank, row_text(row) + ",\"name\":\"thread_name\",\"args\":{\"name\":" + in_json(name) + "}");
}

void chrome_trace::slice(std::size_t rank, std::uint64_t row, std::string const& name, double begin, double length,
                         std::string const& args) {
  event('X', rank,
        row_text(row) + ",\"name\":" + in_json(name) + time_text("ts", begin) + time_text("dur", length) +
            ",\"args\":{" + args + "}");
}

void chrome_trace::mark(std::size_t rank, std::uint64_t row, std::string const& name, double at) {
  event('i', rank, row_text(row) + ",\"s\":\"t\",\"name\":" + in_json(name) + time_text("ts", at));
}

void chrome_trace::end() {
  out_.write("\n]}\n");
  out_.finish();
}

}  // namespace skel::record
