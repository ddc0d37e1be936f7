#include <skel/detail/runtime/line/checkpoint.hpp>

#include <algorithm>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::runtime {
namespace {

constexpr char const* types_of_all = "the types of all functions and operators";

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

program_identity identity_of(program const& line) {
  program_identity out{{"the number of stations", std::to_string(line.size())}};
  for (std::size_t s = 0; s < line.size(); ++s) {
    station const& one = line.stations[s];
    std::string const name = kind_of(line, s) + " '" + one.notes.name + "'";
    out.push_back({"station " + std::to_string(s), name});
    if (one.item != nullptr)
      out.push_back(
          {"the type of the items of " + name, type_name(*one.item) + " of " + std::to_string(one.item_bytes) + " B"});
    if (one.function != nullptr) out.push_back({"the function of " + name, type_name(*one.function)});
    if (one.folds && !one.replicable)
      out.push_back({"the window of " + name, one.window == 0 ? "the whole stream" : counted(one.window, "item")});
    std::string const form = one.form.written.empty() ? (one.stateful ? "kept" : "nothing") : one.form.written;
    if (!one.replicable) out.push_back({"the state of " + name, form});
    if (one.form.version)
      out.push_back({"the version of the state of " + name, std::to_string(*one.form.version), true});
    if (!one.constants.empty()) out.push_back({"the work of " + name, one.constants});
  }
  out.push_back({types_of_all, line.types});
  return out;
}

namespace {

/// As much of a type or a list of files as tells two of them apart, as a rule [B].
constexpr std::size_t most_shown = 200;

bool fits(dependency const& there, dependency const& here) {
  if (there.value == here.value) return true;
  return there.may_grow && here.may_grow && std::stoull(there.value) < std::stoull(here.value);
}

std::vector<std::type_info const*>& unplaced_sources() {
  static std::vector<std::type_info const*> all;
  return all;
}

}  // namespace

std::string difference(program_identity const& there, program_identity const& here) {
  for (std::size_t i = 0; i < std::min(there.size(), here.size()); ++i) {
    auto const &old = there[i], &now = here[i];
    if (old.name != now.name)
      return "it depends on " + printable(old.name, most_shown) + ", and this one on " + now.name;
    if (fits(old, now)) continue;
    if (now.name == types_of_all) return "its stages have the same names, and functions or operators of other types";
    return now.name + " is " + printable(old.value, most_shown) + " there and " + printable(now.value, most_shown) +
           " here";
  }
  return there.size() == here.size() ? "" : "it depends on more or fewer things";
}

std::string why_no_checkpoints(program const& line) {
  auto const refusal = [](station const& at, std::string const& kind, std::string const& why) {
    return kind + " '" + at.notes.name + "' " + why;
  };
  constexpr char const* how =
      "give the type of its function a skel::serializer (or a serialize() for cereal) that names all that it keeps";
  station const& source = line.stations.front();
  if (source.state == nullptr)
    return refusal(source, "source",
                   std::string(source.stateful ? "keeps its place in the stream in a state that cannot be written"
                                               : "keeps no state, or says skel::stateless, so it would begin anew") +
                       ": " + how);
  for (std::size_t s = 1; s < line.size(); ++s) {
    station const& one = line.stations[s];
    bool const folds = one.folds && !one.replicable;
    if (folds ? one.input != nullptr : !one.stays()) continue;
    if (folds)
      return refusal(one, "reduce",
                     "holds back an item that cannot be written: give the type of its items a skel::serializer");
    bool const last = s + 1 == line.size();
    return refusal(one, last ? "sink" : "stage",
                   "may keep state that cannot be written and would be wrong after a restart: say skel::stateless if "
                   "its function keeps nothing from item to item, or " +
                       std::string(how) + (last ? "; skel::file_sink is a sink that knows its place in a file" : ""));
  }
  return {};
}

std::string sources_without_place() {
  std::vector<std::string> types;
  for (auto const* type : unplaced_sources()) types.push_back("'" + type_name(*type) + "'");
  std::ranges::sort(types);
  types.erase(std::unique(types.begin(), types.end()), types.end());
  if (types.empty()) return {};
  constexpr std::size_t most = 3;  // that a reader needs to find the others
  std::string text;
  for (std::size_t t = 0; t < std::min(most, types.size()); ++t)
    text += (t == 0 ? "" : ", ") + printable(types[t], most_shown);
  if (types.size() > most) text += " and " + std::to_string(types.size() - most) + " more";
  return "this program also has sources that cannot tell their place in their stream (of type " + text +
         "): a run of one, after another run, keeps no checkpoints; give the type a skel::serializer or a serialize() "
         "for cereal, or leave that run out (run_settings::keep_checkpoints)";
}

bool program_detail::note_unplaced(std::type_info const& source) {
  unplaced_sources().push_back(&source);
  return true;
}

double checkpoint_period(double given, double last_took) {
  // Part of a run's time that checkpoints may take if nobody says how often they are made. By Young's formula (1974,
  // Comm. ACM 17(9):530-531) the best period is sqrt(2 C M) for checkpoints that take C and a mean time M between
  // failures. Then 2 C / period of the time is lost. A hundredth for C is the best if M = 5000 C, 8 minutes for a tenth
  // of a second; nobody knows M.
  constexpr double most_of_time = 0.01;
  // They are not made more often than this [s]: then a failure loses less than starting again takes.
  constexpr double shortest_period = 1;
  return given > 0 ? given : std::max(shortest_period, last_took / most_of_time);
}

}  // namespace skel::runtime
