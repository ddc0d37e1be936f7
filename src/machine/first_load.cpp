#include <skel/detail/machine/first_load.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/cost/shared_cores.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {
namespace {

/// Period of looks [s]: several in a turn of the scheduler. A look of some microseconds then takes a few thousandths of
/// a core.
constexpr double look_period = 2e-3;

/// The means of so many batches give the standard error.
constexpr std::size_t batches = 8;

/// A figure that is more than so many standard errors from 0 is not 0.
constexpr double beyond_doubt = 2;

struct estimate {
  double mean = 0, error = 0;
};

/// The mean of a series, with its standard error by means of batches.
estimate estimate_mean(std::vector<double> const& series) {
  auto const mean_of = [](auto begin, auto end) {
    return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  };
  estimate out{mean_of(series.begin(), series.end()), 0};
  std::size_t const count = std::min(batches, series.size());
  if (count < 2) return {out.mean, std::sqrt(out.mean)};  // as of a number that is counted once
  double square = 0;
  for (std::size_t b = 0; b < count; ++b) {
    auto const at = [&](std::size_t k) {
      return series.begin() + static_cast<std::ptrdiff_t>(k * series.size() / count);
    };
    square += std::pow(mean_of(at(b), at(b + 1)) - out.mean, 2);
  }
  out.error = std::sqrt(square / static_cast<double>(count * (count - 1)));
  return out;
}

/// Joins two estimates of the same number (inverse variances).
others_load joined(estimate const& a, estimate const& b) {
  double const of_a = b.error * b.error, of_b = a.error * a.error, all = of_a + of_b;
  if (all == 0) return {a.mean, 0, true};
  return {(a.mean * of_a + b.mean * of_b) / all, a.error * b.error / std::sqrt(all), true};
}

}  // namespace

others_load counted_beside(runtime::core_share const& got, bool told, runnable_series const& there, double cores,
                           double of_host) {
  SKEL_EXPECTS(cores > 0 && of_host >= cores);
  if (there.threads.empty()) return {0, 0, false};
  auto const threads = estimate_mean(there.threads);
  double const wanted = there.own / (told ? got.share() : 1);  // own threads that ran or could have
  double const others = std::max(0.0, threads.mean - wanted) * cores / of_host, error = threads.error * cores / of_host;
  return {others <= beyond_doubt * error ? 0 : others, error, true};
}

others_load load_beside(runtime::core_share const& got, bool told, runnable_series const& there, double cores,
                        double of_host, bool limited) {
  auto const counted = counted_beside(got, told, there, cores, of_host);
  bool const shares = told && !limited && got.ran > 0;
  if (!shares) return counted;
  double const share = got.share(), by_share = cost::others_beside(got.threads, share, cores);
  double const error = cores / share * got.doubt;
  if (counted.known) {
    double const k = counted.others, fair = std::min(1.0, cores / (got.threads + k)),
                 wants = there.own / share / got.threads;
    if (k == 0 || fair == 1 || wants <= fair) return counted;
    if (std::abs(by_share - k) <= beyond_doubt * error) return joined({by_share, error}, {k, counted.doubt});
    return {by_share, error, true};
  }
  // Nobody knows of others that run on the cores that are left.
  if (1 - share > beyond_doubt * got.doubt) return {by_share, error, true};
  double const unseen = std::max(0.0, cores - got.threads) / 2;
  return {unseen, std::hypot(unseen, error), true};
}

std::vector<others_load> others_of_domains(rank_cores const& of, std::vector<std::string> const& host_of_rank,
                                           std::vector<std::size_t> const& planned, looked_around const& by) {
  std::vector<others_load> all(planned.size());
  for (std::size_t r = 0; r < by.told_loads.size(); ++r) {
    if (host_of_rank[r] == host_of_rank[0]) continue;
    auto& there = all[of.domain[r]];
    if (auto const others = platform::busy_with_others(platform::parse_reading(by.told_loads[r])))
      there.others = std::max(there.others, *others);
    else
      there.known = false;
  }
  std::size_t const own = of.domain[0];
  auto const here = static_cast<double>(planned[own]);
  double const of_host = std::max(here, by.of_host);
  bool const limited = !of.granted.empty() && std::isfinite(of.granted[0]);
  all[own] = load_beside(by.got, by.told, by.seen, here, of_host, limited);
  for (std::size_t r = 1; r < of.domain.size(); ++r) {
    std::size_t const d = of.domain[r];
    if (d == own || host_of_rank[r] != host_of_rank[0]) continue;
    for (std::size_t const one : {own, d}) {
      auto const counted =
          counted_beside(by.got, by.told, by.seen, std::min(of_host, static_cast<double>(planned[one])), of_host);
      if (counted.others > all[one].others || (one == d && !counted.known)) all[one] = counted;
    }
  }
  return all;
}

bool others_count() {
  char const* const said = std::getenv("SKEL_OTHERS");
  return said == nullptr || std::string_view(said) != "off";
}

double measuring_time(double usual, std::function<std::optional<double>()> const& runnable) {
  static constexpr double beside_others = 0.2;
  for (int k = 0; k < 3; ++k) {
    if (!(runnable().value_or(1) > 1)) return usual;
    std::this_thread::sleep_for(std::chrono::duration<double>(look_period));
  }
  return std::max(usual, std::min(10 * usual, beside_others));
}

load_samples::load_samples(std::filesystem::path proc)
    : proc_(std::move(proc)), begun_(record::now()), ran_(static_cast<double>(record::process_ns()) * 1e-9) {
  try {
    looks_ = start_thread("skel-load", [this](std::stop_token const& over) { look(over); });
  } catch (error const&) {  // too few threads: plans go on by the program's own share of the cores
  }
}

void load_samples::look(std::stop_token const& over) {
  while (!over.stop_requested()) {
    auto const found = platform::runnable_threads(proc_);
    if (!found) return;
    {
      std::lock_guard guard(mutex_);
      seen_.push_back(std::max(0.0, *found - 1));
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(look_period));
  }
}

runnable_series load_samples::take() {
  looks_.request_stop();
  if (looks_.joinable()) looks_.join();
  double const lasted = record::now() - begun_;
  double const ran = static_cast<double>(record::process_ns()) * 1e-9 - ran_;
  return {seen_, lasted > 0 ? ran / lasted : 1};
}

std::string describe(others_load const& load, double cores, std::string const& host) {
  if (!load.known)
    return "the load of " + (host.empty() ? "this host" : "host '" + host + "'") +
           " is not known (the system does not say how long threads wait for cores, nor how many "
           "there are), so that the forecast counts on anything between all cores and the half that as many threads of "
           "others would leave";
  if (load.others <= 0) return {};
  return "other programs use the cores" + (host.empty() ? std::string() : " of host '" + host + "'") +
         print(", as much as %.1f threads that always run", load.others) +
         (load.doubt > 0 ? print(" (give or take %.1f)", load.doubt) : std::string()) + " on " +
         counted(static_cast<std::uint64_t>(std::lround(cores)), "core") + ", which the forecast counts";
}

}  // namespace skel
