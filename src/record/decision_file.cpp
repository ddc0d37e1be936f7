#include <skel/detail/record/decision_file.hpp>

#include <skel/detail/base/error.hpp>

#include "json_text.hpp"

namespace skel::record {

decision_file::decision_file(std::string file) : out_(file) {
  if (!out_)
    throw error(file + ": cannot be opened for writing; give --skel-decisions a file in a folder that exists");
}

std::uint64_t decision_file::decided(decision_entry const& made) {
  out_ << "{\"decision\":" << ++decisions_ << ",\"problem\":" << in_json(made.problem)
       << ",\"request\":" << in_json(made.request) << ",\"context\":[";
  char const* comma = "";
  for (auto const part : made.context) out_ << comma << part, comma = ",";
  out_ << "],\"model\":" << in_json(made.model) << ",\"reason\":" << in_json(made.reason)
       << ",\"uses\":" << in_json(made.uses) << ",\"candidates\":[";
  comma = "";
  for (auto const& one : made.candidates) {
    out_ << comma << "{\"name\":" << in_json(one.name) << ",\"entry\":" << in_json(one.entry)
         << ",\"predicted\":" << in_json(one.predicted) << ",\"expected\":" << in_json(one.expected)
         << ",\"doubt\":" << in_json(one.doubt) << "}";
    comma = ",";
  }
  out_ << "]}" << std::endl;
  return decisions_;
}

void decision_file::measured(std::uint64_t decision, measured_entry const& so_far) {
  out_ << "{\"decision\":" << decision << ",\"measured\":{\"uses\":" << so_far.uses
       << ",\"mean\":" << in_json(so_far.mean) << "}}" << std::endl;
}

}  // namespace skel::record
