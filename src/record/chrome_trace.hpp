#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <skel/detail/base/output_file.hpp>

namespace skel::record {

/// A file in Chrome's trace event format (chrome://tracing, ui.perfetto.dev), event by event. Times are in us. What
/// `args` says are the members of a JSON object.
class chrome_trace {
 public:
  /// Throws skel::error when the file cannot be opened. It has its name from end() on.
  explicit chrome_trace(std::string file);

  /// A rank is a process of the trace.
  void rank(std::size_t rank, std::string const& host);
  void row(std::size_t rank, std::uint64_t row, std::string const& name);
  void slice(std::size_t rank, std::uint64_t row, std::string const& name, double begin, double length,
             std::string const& args);
  void mark(std::size_t rank, std::uint64_t row, std::string const& name, double at);

  /// Throws skel::error when the file could not be written.
  void end();

 private:
  void event(char kind, std::size_t rank, std::string const& rest);

  output_file out_;
  bool any_ = false;
};

}  // namespace skel::record
