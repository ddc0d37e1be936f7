#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

// What skel run makes of the ends of its command, with scripts in the place of programs. Real ranks: bench_restart.
namespace skel::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Run : public FolderTest {
 protected:
  /// A shell script that can be run.
  std::string script(std::string const& name, std::string const& lines) const {
    auto const made = file(name, "#!/bin/sh\ncd " + folder_.string() + "\n" + lines);
    std::filesystem::permissions(made, std::filesystem::perms::owner_all);
    return made;
  }
  std::string text_in(std::string const& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Starts are counted by a line of file "starts" each.
  static constexpr char const* count = "echo start $* >> starts\nstarts=$(wc -l < starts)\n";
};

/// What mpirun says before it ends with 128 + signal.
std::string died(std::string const& host) {
  return "echo 'mpirun noticed that process rank 1 with PID 7 on node " + host +
         " exited on signal 9 (Killed).' >&2\nexit 137\n";
}

TEST_F(Run, GivesTheStatusAndTheOutputOfItsCommand) {
  auto const one = skel({"run", "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(one.status, 7);
  EXPECT_EQ(one.out, "out\n");
  EXPECT_EQ(one.err, "err\n");
  EXPECT_EQ(skel({"run", "true"}).status, 0);
}

TEST_F(Run, TakesWhatFollowsTheFirstWordOfItsCommandForTheCommands) {
  auto const program = script("program", "echo $*\n");
  EXPECT_EQ(skel({"run", program, "-np", "4", "--json", "--", "x"}).out, "-np 4 --json -- x\n");
  EXPECT_EQ(skel({"run", "--restarts", "2", program, "--skel-live"}).out, "--skel-live\n");
  EXPECT_EQ(skel({"run", "--restarts=2", program, "run"}).out, "run\n");
}

TEST_F(Run, NamesAnOptionThatIsNoneWhateverFollows) {
  for (std::vector<std::string> const& words : {std::vector<std::string>{"run", "--restart", "3", "--", "true"},
                                                {"run", "--restart", "3", "mpirun", "-np", "1", "true"}})
    EXPECT_THAT(skel(words).err,
                ::testing::StartsWith("skel: --restart: is no option of 'skel run'; did you mean '--restarts'?"));
}

TEST_F(Run, DoesNotStartAgainWhatEndsByItself) {
  auto const program = script("program", std::string(count) + "exit 1\n");
  EXPECT_EQ(skel({"run", "--", program}).status, 1);
  EXPECT_EQ(text_in("starts"), "start\n");
}

TEST_F(Run, StartsAgainWhatASignalEnded) {
  auto const program = script("program", std::string(count) + "[ $starts -ge 3 ] || kill -SEGV $$\necho done\n");
  auto const one = skel({"run", "--json", "--", program});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(text_in("starts"), "start\nstart\nstart\n");
  EXPECT_THAT(one.err,
              HasSubstr("the program died by signal 11 (Segmentation fault); starting again in 0.25 s (1 of 3)"));
  EXPECT_THAT(one.err, HasSubstr("starting again in 0.5 s (2 of 3)"));
  EXPECT_THAT(one.out, ::testing::StartsWith("done\n{"));
  EXPECT_THAT(one.out, HasSubstr("\"starts\":3"));
}

TEST_F(Run, GivesUpAfterItsRestarts) {
  auto const program = script("program", std::string(count) + "kill -9 $$\n");
  auto const one = skel({"run", "--restarts", "1", "--", program});
  EXPECT_EQ(one.status, 128 + SIGKILL);
  EXPECT_EQ(text_in("starts"), "start\nstart\n");
  EXPECT_THAT(one.err, HasSubstr("giving up after 1 restart"));
  EXPECT_EQ(skel({"run", "--restarts", "0", "--", program}).status, 128 + SIGKILL);
}

TEST_F(Run, GivesUpWhereNoCheckpointComes) {
  auto const program = script("program", std::string(count) + "kill -9 $$\n");
  auto const one = skel({"run", "--restarts", "9", "--", program, "--skel-checkpoint", (folder_ / "none").string()});
  EXPECT_EQ(one.status, 128 + SIGKILL);
  EXPECT_THAT(one.err, HasSubstr("giving up, since 3 starts in a row have made no checkpoint"));
  auto const comes_forward = script("forward", std::string(count) +
                                                   "[ $starts -ge 7 ] && exit 0\nmkdir -p kept\n"
                                                   "touch kept/run-1.$starts.checkpoint\nkill -9 $$\n");
  auto const other =
      skel({"run", "--restarts", "9", "--", comes_forward, "--skel-checkpoint=" + (folder_ / "kept").string()});
  EXPECT_EQ(other.status, 0);
  EXPECT_THAT(other.err, Not(HasSubstr("in 0.5 s")));
}

TEST_F(Run, ComesForwardByCheckpointsOfARunThatIsRepeated) {
  auto const program =
      script("program", std::string(count) +
                            "[ $starts -ge 5 ] && exit 0\nmkdir -p kept\ntouch kept/run-2.9.checkpoint\n"
                            "touch kept/run-1.$starts.checkpoint\nkill -9 $$\n");
  auto const one = skel({"run", "--restarts", "9", "--", program, "--skel-checkpoint", (folder_ / "kept").string()});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(text_in("starts"), [&] {
    std::string all;
    for (int i = 0; i < 5; ++i) all += "start --skel-checkpoint " + (folder_ / "kept").string() + "\n";
    return all;
  }());
  // Nothing new of any run.
  auto const stands = script("stands", std::string(count) + "kill -9 $$\n");
  auto const other = skel({"run", "--restarts", "9", "--", stands, "--skel-checkpoint", (folder_ / "kept").string()});
  EXPECT_EQ(other.status, 128 + SIGKILL);
  EXPECT_THAT(other.err, HasSubstr("giving up, since 3 starts in a row have made no checkpoint"));
}

TEST_F(Run, StartsOftenEnoughForACheckpointOfWhichReadersDieToBePutAside) {
  auto const program = script("program", std::string(count) +
                                             "mkdir -p kept\n[ $starts -ge 4 ] && exit 0\n"
                                             "[ $starts -eq 1 ] && touch kept/run-1.5.checkpoint\nkill -9 $$\n");
  auto const folder = (folder_ / "kept").string();
  EXPECT_EQ(skel({"run", "--restarts", "9", "--", program, "--skel-checkpoint", folder}).status, 0);
}

TEST_F(Run, DoesNotStartAgainWhatCannotBeStarted) {
  auto const mpirun =
      script("mpirun", std::string(count) +
                           "echo 'mpirun was unable to launch the specified application as it could not access' >&2\n"
                           "exit 132\n");
  EXPECT_EQ(skel({"run", "--", mpirun, "-np", "2", "none"}).status, 132);
  EXPECT_EQ(text_in("starts"), "start -np 2 none\n");
}

TEST_F(Run, SaysWhichRankDiedOnWhichHost) {
  auto const mpirun = script("mpirun", std::string(count) + "[ $starts -ge 2 ] && exit 0\n" + died("n3"));
  auto const one = skel({"run", "--", mpirun, "-np", "4", "program"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("noticed that process rank 1"));
  EXPECT_THAT(one.err, HasSubstr("skel: run: rank 1 on host n3 died by signal 9 (Killed); starting again"));
}

TEST_F(Run, LeavesOutAHostThatDiesTwice) {
  auto const mpirun = script("mpirun", std::string(count) + "case $* in *n2*) ;; *) exit 0;; esac\n" + died("n2"));
  auto const one = skel({"run", "--", mpirun, "--host", "n1:2,n2:2", "-np", "4", "program"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("for the 2. time in a row: going on without this host, on 2 ranks"));
  EXPECT_THAT(text_in("starts"), ::testing::EndsWith("start --host n1:2 -np 2 program\n"));
}

TEST_F(Run, LeavesOutAHostOfAnMpirunThatAnotherCommandStarts) {
  auto const mpirun = script("mpirun", std::string(count) + "case $* in *n2*) ;; *) exit 0;; esac\n" + died("n2"));
  auto const one =
      skel({"run", "--", "env", "A=b", "timeout", "100", mpirun, "--host", "n1:2,n2:2", "-np", "4", "program"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("rank 1 on host n2 died by signal 9 (Killed)"));
  EXPECT_THAT(text_in("starts"), ::testing::EndsWith("start --host n1:2 -np 2 program\n"));
}

TEST_F(Run, SaysWhereItDoesNotSeeTheMpirunOfACommand) {
  auto const mpirun = script("mpirun", "exit 3\n");
  auto const one = skel({"run", "--", "sh", "-c", "exec " + mpirun + " -np 4 program"});
  EXPECT_EQ(one.status, 3);
  EXPECT_THAT(one.err, HasSubstr("skel: run: mpirun is no word of its own in 'exec "));
  EXPECT_EQ(skel({"run", "--", mpirun, "-np", "4", "program"}).err, "");
}

TEST_F(Run, LeavesOutAHostThatWasLostAtOnce) {
  auto const mpirun = script("mpirun", std::string(count) +
                                           "case $* in *n2*) ;; *) exit 0;; esac\n"
                                           "echo 'ORTE has lost communication with a remote daemon.' >&2\n"
                                           "echo '  Remote daemon: [[1,0],1] on node n2' >&2\nexit 1\n");
  auto const one = skel({"run", "--", mpirun, "--host", "n1:2,n2:2", "-np", "4", "program"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("skel: run: host n2 was lost: going on without this host, on 2 ranks"));
  EXPECT_EQ(text_in("starts"), "start --host n1:2,n2:2 -np 4 program\nstart --host n1:2 -np 2 program\n");
}

TEST_F(Run, AsksMpirunToMissHostsThatVanishUnlessItWasTold) {
  auto const mpirun = script("mpirun", "env | grep keepalive | sort\n");
  EXPECT_EQ(skel({"run", "--", mpirun}).out,
            "OMPI_MCA_oob_tcp_keepalive_intvl=1\nOMPI_MCA_oob_tcp_keepalive_probes=4\n"
            "OMPI_MCA_oob_tcp_keepalive_time=1\n");
  EXPECT_THAT(skel({"run", "--", mpirun}, {.environment = {"OMPI_MCA_oob_tcp_keepalive_probes=2"}}).out,
              HasSubstr("keepalive_probes=2\n"));
}

TEST_F(Run, GoesOnWithItsOnlyHost) {
  auto const mpirun = script("mpirun", std::string(count) + "[ $starts -ge 4 ] && exit 0\n" + died("n1"));
  auto const one = skel({"run", "--", mpirun, "--host", "n1:2", "program"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, Not(HasSubstr("without this host")));
}

TEST_F(Run, EndsWhatADeadJobHasLeft) {
  auto const program = script("program", std::string(count) +
                                             "[ $starts -ge 2 ] && exit 0\n"
                                             "sh -c 'echo $$ > orphan; exec sleep 1000' &\n"
                                             "while [ ! -s orphan ]; do :; done\nkill -9 $$\n");
  auto const one = skel({"run", "--", program});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("ended 1 process that it had left behind"));
  EXPECT_EQ(::kill(std::stoi(text_in("orphan")), 0), -1);
}

TEST_F(Run, LeavesProcessesAloneThatItDidNotStart) {
  auto const program = script("program", std::string(count) + "[ $starts -ge 2 ] && exit 0\nkill -9 $$\n");
  auto const shell = script("shell", "sleep 1000 &\necho $! > mine\nexec " SKEL_COMMAND " run -- " + program + "\n");
  auto const one = run({shell});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.err, Not(HasSubstr("left behind")));
  pid_t const mine = std::stoi(text_in("mine"));
  EXPECT_EQ(::kill(mine, 0), 0);
  ::kill(mine, SIGKILL);
}

TEST_F(Run, RefusesANumberOfRestartsBelowNone) {
  auto const one = skel({"run", "--restarts", "-1", "--", "true"});
  EXPECT_NE(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("--restarts"));
}

TEST_F(Run, PassesSignalsOnAndDoesNotStartAgain) {
  auto const program =
      script("program", std::string(count) + "trap 'exit 5' TERM\necho ready >&2\nwhile :; do sleep 0.01; done\n");
  surroundings with;
  with.signal = SIGTERM;
  auto const one = skel({"run", "--", program}, with);
  EXPECT_EQ(one.status, 5);
  EXPECT_EQ(text_in("starts"), "start\n");
}

TEST_F(Run, StartsAgainWhatDiesAfterAWarning) {
  auto const program = script("program", std::string(count) +
                                             "[ $starts -ge 2 ] && exit 0\ntrap 'kill -9 $$' USR1\necho ready >&2\n"
                                             "while :; do sleep 0.01; done\n");
  surroundings with;
  with.signal = SIGUSR1;
  EXPECT_EQ(skel({"run", "--", program}, with).status, 0);
  EXPECT_EQ(text_in("starts"), "start\nstart\n");
}

/// What it says of a death is on standard error before the pause: the signal comes in it.
TEST_F(Run, StartsAgainAfterAWarningBetweenTwoStarts) {
  auto const program =
      script("program", std::string(count) + "trap '' USR1 XCPU\n[ $starts -ge 2 ] && exit 0\nkill -9 $$\n");
  for (int const signal : {SIGUSR1, SIGXCPU}) {
    surroundings with;
    with.signal = signal;
    EXPECT_EQ(skel({"run", "--", program}, with).status, 0);
    EXPECT_EQ(text_in("starts"), "start\nstart\n");
    std::filesystem::remove(folder_ / "starts");
  }
}

TEST_F(Run, EndsWhereItIsAskedToBetweenTwoStarts) {
  auto const program = script("program", std::string(count) + "kill -9 $$\n");
  for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    surroundings with;
    with.signal = signal;
    auto const one = skel({"run", "--", program}, with);
    EXPECT_EQ(one.status, 128 + SIGKILL);
    EXPECT_THAT(one.err, HasSubstr("asked to end by signal " + std::to_string(signal)));
    EXPECT_THAT(one.err, Not(HasSubstr("giving up")));
    std::filesystem::remove(folder_ / "starts");
  }
}

/// Its end and the signal are there at once for skel run, which is stopped until then.
TEST_F(Run, StartsAgainWhatHadDiedWhenAWarningCame) {
  auto const program = script("program", std::string(count) +
                                             "[ $starts -ge 2 ] && exit 0\nkill -STOP $PPID\n"
                                             "(while grep -q '^State:.[^Z]' /proc/$$/status; do sleep 0.01; done\n"
                                             "kill -XCPU $PPID; kill -CONT $PPID) &\nkill -XCPU $$\n");
  EXPECT_EQ(skel({"run", "--", program}).status, 0);
  EXPECT_EQ(text_in("starts"), "start\nstart\n");
}

TEST_F(Run, DoesNotStartAgainWhatDiesByAWarning) {
  auto const program = script("program", std::string(count) + "echo ready >&2\nwhile :; do sleep 0.01; done\n");
  surroundings with;
  with.signal = SIGUSR2;
  EXPECT_EQ(skel({"run", "--", program}, with).status, 128 + SIGUSR2);
  EXPECT_EQ(text_in("starts"), "start\n");
}

/// A process of the program outlives it, which a signal that is passed on has ended.
TEST_F(Run, PassesOnWhateverWouldEndItAndLeavesNothingBehind) {
  auto const program = script("program", std::string(count) +
                                             "sh -c 'echo $$ > orphan; exec sleep 1000' &\n"
                                             "while [ ! -s orphan ]; do :; done\necho ready >&2\nwait\n");
  for (int const signal : {SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF, SIGPWR,
                           SIGIO, SIGABRT, SIGSTKFLT, SIGRTMIN, SIGRTMAX}) {
    surroundings with;
    with.signal = signal;
    auto const one = skel({"run", "--", program}, with);
    EXPECT_EQ(one.status, 128 + signal);
    EXPECT_THAT(one.err, HasSubstr("ended 1 process that it had left behind"));
    EXPECT_EQ(text_in("starts"), "start\n");
    EXPECT_EQ(::kill(std::stoi(text_in("orphan")), 0), -1);
    for (auto const* made : {"starts", "orphan"}) std::filesystem::remove(folder_ / made);
  }
}

TEST_F(Run, EndsGentlyWhatIsLeftWhenItIsToEnd) {
  auto const program =
      script("program",
             "sh -c 'trap \"echo gone > orphan; exit\" TERM; echo $$ > orphan; while :; do sleep 0.01; done' &\n"
             "while [ ! -s orphan ]; do :; done\necho ready >&2\nwait\n");
  surroundings with;
  with.signal = SIGQUIT;
  EXPECT_EQ(skel({"run", "--", program}, with).status, 128 + SIGQUIT);
  EXPECT_EQ(text_in("orphan"), "gone\n");
}

TEST_F(Run, TakesNoNoticeOfASignalThatIsIgnored) {
  auto const program =
      script("program", std::string(count) + "[ $starts -ge 2 ] && exit 0\necho ready >&2\nsleep 0.3\nkill -9 $$\n");
  auto const shell = script("shell", "trap '' HUP\nexec " SKEL_COMMAND " run -- " + program + "\n");
  surroundings with;
  with.signal = SIGHUP;
  EXPECT_EQ(run({shell}, with).status, 0);
  EXPECT_EQ(text_in("starts"), "start\nstart\n");
}

/// As of a program that starts it and waits for nothing, where the system takes away children that have ended.
TEST_F(Run, WaitsForItsCommandWhereEndsOfChildrenAreIgnored) {
  surroundings with;
  with.ignored = SIGCHLD;
  EXPECT_EQ(skel({"run", "--", "/bin/sh", "-c", "exit 7"}, with).status, 7);
}

TEST_F(Run, DoesNotStartAgainWhereAShellTellsOfASignalThatWasPassedOn) {
  auto const program =
      script("program", std::string(count) +
                            "trap 'exit 152' XCPU\nsh -c 'echo $$ > orphan; exec sleep 1000' &\n"
                            "while [ ! -s orphan ]; do :; done\necho ready >&2\nwhile :; do sleep 0.01; done\n");
  surroundings with;
  with.signal = SIGXCPU;
  EXPECT_EQ(skel({"run", "--", program}, with).status, 152);
  EXPECT_EQ(text_in("starts"), "start\n");
  EXPECT_EQ(::kill(std::stoi(text_in("orphan")), 0), -1);
}

TEST_F(Run, SaysWhatCannotBeStarted) {
  auto const one = skel({"run", "--", (folder_ / "none").string()});
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.err, HasSubstr("cannot be started: No such file"));
  EXPECT_EQ(skel({"run"}).status, 2);
  EXPECT_EQ(skel({"run", "--restarts", "x", "--", "true"}).status, 2);
  EXPECT_THAT(skel({"run", "--restarts", "99999999999999999999", "--", "true"}).err, HasSubstr("1000000"));
}

}  // namespace
}  // namespace skel::testing_tools
