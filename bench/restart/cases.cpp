#include "restart/cases.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "restart/program.hpp"
#include "restart/victim.hpp"
#include "support/dice.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr double long_enough = 60;  // [s], for a program of a second on a machine with other work
constexpr std::size_t few = 3;      // ranks

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Takes a second or two.
restart_program usual(bool is_bsp = false) {
  restart_program out;
  out.is_bsp = is_bsp;
  out.items = 400'000;
  out.turns = 3000;
  return out;
}

std::size_t times(std::string const& text, std::string const& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

constexpr char const* resumed = "skel: goes on a";  // at item, after superstep

std::string with_words(std::string const& what, victim const& of) {
  return what + "; it said:\n" + of.said();
}

/// Ends as it should.
std::string ends_well(victim& of) {
  auto const status = of.wait(long_enough);
  if (!status) return with_words("it has not ended", of);
  if (*status != 0) return with_words("it ended with status " + std::to_string(*status), of);
  if (auto const difference = of.difference(); !difference.empty())
    return with_words("its file is wrong: " + difference, of);
  if (!of.newest().empty()) return with_words("it left a checkpoint", of);
  if (!of.ranks().empty()) return with_words("it left processes", of);
  return {};
}

/// A program that has two checkpoints and is killed, without being started again.
std::string kill_after_two(victim& of, std::size_t ranks = few) {
  of.start({.ranks = ranks, .restarts = 0});
  if (!of.wait_for_checkpoint() || !of.wait_for_checkpoint()) return with_words("it made no two checkpoints", of);
  auto const all = of.ranks();
  if (all.empty()) return with_words("it runs no more", of);
  ::kill(all.front(), SIGKILL);
  if (!of.wait(long_enough)) return with_words("it does not end", of);
  return of.newest().empty() ? with_words("it left no checkpoint", of) : "";
}

std::string before_the_first(fs::path const& folder, std::uint64_t) {
  auto what = usual();
  what.die_at = what.items / 2;
  what.die_once = "died";
  victim one(folder, what);
  one.start({.ranks = few, .period = 1000});
  auto wrong = ends_well(one);
  return wrong.empty() && one.said().find(resumed) != std::string::npos ? with_words("it was resumed", one) : wrong;
}

std::string while_restarting(fs::path const& folder, std::uint64_t seed) {
  dice roll(seed);
  victim one(folder, usual());
  if (auto wrong = kill_after_two(one); !wrong.empty()) return wrong;
  for (int again = 0; again < 5; ++again) {
    std::size_t const lives = times(one.said(), resumed);
    one.start({.ranks = few, .restarts = 0});
    for (int looks = 0; looks < 2000 && times(one.said(), resumed) == lives; ++looks) sleep(2e-3);
    sleep(static_cast<double>(roll.below(1000)) * 2e-5);
    for (pid_t const rank : one.ranks()) ::kill(rank, SIGKILL);
    if (!one.wait(long_enough)) return with_words("it does not end", one);
  }
  one.start({.ranks = few});
  return ends_well(one);
}

std::string twice_in_a_row(fs::path const& folder, std::uint64_t) {
  victim one(folder, usual());
  for (int again = 0; again < 2; ++again)
    if (auto wrong = kill_after_two(one); !wrong.empty()) return wrong;
  one.start({.ranks = few});
  auto wrong = ends_well(one);
  return wrong.empty() && times(one.said(), resumed) != 2 ? with_words("it was not resumed twice", one) : wrong;
}

std::string newest_missing(fs::path const& folder, std::uint64_t) {
  victim one(folder, usual());
  if (auto wrong = kill_after_two(one); !wrong.empty()) return wrong;
  fs::remove(one.newest());
  one.start({.ranks = few});
  auto wrong = ends_well(one);
  return wrong.empty() && times(one.said(), resumed) != 1 ? with_words("it was not resumed", one) : wrong;
}

std::string output_missing(fs::path const& folder, std::uint64_t) {
  victim one(folder, usual());
  if (auto wrong = kill_after_two(one); !wrong.empty()) return wrong;
  fs::remove(one.out());
  one.start({.ranks = few});
  auto const status = one.wait(long_enough);
  if (!status || *status != 1) return with_words("it did not end with an error", one);
  return one.said().find("bytes, and the checkpoint was made when it had") == std::string::npos
             ? with_words("it does not say what is missing", one)
             : "";
}

std::string damaged(fs::path const& folder, std::uint64_t seed, bool both, bool is_bsp) {
  dice roll(seed);
  victim one(folder, usual(is_bsp));
  if (auto wrong = kill_after_two(one); !wrong.empty()) return wrong;
  for (auto const& entry : fs::directory_iterator(one.checkpoints())) {
    if (entry.path().extension() != ".checkpoint" || (!both && entry.path() != one.newest())) continue;
    auto const bytes = fs::file_size(entry.path());
    if (roll.one_in(2)) {
      fs::resize_file(entry.path(), roll.below(bytes));
    } else {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      auto const at = static_cast<std::streamoff>(roll.below(bytes));
      file.seekg(at);
      int const old = file.get();
      file.seekp(at);
      file.put(static_cast<char>(old ^ static_cast<int>(1U << roll.below(8))));
    }
  }
  one.start({.ranks = few});
  auto wrong = ends_well(one);
  if (!wrong.empty()) return wrong;
  if (one.said().find("is damaged") == std::string::npos) return with_words("it does not say that one is damaged", one);
  return times(one.said(), resumed) == (both ? 0U : 1U) ? "" : with_words("it began elsewhere", one);
}

std::string one_damaged(fs::path const& folder, std::uint64_t seed) {
  return damaged(folder, seed, false, false);
}
std::string both_damaged(fs::path const& folder, std::uint64_t seed) {
  return damaged(folder, seed, true, false);
}
std::string bsp_damaged(fs::path const& folder, std::uint64_t seed) {
  return damaged(folder, seed, dice(seed).one_in(2), true);
}

std::string other_ranks(fs::path const& folder, bool is_bsp) {
  victim one(folder, usual(is_bsp));
  for (std::size_t const ranks : {4U, 1U, 7U})
    if (auto wrong = kill_after_two(one, ranks); !wrong.empty()) return wrong;
  one.start({.ranks = 2});
  return ends_well(one);
}
std::string of_line_on_other_ranks(fs::path const& folder, std::uint64_t) {
  return other_ranks(folder, false);
}
std::string of_bsp_on_other_ranks(fs::path const& folder, std::uint64_t) {
  return other_ranks(folder, true);
}

std::string disk_full(fs::path const& folder, std::uint64_t) {
  for (bool const is_bsp : {false, true}) {
    auto what = usual(is_bsp);
    what.state = std::size_t{16} << 20U;  // the file that the sink writes has 10 MB
    victim one(folder, what);
    one.start({.ranks = few, .shell = "ulimit -f 28000;"});  // blocks of 512 bytes
    if (auto wrong = ends_well(one); !wrong.empty()) return wrong;
    if (times(one.said(), "a checkpoint could not be written") != 1) return with_words("it did not say it once", one);
  }
  return {};
}

std::string stopped(fs::path const& folder, double seconds) {
  victim one(folder, usual());
  one.start({.ranks = few});
  if (!one.wait_for_checkpoint()) return with_words("it made no checkpoint", one);
  auto const all = one.ranks();
  if (all.empty()) return with_words("it runs no more", one);
  ::kill(all.back(), SIGSTOP);
  sleep(seconds);
  ::kill(all.back(), SIGCONT);
  auto wrong = ends_well(one);
  return wrong.empty() && one.said().find("died") != std::string::npos ? with_words("it was taken for dead", one)
                                                                       : wrong;
}

std::string stopped_shortly(fs::path const& folder, std::uint64_t) {
  return stopped(folder, 0.5);
}
std::string stopped_long(fs::path const& folder, std::uint64_t) {
  return stopped(folder, 3);
}

std::string clock_back(fs::path const& folder, std::uint64_t) {
  victim one(folder, usual());
  if (auto wrong = kill_after_two(one); !wrong.empty()) return wrong;
  auto const newest = one.newest();
  fs::last_write_time(newest, fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  one.start({.ranks = few});
  auto wrong = ends_well(one);
  if (!wrong.empty()) return wrong;
  return one.said().find("(" + newest.string() + ")") == std::string::npos ? with_words("it took another one", one)
                                                                           : "";
}

std::string mpirun_killed(fs::path const& folder, std::uint64_t) {
  victim one(folder, usual());
  one.start({.ranks = few});
  if (!one.wait_for_checkpoint()) return with_words("it made no checkpoint", one);
  auto const mpirun = one.mpirun();
  if (!mpirun) return with_words("there is no mpirun", one);
  ::kill(*mpirun, SIGKILL);
  auto wrong = ends_well(one);
  return wrong.empty() && times(one.said(), resumed) != 1 ? with_words("it was not resumed", one) : wrong;
}

/// Its status, or -1 where it does not end.
int kill_until_it_ends(victim& one, std::size_t kills, kill_count& count, dice& roll) {
  while (count.kills < kills) {
    if (auto const status = one.wait(static_cast<double>(roll.below(1500)) * 1e-3)) return *status;
    if (auto const mpirun = roll.one_in(12) ? one.mpirun() : std::nullopt) {
      ::kill(*mpirun, SIGKILL);
      ++count.kills, ++count.of_mpirun;
    } else if (auto const alive = one.ranks(); !alive.empty()) {
      ::kill(roll.one_of(alive), SIGKILL);
      ++count.kills;
    }
  }
  return one.wait(long_enough).value_or(-1);
}

}  // namespace

std::vector<restart_case> const& restart_cases() {
  static std::vector<restart_case> const all{
      {"before-the-first", "killed before the first checkpoint: it begins anew", before_the_first},
      {"while-restarting", "killed five times while it reads its checkpoint, or soon after", while_restarting},
      {"twice-in-a-row", "killed, started again, killed", twice_in_a_row},
      {"newest-missing", "the newest checkpoint is missing: the one before is used", newest_missing},
      {"output-missing", "the file that it writes is missing: an error says so", output_missing},
      {"one-damaged", "the newest checkpoint is cut, or has another bit: the one before is used", one_damaged},
      {"both-damaged", "both are: it begins anew", both_damaged},
      {"other-ranks", "on 4 ranks, 1, 7, and 2", of_line_on_other_ranks},
      {"bsp-other-ranks", "a BSP program whose processes move, on 4 ranks, 1, 7, and 2", of_bsp_on_other_ranks},
      {"bsp-damaged", "its newest checkpoint is cut or has another bit, or both are", bsp_damaged},
      {"disk-full", "checkpoints cannot be written: the run goes on, and says so once", disk_full},
      {"stopped-shortly", "a rank is stopped for 0.5 s: nobody takes it for dead", stopped_shortly},
      {"stopped-long", "a rank is stopped for 3 s: the run goes on when it does", stopped_long},
      {"clock-back", "the newest checkpoint is a year older than the one before", clock_back},
      {"mpirun-killed", "mpirun itself is killed: its ranks are ended, and the program goes on", mpirun_killed},
  };
  return all;
}

kill_count kill_at_random(fs::path const& folder, std::size_t kills, std::uint64_t seed) {
  static constexpr std::size_t all_ranks[] = {1, 2, 4, 7};
  dice roll(seed);
  kill_count out;
  while (out.kills < kills) {
    auto what = usual(roll.one_in(2));
    what.items = 20'000 + roll.below(600'000);
    what.state = roll.one_in(3) ? roll.below(1U << 20U) : 0;
    victim one(folder / std::to_string(out.programs++), what);
    std::string wrong = "it was not given to its end";
    for (int starts = 0; starts < 60; ++starts) {
      std::size_t const ranks = all_ranks[roll.below(std::size(all_ranks))];
      one.start({.ranks = ranks, .alone = ranks == 1 && roll.one_in(2), .restarts = 1000});
      ++out.starts;
      int const status = kill_until_it_ends(one, kills, out, roll);
      if (status > 128 && one.said().ends_with("have made no checkpoint\n")) continue;
      wrong = status == 0 ? one.difference() : "it ended with " + std::to_string(status);
      break;
    }
    out.resumed += times(one.said(), resumed);
    if (!wrong.empty()) out.wrong.push_back(with_words(wrong, one));
  }
  return out;
}

}  // namespace bench
