#include <skel/detail/runtime/checkpoint.hpp>

#include <algorithm>

#include <skel/detail/base/error.hpp>

namespace skel::runtime {
namespace {

std::string kind_of(program const& line, std::size_t s) {
  station const& one = line.stations[s];
  if (s == 0) return "source";
  if (s + 1 == line.size()) return "sink";
  if (one.copies) return "broadcast";
  if (one.replicable) return one.notes.ordered ? "farm" : "unordered farm";
  return one.folds ? "reduce" : "stage";
}

}  // namespace

bool is_saved(program const& line, std::size_t s) {
  station const& one = line.stations[s];
  return s == 0 || s + 1 == line.size() || (one.stateful && !one.replicable && !one.copies);
}

std::vector<std::string> identity_of(program const& line) {
  std::vector<std::string> out;
  for (std::size_t s = 0; s < line.size(); ++s) {
    station const& one = line.stations[s];
    out.push_back(kind_of(line, s) + " '" + one.notes.name + "'");
    if (one.item != nullptr) out.back() += std::string(" of ") + one.item->name();
    if (one.stateful) out.back() += ", with state";
  }
  out.push_back(line.types);
  return out;
}

std::string difference(std::vector<std::string> const& there, std::vector<std::string> const& here) {
  if (there.size() != here.size())
    return "it has " + std::to_string(there.size() - std::min<std::size_t>(1, there.size())) +
           " stations, this program " + std::to_string(here.size() - 1);
  for (std::size_t i = 0; i + 1 < here.size(); ++i)
    if (there[i] != here[i])
      return "station " + std::to_string(i) + " is " + there[i] + " there and " + here[i] + " here";
  if (!here.empty() && there.back() != here.back())
    return "its stages have the same names, and functions or operators of other types";
  return {};
}

void check_checkpoints(program const& line) {
  auto const refuse = [](station const& at, std::string const& kind, std::string const& why) {
    throw error("a program with checkpoints: " + kind + " '" + at.notes.name + "' " + why);
  };
  constexpr char const* how =
      "give the type of its function a skel::serializer (or a serialize() for cereal) that names all that it keeps";
  station const& source = line.stations.front();
  if (source.state == nullptr)
    refuse(source, "source",
           std::string(source.stateful ? "keeps where it is in its stream in what cannot be written"
                                       : "keeps nothing, or says skel::stateless, so that it would begin anew") +
               ": " + how);
  for (std::size_t s = 1; s < line.size(); ++s) {
    station const& one = line.stations[s];
    bool const folds = one.folds && !one.replicable;
    if (folds ? one.input != nullptr : !one.stays()) continue;
    if (folds)
      refuse(one, "reduce", "holds back an item that cannot be written: give the type of its items a skel::serializer");
    bool const last = s + 1 == line.size();
    refuse(one, last ? "sink" : "stage",
           "may keep state that cannot be written, and what is not written would be wrong after a restart: say "
           "skel::stateless where its function keeps nothing from item to item, or " +
               std::string(how) + (last ? "; skel::file_sink is a sink that knows its place in a file" : ""));
  }
}

double checkpoint_period(double given, double last_took) {
  // The time that keeping checkpoints may take of a run's where nobody says how often they are made. By Young's formula
  // (1974, Comm. ACM 17(9):530-531) the best period is sqrt(2 C M) for checkpoints that take C and a mean time M
  // between failures, and 2 C / period of the time is lost then: a hundredth for C is the best where M = 5000 C, 8
  // minutes for a tenth of a second; nobody knows M.
  constexpr double most_of_time = 0.01;
  // More often they are not made [s]: what is lost by a failure is less than what starting again takes then.
  constexpr double shortest_period = 1;
  return given > 0 ? given : std::max(shortest_period, last_took / most_of_time);
}

}  // namespace skel::runtime
