#include "virtual_team.hpp"

#include <cstdint>
#include <exception>
#include <utility>

namespace skel::training {

virtual_team::virtual_team(std::size_t parts, memory_bound memory) : runtime::team(parts), memory_(memory) {
  record::thread_clock_ns();  // so that it is known before anything is timed
}

double virtual_team::seconds() const {
  double sum = 0;
  for (auto const& one : phases_) sum += one.seconds();
  return sum;
}

void virtual_team::run_parts(phase const& what, std::size_t count, part_function part) {
  auto const reading = record::thread_clock_ns(), start = record::thread_ns();
  virtual_phase took{what.name, 0, 0, memory_.seconds(what), std::vector<double>(parts())};
  std::exception_ptr first;
  for (std::size_t number = 0; number < count; ++number) {
    auto const begin = record::thread_ns();
    try {
      part(number);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
    took.parts[number] = static_cast<double>(std::max<std::int64_t>(0, record::thread_ns() - begin - reading)) * 1e-9;
    took.slowest = std::max(took.slowest, took.parts[number]);
  }
  phases_.push_back(std::move(took));
  phases_.back().total = static_cast<double>(record::thread_ns() - start + reading) * 1e-9;
  if (first) std::rethrow_exception(first);
}

}  // namespace skel::training
