#include <skel/detail/record/decision_log.hpp>

#include <system_error>
#include <utility>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/output_file.hpp>
#include <skel/detail/record/output_file.hpp>

namespace skel::record {

decision_file::decision_file(std::string file) : file_(std::move(file)) {
  if (auto const why = why_not_opened(file_, "--skel-decisions"); !why.empty()) throw error(file_ + ": " + why);
  out_ = output_file(file_, output_file::target::anything).give_name_now();
}

/// After one that could not be written there is no other: lines are whole.
void decision_file::write_line(std::string const& line) {
  if (failure_ == 0) failure_ = write_all(out_.number(), line + "\n");
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

void decision_file::paid(std::uint64_t decision, double seconds) {
  write_line("{\"decision\":" + std::to_string(decision) + ",\"paid\":" + in_json(seconds) + "}");
}

}  // namespace skel::record
