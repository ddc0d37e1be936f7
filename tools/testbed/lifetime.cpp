#include "lifetime.hpp"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <thread>

#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

#include "control.hpp"
#include "cpu_groups.hpp"
#include "descriptor.hpp"
#include "emulation.hpp"
#include "net_namespace.hpp"
#include "packet_switch.hpp"

namespace skel::testbed {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Time for processes on the hosts to end by themselves [s]: mpirun needs some tenths to end its ranks.
constexpr double grace = 2;

/// Time for a switch to end by itself [s]: the grace of its hosts, and four times as long for its own removals.
constexpr double switch_grace = 5 * grace;

/// Removes a testbed except its lock, which the caller has. Returns the number of hosts of which anything was left.
std::size_t sweep(names const& called) {
  cpu_groups const groups = cpu_groups::find();
  std::vector<std::string> const limited = groups.named(called.prefix()), spaces = net_namespaces(called.prefix());
  groups.end_processes(limited, grace);
  for (std::string const& one : limited) groups.remove(one);
  for (std::string const& one : spaces) remove_net_namespace(one);
  std::error_code failure;
  fs::remove_all(called.folder(), failure);
  if (failure) throw error(called.folder().string() + ": cannot be removed: " + failure.message());
  return std::max(limited.size(), spaces.size());
}

void write_file(fs::path const& file, std::string const& text, fs::perms allowed) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw error(file.string() + ": cannot be written");
  fs::permissions(file, allowed);
}

std::string in_shell(std::string const& word) {
  std::string quoted = "'";
  for (char const c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void write_files(request const& wanted) {
  fs::create_directories(wanted.called.folder() / "sessions");
  fs::permissions(wanted.called.folder(), fs::perms::owner_all);
  std::string addresses = "127.0.0.1 localhost\n", hostfile;
  for (host const& one : wanted.wires.hosts) {
    addresses += address_text(one.address) + ' ' + one.name + '\n';
    hostfile += one.name + " slots=" + std::to_string(one.cores) + '\n';
  }
  write_file(wanted.called.addresses(), addresses, fs::perms(0644));
  write_file(wanted.called.hostfile(), hostfile, fs::perms(0644));
  write_file(wanted.called.agent(),
             "#!/bin/sh\n# Starts a command on a host of the testbed, as ssh does on a real one: agent HOST COMMAND\n"
             "host=$1\nshift\nexec " +
                 in_shell(wanted.command) + " testbed run --name " + wanted.called.testbed() +
                 " --host \"$host\" -- /bin/sh -c \"$*\"\n",
             fs::perms(0755));
}

std::vector<descriptor> make_hosts(request const& wanted, cpu_groups const& groups) {
  std::vector<descriptor> devices;
  for (host const& one : wanted.wires.hosts) {
    std::string const name = wanted.called.of_host(one.name);
    groups.make(name);
    groups.limit(name, one.share * static_cast<double>(one.cores));
    make_net_namespace(name, [&] {
      devices.push_back(open_device(one.address, prefix_bits, wanted.mtu));
      allow_long_ways();
      give_up_early();
    });
  }
  return devices;
}

/// Signals that end the switch, as a readable file.
descriptor held_signals() {
  sigset_t held;
  sigemptyset(&held);
  for (int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, nullptr);
  descriptor made(signalfd(-1, &held, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!made) fail_by_errno("signals");
  return made;
}

/// Sends all further output of this process to the file.
void speak_to(fs::path const& file) {
  descriptor const nothing(open("/dev/null", O_RDWR | O_CLOEXEC)),
      out(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!nothing || !out) fail_by_errno(file);
  dup2(nothing.get(), STDIN_FILENO);
  dup2(out.get(), STDOUT_FILENO);
  dup2(out.get(), STDERR_FILENO);
}

/// Makes the testbed, says so by ready(), and carries its packets until a signal comes.
template <class Ready>
void be_switch(request const& wanted, Ready ready) {
  descriptor const signals = held_signals();
  sweep(wanted.called);
  write_files(wanted);
  speak_to(wanted.called.log());
  cpu_groups const groups = cpu_groups::find();
  std::vector<descriptor> devices = make_hosts(wanted, groups);
  emulation state(wanted.machine, wanted.wires,
                  [&](std::string const& name, double cores) { groups.limit(wanted.called.of_host(name), cores); });
  packet_switch carrier(state.queue(), std::move(devices));
  control_server control(wanted.called.socket());
  carrier.watch(signals.get());
  carrier.watch(control.descriptor_to_watch());
  bool const urgent = run_at_once();
  ready();
  signalfd_siginfo came{};
  while (read(signals.get(), &came, sizeof came) != sizeof came) {
    carrier.carry();
    control.serve([&](std::string const& line) {
      auto const question = nlohmann::json::parse(line, nullptr, false);
      ordered_json answer = state.answer(question);
      if (!answer.contains("error") && question.at("ask") == "show") {
        lateness const& late = carrier.late();
        answer["mtu"] = wanted.mtu;
        answer["real_time"] = urgent;
        answer["late"] = {
            {"packets", late.packets()}, {"mean", late.mean()}, {"p99", late.quantile(0.99)}, {"most", late.most()}};
      }
      return answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    });
  }
}

/// Keeps only these files open, beside the standard ones.
void close_others(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned from = STDERR_FILENO + 1;
  for (int const one : kept) {
    auto const here = static_cast<unsigned>(one);
    if (here > from) syscall(SYS_close_range, from, here - 1, 0U);
    from = here + 1;
  }
  syscall(SYS_close_range, from, ~0U, 0U);
}

/// The child of bring_up(). Writes "+" and closes the pipe when the testbed can be used; otherwise writes the reason.
[[noreturn]] void live(request const& wanted, descriptor const& lock, descriptor pipe) {
  std::string problem;
  try {
    close_others({lock.get(), pipe.get()});
    setsid();
    sign(lock, getpid());
    be_switch(wanted, [&] {
      [[maybe_unused]] ssize_t const told = write(pipe.get(), "+", 1);
      pipe.close();
    });
  } catch (std::exception const& failure) {
    problem = failure.what();
  }
  try {
    sweep(wanted.called);
  } catch (std::exception const& failure) {
    problem += (problem.empty() ? "" : "; ") + std::string(failure.what());
  }
  if (pipe && !problem.empty()) [[maybe_unused]]
    ssize_t const told = write(pipe.get(), problem.data(), problem.size());
  unlink(wanted.called.lock_file().c_str());
  _exit(problem.empty() ? 0 : 1);
}

std::string read_all(descriptor const& from) {
  std::string text;
  char buffer[1024];
  for (ssize_t got = 0; (got = read(from.get(), buffer, sizeof buffer)) != 0;)
    if (got > 0)
      text.append(buffer, static_cast<std::size_t>(got));
    else if (errno != EINTR)
      break;
  return text;
}

/// The lock of a testbed as soon as its switch has gone, or nothing after so many seconds.
std::optional<descriptor> lock_within(names const& called, double seconds) {
  auto const begin = std::chrono::steady_clock::now();
  while (true) {
    if (auto lock = try_lock(called.lock_file())) return lock;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

void expect_possible() {
  if (geteuid() != 0)
    throw error("testbed: needs root, because it makes network namespaces, TUN devices and control groups; try sudo");
  if (access("/dev/net/tun", R_OK | W_OK) != 0)
    fail_by_errno("/dev/net/tun",
                  "load the module tun (modprobe tun); containers need it passed in (--device /dev/net/tun)");
  cpu_groups::find();
}

pid_t bring_up(request const& wanted) {
  expect_possible();
  fs::create_directories(names::root());
  auto lock = try_lock(wanted.called.lock_file());
  if (!lock)
    throw error("testbed '" + wanted.called.testbed() + "': is up already; end it (skel testbed down --name " +
                wanted.called.testbed() + ") or take another name");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_by_errno("a pipe");
  descriptor const told(ends[0]);
  descriptor telling(ends[1]);
  pid_t const child = fork();
  if (child < 0) fail_by_errno("a process for the switch");
  if (child == 0) live(wanted, *lock, std::move(telling));
  telling.close();
  lock->close();
  std::string const said = read_all(told);
  if (said == "+") return child;
  waitpid(child, nullptr, 0);
  throw error("testbed '" + wanted.called.testbed() + "': " + (said.empty() ? "its switch has ended" : said));
}

removal bring_down(names const& called) {
  expect_possible();
  fs::create_directories(names::root());
  removal done;
  auto lock = try_lock(called.lock_file());
  if (!lock) {
    done.was_up = true;
    for (int const number : {SIGTERM, SIGKILL}) {
      if (auto const owner = owner_of(called.lock_file()); owner && *owner > 0) kill(*owner, number);
      lock = lock_within(called, switch_grace);
      if (lock) break;
    }
    if (!lock) throw error("testbed '" + called.testbed() + "': its switch does not end");
  }
  done.hosts = sweep(called);
  unlink(called.lock_file().c_str());
  return done;
}

std::optional<pid_t> switch_of(names const& called) {
  return owner_of(called.lock_file());
}

std::vector<std::string> testbeds_up() {
  std::vector<std::string> found;
  std::error_code none;
  for (fs::directory_entry const& entry : fs::directory_iterator(names::root(), none))
    if (entry.path().extension() == ".lock" && owner_of(entry.path())) found.push_back(entry.path().stem());
  std::ranges::sort(found);
  return found;
}

ordered_json ask(names const& called, ordered_json const& question) {
  if (!switch_of(called)) {
    auto const up = testbeds_up();
    std::string const hint = did_you_mean(called.testbed(), up);
    throw error("testbed '" + called.testbed() + "': is not up" +
                (!hint.empty() ? hint
                 : up.empty()  ? "; make it: skel testbed up PLATFORM.json --name " + called.testbed()
                               : "; those that are: " + joined(up)));
  }
  auto answer = ordered_json::parse(ask(called.socket(), question.dump()));
  if (!answer.contains("error")) return answer;
  std::string const option = answer["error"]["option"], reason = answer["error"]["reason"];
  if (option.empty()) throw error("testbed '" + called.testbed() + "': " + reason);
  throw input_error(option, "", reason);
}

}  // namespace skel::testbed
