#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skel::tools {

/// How a process of a job has ended that did not end by itself.
struct death {
  std::optional<int> rank;  ///< nothing: mpirun itself, a whole host, or a program without mpirun
  std::string host{};       ///< empty: this one
  int signal = 0;           ///< 0: the host was lost
};

/// What mpirun (Open MPI 4.1) says of the first process that died, in what it wrote to standard error; nothing: it says
/// nothing of that.
std::optional<death> death_in(std::string const& text);
/// Whether it says there that the program is none, or cannot be started as it should.
bool says_that_it_could_not_start(std::string const& text);

/// A command line, as far as starting it again on fewer hosts needs to know it: the options of mpirun that stand before
/// the program. Of several programs, divided by colons, those of the first. mpirun is the first word that is called so;
/// before it stands what starts it (nice, env A=b, taskset -c 0,1).
class mpirun_command {
 public:
  struct host {
    std::string name;
    std::optional<std::size_t> slots;  ///< nothing: not said
  };

  explicit mpirun_command(std::vector<std::string> words);

  std::vector<std::string> const& words() const { return words_; }
  /// Whether it starts mpirun, mpiexec, orterun or prterun.
  bool starts_mpirun() const;
  /// Where it does not, the first word that has such a name in it, as a line for a shell does.
  std::optional<std::string> hidden_mpirun() const;
  /// Those that --host or --hostfile name, in order, each once. Throws skel::error when the file cannot be read.
  std::vector<host> hosts() const;
  /// The value of an option anywhere in the command, as "--NAME VALUE" or "--NAME=VALUE".
  std::optional<std::string> value_of(std::string const& option) const;

  /// The same without a host, with its hosts as --host, and with as many ranks as the hosts that are left have slots
  /// for where fewer than are asked for, and nobody has said --oversubscribe. Nothing: the command does not name that
  /// host, or no other.
  std::optional<mpirun_command> without(std::string const& name) const;
  /// What -np says.
  std::optional<std::size_t> ranks() const;

 private:
  /// An option of mpirun with a value: where the value stands.
  std::optional<std::size_t> find(std::vector<std::string> const& names) const;
  bool has(std::vector<std::string> const& names) const;
  std::vector<std::size_t> options() const;

  std::vector<std::string> words_;
  std::size_t mpirun_;  // where it stands; behind all words: nowhere
};

}  // namespace skel::tools
