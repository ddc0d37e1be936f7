#include "moved_text.hpp"

#include <cstddef>
#include <map>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

namespace skel {

std::string pace_text(run_pace const& pace) {
  std::string out = counted(pace.done, pace.use) + print(", %.0f s", pace.seconds);
  if (pace.each > 0) out += ", " + scaled(pace.each, "s") + " each";
  if (pace.expected > 0) out += ", " + scaled(pace.expected, "s") + " expected";
  if (pace.all && *pace.all > pace.done && pace.each > 0)
    out += print(", %.0f s to go", pace.each * static_cast<double>(*pace.all - pace.done));
  return out;
}

std::string processes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " process" : " processes");
}

std::string rank_text(std::vector<std::string> const& hosts, int rank) {
  auto const at = static_cast<std::size_t>(rank);
  return "rank " + std::to_string(rank) + (rank >= 0 && at < hosts.size() ? " (" + hosts[at] + ")" : "");
}

std::string ranks_text(std::vector<std::string> const& hosts, std::vector<int> const& ranks) {
  std::map<int, std::size_t> workers;
  for (int const rank : ranks) ++workers[rank];
  std::string out;
  for (auto const& [rank, count] : workers)
    out += (out.empty() ? "" : ", ") + rank_text(hosts, rank) + (count > 1 ? " x" + std::to_string(count) : "");
  return out;
}

std::string moved_text(moving_program const& of, std::vector<record::stage_move> const& moved) {
  std::string out;
  for (auto const& [station, from, to] : moved)
    out += (out.empty() ? "'" : ", '") +
           (station < of.stations.size() ? of.stations[station] : "station " + std::to_string(station)) + "' from " +
           ranks_text(of.hosts, from) + " to " + ranks_text(of.hosts, to);
  return out;
}

namespace {

/// The move of a decision: stages, or the number of processes or elements, with clusters and ranks.
std::string what_moves(moving_program const& of, record::move_decision const& made) {
  std::string out = moved_text(of, made.stages);
  if (made.parts > 0) out += of.use == "superstep" ? processes_text(made.parts) : counted(made.parts, "element");
  if (!made.taken_in.empty()) out += ", takes in " + joined(made.taken_in);
  if (!made.given_up.empty()) out += ", gives up " + joined(made.given_up);
  if (made.ranks_then != made.ranks)
    out += ", on " + counted(made.ranks_then, "rank") + " instead of " + std::to_string(made.ranks);
  return out;
}

std::string time_text(moving_program const& of, double period) {
  return scaled(period, "s") + " per " + of.use;
}

}  // namespace

std::string decision_text(moving_program const& of, record::move_decision const& made) {
  std::string out = "decision " + std::to_string(made.number) + print(", after %.2f s", made.seconds);
  if (made.after > 0) out += " and " + counted(made.after, of.use);
  auto const& to = made.way();
  auto const what = what_moves(of, made);
  out += ": " + what + (what.empty() ? "" : ", ") + "placement " + to.name + ", " + time_text(of, to.period) +
         (made.could_stay() ? " instead of " + scaled(made.ways.front().period, "s") : ", because " + made.why) +
         "; going there was to cost " + scaled(to.entry, "s");
  if (made.lost > 0) out += ", staying had cost " + scaled(made.lost, "s");
  if (!made.refused.empty()) return out + "; refused: " + made.refused;
  out += made.took > 0 ? "; took " + scaled(made.took, "s") : "; not complete";
  return out + (made.measured > 0 ? "; " + time_text(of, made.measured) + " since" : "");
}

std::string plan_text(moving_program const& of, record::remap_record const& move) {
  std::string const out = print("after %.2f s ", move.announced), moved = moved_text(of, move.moved),
                    told = moved.empty() ? "" : "; " + moved,
                    planned = moved.empty() ? "" : "; it was to move " + moved;
  if (!move.refused.empty()) return out + "another plan was refused: " + move.refused + planned;
  if (!move.rolled_back.empty())
    return out + "the run went on by another plan, and a part of it was rolled back: " + move.rolled_back + planned;
  if (move.repairs) return out + "stages went back to the ranks of their state" + told;
  return out + "the run went on by another plan" +
         (move.in_parts > 0 ? ", after " + counted(move.in_parts, "state") + " had moved part by part in " +
                                  scaled(move.begun - move.announced, "s")
                            : "") +
         (move.done > 0 ? ", which all ranks obeyed " + scaled(move.done - move.announced, "s") + " later" : "") + told;
}

std::string decisions_text(moving_program const& of, record::move_history const& made, std::string const& indent) {
  if (made.all == 0) return "";
  std::string out = indent + (of.use == "superstep" ? "migration: " : "remapping: ") + counted(made.all, "decision") +
                    ", " + std::to_string(made.to_move) + " to move\n";
  std::uint64_t told = 0;
  for (auto const& one : made.kept)
    if (one.moved() && told < most_in_report) ++told, out += indent + "  " + decision_text(of, one) + "\n";
  return made.to_move > told ? out + indent + "  ... " + std::to_string(made.to_move - told) + " more ...\n" : out;
}

std::vector<chart_mark> marks_of(moving_program const& of, record::move_history const& made) {
  std::vector<chart_mark> out;
  for (auto const& one : made.kept)
    if (one.moved())
      out.push_back({of.use == "item" ? one.seconds : static_cast<double>(one.after),
                     one.refused.empty() ? "moved" : "refused", decision_text(of, one)});
  return out;
}

record::story_section decision_section(moving_program const& of, record::move_history const& made, std::string none) {
  record::story_section out{"Decisions to move or to stay", true};
  if (made.all == 0) {
    out.say(std::move(none));
    return out;
  }
  record::story_table rows{{"decision*", "after*", of.use + "s*", "moves", "placement", "time per " + of.use + "*",
                            "measured since*", "cost of going*", "took*", of.use + "s compared*", "lost by staying*",
                            "instead of", "because", "refused!"}};
  for (auto const& one : made.kept) {
    if (one.chosen >= one.ways.size()) continue;
    std::string others;
    for (std::size_t w = 0; w < one.ways.size(); ++w)
      if (w != one.chosen)
        others += (others.empty() ? "" : "; ") + one.ways[w].name + " " + scaled(one.ways[w].period, "s") +
                  (one.ways[w].entry > 0 ? " after " + scaled(one.ways[w].entry, "s") : "");
    rows.add(one.number, print("%.2f s", one.seconds), one.after, one.moved() ? what_moves(of, one) : one.way().name,
             one.moved() ? one.way().name : "", scaled(one.way().period, "s"), scaled(one.measured, "s"),
             scaled(one.way().entry, "s"), scaled(one.took, "s"), print("%.4g", one.uses), scaled(one.lost, "s"),
             others, one.why, one.refused);
  }
  auto const shown = rows.rows.size();
  out.parts.emplace_back(std::move(rows));
  out.say("Time per " + of.use + " and cost of going are those expected of the chosen way. Ways are compared over a " +
          "number of " + of.use + "s" +
          (of.use == "superstep"
               ? ": half of those to come that are expected to be as foreseen. A move pays if it saves more over these "
                 "than it costs."
               : ": over these the better way would have saved as much as staying has lost so far. A move pays if it "
                 "saves more over these than it costs, and if the rest of the run pays for it. With few of them it is "
                 "too early to say."));
  if (shown < made.all)
    out.say("There were " + counted(made.all, "decision") + "; shown are " + std::to_string(shown) + ": of the " +
            std::to_string(made.to_move) + " to move the first and the last, and the last others.");
  return out;
}

std::string went_on_text(std::string const& use, std::uint64_t resumed, std::uint64_t last) {
  return "went on after " + use + " " + std::to_string(resumed) + ", from a checkpoint, up to " + use + " " +
         std::to_string(last);
}

std::string checkpoints_text(std::string const& use, std::optional<std::uint64_t> resumed, std::uint64_t last,
                             record::checkpoint_record const& of, std::string const& without) {
  std::string out;
  if (resumed) out += "  " + went_on_text(use, *resumed, last) + "\n";
  if (of.written > 0)
    out += "  " + counted(of.written, "checkpoint") + ", " + scaled(static_cast<double>(of.bytes), "B") +
           print(" in %.3g s\n", of.seconds);
  if (of.failed > 0) out += "  " + counted(of.failed, "checkpoint") + " could not be written: " + of.problem + "\n";
  if (!without.empty()) out += "  no checkpoints, because " + without + "\n";
  return out;
}

record::story_section checkpoints(std::string const& use, record::checkpoint_record const& of) {
  record::story_section out{.title = "Checkpoints"};
  if (of.written > 0)
    out.say(counted(of.written, "checkpoint") + ", " + scaled(static_cast<double>(of.bytes), "B") + " in " +
            scaled(of.seconds, "s") + "; the last one after " + use + " " + std::to_string(of.item) + ".");
  if (of.failed > 0) out.say(counted(of.failed, "checkpoint") + " could not be written: " + of.problem, "wrong");
  return out;
}

std::string migration_price_text(double fixed, double per_byte) {
  if (!(per_byte > 0)) return scaled(fixed, "s");
  return (fixed > 0 ? scaled(fixed, "s") + " and " : std::string()) + scaled(per_byte, "s/B");
}

}  // namespace skel
