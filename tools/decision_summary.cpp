#include "decision_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace skel::tools {
namespace {

struct measured_choice {
  std::uint64_t uses = 0;
  double seconds = 0;

  double mean() const { return seconds / static_cast<double>(uses); }
};

}  // namespace

std::vector<request_summary> summarise(std::vector<platform::past_decision> const& all) {
  std::vector<request_summary> requests;
  std::vector<std::map<std::string, measured_choice>> choices;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  for (auto const& [made, measured, paid] : all) {
    auto const [at, is_new] = numbers.try_emplace({made.problem, made.request}, requests.size());
    if (is_new) {
      requests.emplace_back();
      choices.emplace_back();
    }
    request_summary& one = requests[at->second];
    auto const& chosen = made.candidates.front();
    one.problem = made.problem, one.request = made.request;
    ++one.decisions;
    one.chosen = chosen.name, one.reason = made.reason, one.model = made.model;
    one.predicted = chosen.predicted, one.expected = chosen.expected;
    if (!std::isnan(paid)) {
      one.entry = chosen.entry, one.paid = paid;
      if (paid > 0 && chosen.entry > 0) one.entry_errors.push_back(std::abs(std::log(paid / chosen.entry)));
    }
    if (measured.uses == 0) continue;
    one.uses += measured.uses;
    auto& times = choices[at->second][chosen.name];
    times.uses += measured.uses;
    times.seconds += static_cast<double>(measured.uses) * measured.mean;
    if (measured.mean > 0 && chosen.expected > 0) one.errors.push_back(std::abs(std::log(measured.mean / chosen.expected)));
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    request_summary& one = requests[k];
    one.choices_measured = choices[k].size();
    if (auto const last = choices[k].find(one.chosen); last != choices[k].end()) one.measured = last->second.mean();
    if (choices[k].size() < 2) continue;
    double seconds = 0, least = std::numeric_limits<double>::infinity();
    for (auto const& [name, times] : choices[k]) seconds += times.seconds, least = std::min(least, times.mean());
    if (least > 0) one.regret = seconds / static_cast<double>(one.uses) / least - 1;
  }
  return requests;
}

}  // namespace skel::tools
