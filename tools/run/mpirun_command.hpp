#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skel::tools {

/// The death of a process of a job.
struct death {
  std::optional<int> rank;  ///< nothing: mpirun itself, a whole host, or a program without mpirun
  std::string host{};       ///< empty: this one
  int signal = 0;           ///< 0: the host was lost
};

/// The first process that died, as mpirun (Open MPI 4.1) reports it on standard error; nothing: no such report.
std::optional<death> death_in(std::string const& text);
/// True if mpirun reports there that it cannot find or start the program.
bool says_that_it_could_not_start(std::string const& text);

/// A command line, as far as a start on fewer hosts needs it: the options of mpirun before the program. Of several
/// programs, divided by colons, those of the first count. The first word with one of its names is mpirun; words before
/// it start it (nice, env A=b, taskset -c 0,1).
class mpirun_command {
 public:
  struct host {
    std::string name;
    std::optional<std::size_t> slots;  ///< nothing: not said
  };

  explicit mpirun_command(std::vector<std::string> words);

  std::vector<std::string> const& words() const { return words_; }
  /// True if it starts mpirun, mpiexec, orterun or prterun.
  bool starts_mpirun() const;
  /// Otherwise the first word that contains such a name, as a line for a shell does.
  std::optional<std::string> hidden_mpirun() const;
  /// The hosts of --host or --hostfile, in order, each once. Throws skel::error if the file cannot be read.
  std::vector<host> hosts() const;
  /// The value of an option anywhere in the command, as "--NAME VALUE" or "--NAME=VALUE".
  std::optional<std::string> value_of(std::string const& option) const;

  /// The same command without a host, with its other hosts as --host. If all of these state their slots, it gets no
  /// more ranks than slots, unless --oversubscribe is given. Nothing: the command does not name that host, or no other.
  std::optional<mpirun_command> without(std::string const& name) const;
  /// The value of -np.
  std::optional<std::size_t> ranks() const;

 private:
  /// Index of the value of an option of mpirun.
  std::optional<std::size_t> find(std::vector<std::string> const& names) const;
  bool has(std::vector<std::string> const& names) const;
  std::vector<std::size_t> options() const;

  std::vector<std::string> words_;
  std::size_t mpirun_;  // its index; behind all words: there is none
};

}  // namespace skel::tools
