#include <skel/detail/record/decision_file.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/output_file.hpp>

#include "json_text.hpp"

namespace skel::record {

decision_file::decision_file(std::string file) : file_(std::move(file)) {
  bool const fine = can_be_written(file_);
  if (fine) out_.open(file_);
  if (!fine || !out_)
    throw error(file_ +
                ": cannot be opened for writing, or is a pipe; give --skel-decisions a file in a folder that exists");
}

void decision_file::write_line(std::string const& line) {
  errno = 0;
  out_ << line << std::endl;
  if (failure_ == 0 && !out_) failure_ = errno == 0 ? EIO : errno;
}

std::string decision_file::problem() const {
  if (failure_ == 0) return {};
  return file_ + ": does not have all decisions: " + std::generic_category().message(failure_);
}

std::uint64_t decision_file::decided(decision_entry const& made) {
  std::string line = "{\"decision\":" + std::to_string(++decisions_) + ",\"problem\":" + in_json(made.problem) +
                     ",\"request\":" + in_json(made.request) + ",\"context\":[";
  char const* comma = "";
  for (auto const part : made.context) line += comma + std::to_string(part), comma = ",";
  line += "],\"model\":" + in_json(made.model) + ",\"reason\":" + in_json(made.reason) +
          ",\"uses\":" + in_json(made.uses) + ",\"candidates\":[";
  comma = "";
  for (auto const& one : made.candidates) {
    line += comma + ("{\"name\":" + in_json(one.name)) + ",\"entry\":" + in_json(one.entry) +
            ",\"predicted\":" + in_json(one.predicted) + ",\"expected\":" + in_json(one.expected) +
            ",\"doubt\":" + in_json(one.doubt) + "}";
    comma = ",";
  }
  write_line(line + "]}");
  return decisions_;
}

void decision_file::measured(std::uint64_t decision, measured_entry const& so_far) {
  write_line("{\"decision\":" + std::to_string(decision) + ",\"measured\":{\"uses\":" + std::to_string(so_far.uses) +
             ",\"mean\":" + in_json(so_far.mean) + "}}");
}

}  // namespace skel::record
