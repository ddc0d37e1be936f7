#include <skel/detail/platform/host_load.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/json_reader.hpp>

namespace skel::platform {
namespace {

using detail::tighten;
using std::filesystem::path;

/// Steps per second of the counters in /proc.
double ticks_per_second() {
  static double const ticks = static_cast<double>(std::max(1L, sysconf(_SC_CLK_TCK)));
  return ticks;
}

/// Numbers of the processing units that this process may run on, as a list of ranges ("0-3,8"); false where the text is
/// none.
bool is_in_list(std::string_view list, std::size_t number) {
  for (std::string_view const range : split(list, ',')) {
    std::string_view rest = range;
    auto const first = take_number<std::size_t>(rest);
    if (!first) continue;
    auto const last = rest.starts_with('-') ? number_in<std::size_t>(rest.substr(1)) : first;
    if (*first <= number && number <= last.value_or(*first)) return true;
  }
  return false;
}

/// The value behind a key in a file of lines "KEY: VALUE"; empty if there is none.
std::string read_value(path const& file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return {};
}

struct own_time {
  double seconds = 0;
  bool gives_way = false;  // has a low priority
};

/// "PID (NAME) S ppid ...": NAME may have blanks and brackets, so what counts begins after the last one.
std::optional<own_time> read_own(path const& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  std::size_t const end = line.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  auto const fields = words_in(std::string_view(line).substr(end + 1));
  constexpr std::size_t first = 3, nice_at = 19;
  if (fields.size() <= nice_at - first) return std::nullopt;
  auto const field = [&](std::size_t number) { return number_in<double>(fields[number - first]); };
  auto const user = field(14), system = field(15), nice = field(nice_at);  // proc(5): utime, stime, nice
  if (!user || !system || !nice || !(*user >= 0) || !(*system >= 0)) return std::nullopt;
  return own_time{(*user + *system) / ticks_per_second(), *nice > 0};
}

/// Seconds that each processing unit has been busy since the system began. `with_nice`: also for threads of low
/// priority.
std::vector<processor_load> read_processors(path const& file, bool with_nice) {
  std::vector<processor_load> all;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && line.starts_with("cpu");) {
    std::string_view rest = std::string_view(line).substr(3);
    auto const number = take_number<std::size_t>(rest);
    if (!number) continue;  // the sum of all
    auto const fields = words_in(rest);
    enum field : std::size_t { user, nice, system, idle, waiting, interrupts, soft, stolen };  // proc(5)
    if (fields.size() <= idle) continue;
    auto const ticks_of = [&](field one) {  // old systems do not have the later ones
      return one < fields.size() ? number_in<double>(fields[one]).value_or(std::nan("")) : 0.0;
    };
    double const ticks = ticks_of(user) + (with_nice ? ticks_of(nice) : 0) + ticks_of(system) + ticks_of(interrupts) +
                         ticks_of(soft) + ticks_of(stolen);
    if (ticks >= 0) all.push_back({*number, ticks / ticks_per_second()});
  }
  std::ranges::sort(all, {}, &processor_load::number);
  auto const same = [](processor_load const& a, processor_load const& b) { return a.number == b.number; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

/// [B] of an entry "KEY: NUMBER kB".
std::map<std::string, double> read_memory(path const& file) {
  std::map<std::string, double> found;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && found.size() < 2;) {
    auto const fields = words_in(line);
    if (fields.size() < 2 || (fields[0] != "MemTotal:" && fields[0] != "MemAvailable:")) continue;
    if (auto const kibi = number_in<double>(fields[1]); kibi && *kibi >= 0)
      found[std::string(fields[0])] = 1024 * *kibi;
  }
  return found;
}

/// The rate at which a counter went on; absent where it went back.
std::optional<double> rate(std::optional<double> before, std::optional<double> now, double seconds) {
  if (!before || !now || *now < *before) return std::nullopt;
  return (*now - *before) / seconds;
}

/// Loads of all; nothing where one was not there before, or its counter went back.
std::vector<processor_load> loads_between(std::vector<processor_load> const& before,
                                          std::vector<processor_load> const& now, double seconds) {
  std::vector<processor_load> loads;
  auto old = before.begin();
  for (processor_load const& one : now) {
    while (old != before.end() && old->number < one.number) ++old;
    if (old == before.end() || old->number != one.number) return {};
    auto const busy = rate(old->busy, one.busy, seconds);
    if (!busy) return {};
    loads.push_back({one.number, std::min(1.0, *busy)});
  }
  return loads;
}

}  // namespace

std::optional<double> busy_with_others(host_reading const& reading) {
  if (reading.processors.empty() || !reading.own) return std::nullopt;
  double busy = 0;
  for (processor_load const& one : reading.processors) busy += one.busy;
  return std::clamp(busy - *reading.own, 0.0, static_cast<double>(reading.cores));
}

std::optional<double> share_of(host_reading const& reading, double threads) {
  SKEL_EXPECTS(threads > 0);
  auto const others = busy_with_others(reading);
  if (!others && !reading.quota) return std::nullopt;
  auto const cores = static_cast<double>(reading.cores);
  double share = 1;
  if (others) share = std::max((cores - *others) / threads, cores / (threads + std::ceil(*others)));
  if (reading.quota) share = std::min(share, *reading.quota / threads);
  return std::min(1.0, share);
}

double share_got(host_reading const& reading, double run, double waited) {
  if (!(run + waited > 0)) return 1;
  double const held = std::min(waited, reading.throttled.value_or(0) * (run + waited));
  auto const others = busy_with_others(reading);
  double const all = others.value_or(0) + reading.own.value_or(0);
  double const part = others && reading.own && all > 0 ? *others / all : 1;
  double const lost = held + part * (waited - held);
  return run + lost > 0 ? run / (run + lost) : 1;
}

host_reading joined(std::vector<host_reading> const& of_host) {
  SKEL_EXPECTS(!of_host.empty());
  host_reading all = of_host.front();
  std::map<std::size_t, std::pair<double, double>> loads;  // sum and count of those that saw it
  std::map<std::optional<std::uint64_t>, double> quotas;   // of groups
  bool all_know = true, all_limited = true;
  all.own = 0;
  for (host_reading const& one : of_host) {
    all.time = std::max(all.time, one.time);
    all.seconds = std::min(all.seconds, one.seconds);
    all.cores = std::max(all.cores, one.cores);
    all_know = all_know && !one.processors.empty();
    for (processor_load const& load : one.processors) {
      auto& [sum, count] = loads[load.number];
      sum += load.busy, count += 1;
    }
    if (all.own && one.own)
      *all.own += *one.own;
    else
      all.own.reset();
    all_limited = all_limited && one.quota;
    if (one.quota) {
      auto const of_group = quotas.emplace(one.quota_group, *one.quota).first;
      of_group->second = std::min(of_group->second, *one.quota);
    }
    if (one.throttled) all.throttled = std::max(all.throttled.value_or(0), *one.throttled);
    tighten(all.memory, one.memory);
    tighten(all.memory_total, one.memory_total);
  }
  all.quota.reset();
  all.quota_group.reset();
  if (all_limited) {
    all.quota = 0;
    for (auto const& [group, quota] : quotas) *all.quota += quota;
  }
  all.processors.clear();
  if (all_know)
    for (auto const& [number, seen] : loads) all.processors.push_back({number, seen.first / seen.second});
  all.cores = std::max(all.cores, all.processors.size());
  return all;
}

std::optional<double> runnable_threads(path const& proc) {
  // proc(5): three means, "runnable/all", the last process.
  std::ifstream stream(proc / "loadavg");
  std::string line;
  std::getline(stream, line);
  auto const fields = words_in(line);
  if (fields.size() < 4) return std::nullopt;
  auto const runnable = number_in<double>(fields[3].substr(0, fields[3].find('/')));
  return runnable && *runnable >= 0 && std::isfinite(*runnable) ? runnable : std::nullopt;
}

host_load::host_load(path proc, path groups) : proc_(std::move(proc)), groups_(std::move(groups)) {}

host_reading host_load::read(double now) {
  host_reading reading;
  reading.time = now;
  group_state const groups = read_group_state(proc_ / "self" / "cgroup", groups_);
  auto const own = read_own(proc_ / "self" / "stat");
  counters here{now, read_processors(proc_ / "stat", own && own->gives_way), {}, groups.throttled};
  if (own) here.own = own->seconds;
  if (auto const usable = read_value(proc_ / "self" / "status", "Cpus_allowed_list:"); !usable.empty())
    std::erase_if(here.processors, [&](auto const& one) { return !is_in_list(usable, one.number); });
  reading.cores = std::max<std::size_t>(1, here.processors.size());

  reading.quota = groups.limits.processors;
  reading.quota_group = groups.limits.group;
  auto const memory = read_memory(proc_ / "meminfo");
  if (auto const found = memory.find("MemTotal:"); found != memory.end()) reading.memory_total = found->second;
  if (auto const found = memory.find("MemAvailable:"); found != memory.end()) reading.memory = found->second;
  tighten(reading.memory, groups.memory_left);
  tighten(reading.memory_total, groups.limits.memory);

  // A counter may be a step off at either end of the time between two readings.
  double const least_seconds = 1 / (sure_enough * ticks_per_second());
  if (last_ && now < last_->time) last_.reset();  // the clock went back
  if (last_ && now - last_->time < least_seconds) return reading;
  if (last_) {
    reading.seconds = now - last_->time;
    reading.processors = loads_between(last_->processors, here.processors, reading.seconds);
    reading.own = rate(last_->own, here.own, reading.seconds);
    reading.throttled = rate(last_->throttled, here.throttled, reading.seconds);
    if (reading.throttled) reading.throttled = std::min(1.0, *reading.throttled);
  }
  last_ = std::move(here);
  return reading;
}

namespace {

using detail::json;
using detail::reader;

constexpr std::pair<char const*, std::optional<double> host_reading::*> optional_figures[] = {
    {"own", &host_reading::own},
    {"quota", &host_reading::quota},
    {"throttled", &host_reading::throttled},
    {"memory", &host_reading::memory},
    {"memory_total", &host_reading::memory_total}};

}  // namespace

std::string to_text(host_reading const& reading) {
  json block = {{"time", reading.time}, {"seconds", reading.seconds}, {"cores", reading.cores}};
  for (auto const& [key, figure] : optional_figures)
    if (reading.*figure) block[key] = *(reading.*figure);
  if (reading.quota_group) block["quota_group"] = *reading.quota_group;
  block["processors"] = json::array();
  for (processor_load const& one : reading.processors) block["processors"].push_back({one.number, one.busy});
  return block.dump();
}

host_reading parse_reading(std::string const& text) {
  std::string const source = "host reading";
  json const document = detail::parse_json(text, source);
  reader const block(document, source);
  block.expect_object("a reading of a host");
  host_reading reading;
  reading.time = block.at("time").number();
  reading.seconds = zero_or_more(block.at("seconds"));
  reading.cores = block.at("cores").count();
  if (reading.cores == 0) block.at("cores").fail("is 0; a host has one core at least");
  for (auto const& [key, figure] : optional_figures)
    if (block.has(key)) reading.*figure = zero_or_more(block.at(key));
  if (block.has("quota_group")) reading.quota_group = block.at("quota_group").count();
  if (reading.quota == 0) block.at("quota").fail("is 0; processor seconds per second are wanted");
  for (reader const& entry : block.at("processors").elements("an array of [number, busy] is wanted")) {
    auto const pair = entry.elements("[number, busy] is wanted");
    if (pair.size() != 2) entry.fail("has not two numbers");
    if (!reading.processors.empty() && pair[0].count() <= reading.processors.back().number)
      pair[0].fail("is not more than the number before it");
    reading.processors.push_back({pair[0].count(), std::min(1.0, zero_or_more(pair[1]))});
  }
  return reading;
}

}  // namespace skel::platform
