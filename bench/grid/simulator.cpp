#include "grid/simulator.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace bench {

simulator::simulator(skel::platform::description const& machine, simulator_settings settings)
    : machine_(machine), settings_(std::move(settings)) {}

measured_times simulator::run(work_list const& work, std::string_view selector) {
  machine_.write("work.json", to_json(work));
  measured_times found;
  found.collectives.resize(work.collectives.size());
  found.messages.resize(work.messages.size());
  std::size_t const wanted = work.collectives.size() + work.messages.size();
  std::size_t done = 0;
  bool ended = false;
  std::string problem;
  auto const end = machine_.run(
      SKEL_SIMULATED, "work.json",
      {fmt::format("smpi/coll-selector:{}", selector), "contexts/stack-size:256"},  // KiB for each rank
      settings_.time_limit, [&](std::string const& line) {
        std::size_t index = 0;
        double first = 0, second = 0, third = 0, fourth = 0;
        if (std::sscanf(line.c_str(), "collective %zu %lf", &index, &first) == 2 && index < found.collectives.size())
          found.collectives[index] = first;
        else if (std::sscanf(line.c_str(), "message %zu %lf %lf %lf %lf", &index, &first, &second, &third, &fourth) ==
                     5 &&
                 index < found.messages.size())
          found.messages[index] = {.transfer = first, .gap = second, .together = third, .seconds = fourth};
        else if (line == "end")
          ended = true;
        else {
          problem += line + '\n';
          return;
        }
        if (!ended && settings_.on_progress) settings_.on_progress(++done, wanted);
        if (!ended && !settings_.on_progress) ++done;
      });
  if (!end.in_time)
    throw skel::error(fmt::format("the simulation made {} of {} measurements in {:g} s; give it more time or less work",
                                  done, wanted, settings_.time_limit.count()));
  if (!end.succeeded || !ended || done != wanted)
    throw simulation_failed("the simulation failed: " + problem + end.said);
  return found;
}

}  // namespace bench
