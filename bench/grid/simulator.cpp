#include "grid/simulator.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

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
        auto const words = skel::words_in(line);
        std::vector<double> numbers;
        for (std::size_t k = 2; k < words.size(); ++k)
          if (auto const number = skel::number_in<double>(words[k])) numbers.push_back(*number);
        std::size_t const index = words.size() > 1 ? skel::number_in<std::size_t>(words[1]).value_or(wanted) : wanted;
        if (words.size() == 3 && words[0] == "collective" && numbers.size() == 1 && index < found.collectives.size())
          found.collectives[index] = numbers[0];
        else if (words.size() == 6 && words[0] == "message" && numbers.size() == 4 && index < found.messages.size())
          found.messages[index] = {
              .transfer = numbers[0], .gap = numbers[1], .together = numbers[2], .seconds = numbers[3]};
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
