#include <sys/wait.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/runtime/checkpoint_store.hpp>

#include "job.hpp"
#include "mpirun_command.hpp"
#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct run_options {
  std::vector<std::string> command;
  std::size_t restarts = 3;
  bool json = false;
};

/// The first pause before a program that has died starts again [s]; starting ranks takes about as long. Each further
/// pause is twice as long, until the program comes forward.
constexpr double first_pause = 0.25;
/// The longest pause [s]: starting takes a hundredth of the time then.
constexpr double longest_pause = 100 * first_pause;
/// This many deaths of one host in a row are no coincidence.
constexpr std::size_t hopeless = 2;
/// This many lives in a row without a new checkpoint are hopeless. Two may have died of the checkpoint that they read.
/// The third puts it aside to use the one before (runtime::checkpoint_store).
constexpr std::size_t most_in_vain = 3;

/// True for signals that a process gets for its own faults, or is killed by. A shell in between makes 128 + N of them.
bool is_deadly(int signal) {
  for (int const one : {SIGKILL, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGSYS, SIGXCPU, SIGXFSZ, SIGTRAP})
    if (signal == one) return true;
  return false;
}

std::string signal_words(int signal) {
  char const* const words = ::sigdescr_np(signal);
  return fmt::format("signal {} ({})", signal, words == nullptr ? "unknown" : words);
}

bool was_told(ending const& what, int signal) {
  return std::ranges::count(what.told, signal) > 0;
}

/// True if a signal that was passed on has ended it: directly, or by the status of a shell or of mpirun.
bool was_ended(ending const& what) {
  return WIFSIGNALED(what.status) || was_told(what, WEXITSTATUS(what.status) - 128);
}

/// The death of a job; nothing if it has ended by itself. Then its exit status is its own, also after an error.
std::optional<death> death_of(ending const& what) {
  bool const signalled = WIFSIGNALED(what.status);
  if (what.asked_for || (!signalled && WEXITSTATUS(what.status) == 0)) return std::nullopt;
  if (signalled && was_told(what, WTERMSIG(what.status))) return std::nullopt;
  if (says_that_it_could_not_start(what.said)) return std::nullopt;  // with a status that looks like a signal's
  if (auto said = death_in(what.said)) {                             // mpirun, too, may die when a rank has died
    if (was_told(what, said->signal)) return std::nullopt;
    return said;
  }
  if (signalled) return death{{}, {}, WTERMSIG(what.status)};
  int const signal = WEXITSTATUS(what.status) - 128;
  if (is_deadly(signal) && !was_told(what, signal)) return death{{}, {}, signal};
  return std::nullopt;
}

std::string words_of(death const& what) {
  if (what.signal == 0) return "host " + what.host + " was lost";
  std::string const who = what.rank ? fmt::format("rank {}", *what.rank) : "the program";
  return who + (what.host.empty() ? "" : " on host " + what.host) + " died by " + signal_words(what.signal);
}

/// The status that a shell gives for it.
int status_of(ending const& what) {
  constexpr int by_signal = 128;
  return WIFSIGNALED(what.status) ? by_signal + WTERMSIG(what.status) : WEXITSTATUS(what.status);
}

/// Progress of the checkpoints, if the command names their folder. A program of several runs repeats ended runs. So any
/// run with a newer checkpoint, or with its first one, has come forward.
class progress {
 public:
  explicit progress(mpirun_command const& of) : folder_(of.value_of("--skel-checkpoint")) {
    if (folder_) last_ = runtime::newest_checkpoints(*folder_);
  }
  bool is_known() const { return folder_.has_value(); }
  /// True if there is a newer one than at the last call.
  bool came_forward() {
    if (!folder_) return false;
    auto const before = std::exchange(last_, runtime::newest_checkpoints(*folder_));
    return std::ranges::any_of(last_, [&](auto const& one) {
      auto const had = before.find(one.first);
      return had == before.end() || one.second > had->second;
    });
  }

 private:
  std::optional<std::string> folder_;
  std::map<std::uint64_t, std::uint64_t> last_;  // number by run
};

/// Between mpirun and its daemons on other hosts nothing is said while a job runs. A host that vanishes without closing
/// its connections would be missed only after 8 minutes. Here their systems ask each other [s], as often as Open MPI
/// can say. The system of a host answers whether its processes run or are stopped. A host is lost after so many
/// questions in a row without an answer. If one in a hundred packets is lost, question or answer is with q = 0.02. Then
/// q^4 a second takes a living host for lost once in 72 days; q^3 would once in 35 hours.
constexpr char const *asked_after = "1", *asked_every = "1", *answers_missing = "4";

/// Lets ranks die at once when mpirun ends the others, instead of a second after a request: a job that starts again has
/// no use for that second. Lets mpirun notice a host that vanishes. Keeps settings of the user.
void ask_for_quick_ends() {
  auto const ask = [](char const* what, char const* value) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no other thread that could read the environment
    ::setenv(what, value, 0);
  };
  ask("OMPI_MCA_odls_base_sigkill_timeout", "0");
  ask("OMPI_MCA_oob_tcp_keepalive_time", asked_after);
  ask("OMPI_MCA_oob_tcp_keepalive_intvl", asked_every);
  ask("OMPI_MCA_oob_tcp_keepalive_probes", answers_missing);
}

void clean_up(ending const& after, bool gently) {
  auto const processes = [](std::size_t count) {
    return fmt::format("{} {}", count, count > 1 ? "processes" : "process");
  };
  auto const [ended, left, others] = end_orphans(gently);
  if (ended > 0) complain("run: ended " + processes(ended) + " that it had left behind");
  if (left > 0)
    complain("run: " + processes(left) + " that it had left behind cannot be ended now" +
             (gently     ? ""
              : left > 1 ? "; going on beside them"
                         : "; going on beside it"));
  auto mpiruns = others;
  mpiruns.push_back(after.process);
  for (pid_t const one : mpiruns)
    for (auto const& gone : remove_leftovers(one)) complain("run: removed " + gone);
}

/// Runs it once. Ends its remains if it was ended or died. Returns its death, or nothing.
std::optional<death> live_once(mpirun_command const& command, held_signals const& signals, ending& last) {
  last = run_job(command.words(), command.starts_mpirun(), signals);
  auto how = death_of(last);
  if (how || last.asked_for || was_ended(last)) clean_up(last, !how);
  return how;
}

int run(run_options const& options, std::ostream& out) {
  mpirun_command command(options.command);
  if (command.starts_mpirun()) ask_for_quick_ends();
  if (auto const word = command.hidden_mpirun())
    complain("run: mpirun is no word of its own in " + in_quotes(*word) +
             ", which a shell would read: skel run will not know the rank and the host of a death");
  progress forward(command);
  ordered_json deaths = ordered_json::array();
  std::string last_host;
  std::size_t starts = 0, of_host = 0, without_progress = 0;
  std::string gave_up;
  ending last;
  held_signals const signals;  // held in pauses, too, and while processes are left
  for (double pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    auto const how = live_once(command, signals, last);
    ++starts;
    if (!how) break;
    std::string const what = words_of(*how);
    deaths.push_back({{"what", what},
                      {"rank", how->rank ? ordered_json(*how->rank) : ordered_json()},
                      {"host", how->host},
                      {"signal", how->signal}});
    bool const came_forward = forward.came_forward();
    without_progress = came_forward ? 0 : without_progress + 1;
    if (came_forward) pause = first_pause;
    of_host = !how->host.empty() && how->host == last_host ? of_host + 1 : 1;
    last_host = how->host;
    if (starts > options.restarts) {
      gave_up = options.restarts == 0 ? "" : fmt::format("after {}", counted(options.restarts, "restart"));
      complain("run: " + what + (gave_up.empty() ? "" : "; giving up " + gave_up));
      break;
    }
    bool const lost = how->signal == 0;  // starting there would wait for it
    if ((lost || of_host >= hopeless) && !how->host.empty()) {
      if (auto fewer = command.without(how->host)) {
        complain(fmt::format(
            "run: {}{}: going on without this host{}", what,
            lost ? "" : fmt::format(", for the {}. time in a row", of_host),
            fewer->ranks() != command.ranks() ? ", on " + counted(*fewer->ranks(), "rank") : std::string()));
        command = *std::move(fewer);
        without_progress = of_host = 0;
      }
    }
    if (forward.is_known() && without_progress >= most_in_vain) {
      gave_up = fmt::format("since {} starts in a row have made no checkpoint", without_progress);
      complain(fmt::format("run: {}; giving up, {}", what, gave_up));
      break;
    }
    complain(fmt::format("run: {}; starting again in {} s ({} of {})", what, pause, starts, options.restarts));
    if (auto const signal = pause_for(pause, signals)) {
      gave_up = "asked to end by " + signal_words(*signal);
      complain("run: " + gave_up + ", and not starting again");
      break;
    }
  }
  int const status = status_of(last);
  if (options.json)
    out << line_of({{"status", status},
                    {"starts", starts},
                    {"gave_up", gave_up},
                    {"deaths", deaths},
                    {"command", command.words()}});
  return status;
}

/// One a minute for two years.
constexpr std::size_t most_restarts = 1'000'000;

constexpr char const* run_footer =
    R"(The command starts a program and starts it again when it has died. A program has died if a signal ended it, one
of its ranks or mpirun, or if mpirun lost a host. These endings are no deaths:
  - The program ended by itself, with any status, or MPI_Abort ended it.
  - skel run got SIGINT, SIGTERM, SIGHUP or SIGQUIT before. It passes signals on.
  - Another signal that skel run had passed on ended it (SIGUSR1, SIGXCPU).
The exit status is then that of the command. After a death without a restart it is 128 + the signal of the death, also
if skel run was asked to end before the restart. skel run also ends processes that such a command left on this host.

If the command has --skel-checkpoint FOLDER (or --skel-checkpoint=FOLDER) and the folder is on this host, skel run gives
up after three starts in a row without a new checkpoint, whatever is left of --restarts. A checkpoint of any stream of
the program counts.

If --host or a hostfile names other hosts, skel run drops a host that dies twice in a row, and a lost host at once. It
starts fewer ranks if fewer slots remain.

--json gives, after the output of the program, {"status", "starts", "gave_up": the reason, or "", "deaths": [{"what",
"rank": or null, "host", "signal"}], "command": the last one}.

Examples:
  skel run -- mpirun -np 4 program input --skel-checkpoint checkpoints
  skel run --restarts 100 -- mpirun --hostfile hosts -np 16 program --skel-checkpoint checkpoints
  skel run -- program --skel-checkpoint checkpoints)";

action add_run(CLI::App& app) {
  auto const options = std::make_shared<run_options>();
  app.add_option("COMMAND", options->command,
                 "mpirun with its options and the program, or a program; -- may stand before it")
      ->required();
  app.add_option("--restarts", options->restarts, "Starts the program again at most this often after it has died.")
      ->check(CLI::Range(std::size_t{0}, most_restarts))
      ->capture_default_str();
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(run_footer);
  return [options](std::ostream& out) { return run(*options, out); };
}
a_verb const added_run({"run", "Starts a program again when it has died.", add_run});

}  // namespace
}  // namespace skel::tools
