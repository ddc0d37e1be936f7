#include "lifetime.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <skel/detail/base/shown.hpp>

#include "cpu_groups.hpp"
#include "hosts.hpp"
#include "net_namespace.hpp"

namespace skel::testbed {
namespace {

struct setting {
  char const* name;
  std::string value;
};

/// Sets the host's name and the addresses of all hosts, for this process and its children.
void take_name(names const& called, std::string const& host) {
  if (unshare(CLONE_NEWUTS | CLONE_NEWNS) != 0) fail_by_errno("a host name of its own");
  if (sethostname(host.data(), host.size()) != 0) fail_by_errno("host name " + host);
  // Nobody else sees the mounts here.
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) fail_by_errno("mounts of its own");
  if (access("/etc/hosts", F_OK) == 0 && mount(called.addresses().c_str(), "/etc/hosts", "none", MS_BIND, nullptr) != 0)
    fail_by_errno("/etc/hosts of host " + host);
}

void set(setting const& one, bool also_where_set) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no other thread that could read the environment
  int const failure = setenv(one.name, one.value.c_str(), also_where_set ? 1 : 0);
  if (failure != 0) fail_by_errno(one.name);
}

/// Open MPI between the hosts: started by the agent, over TCP in the testbed's network alone.
void set_up_open_mpi(names const& called) {
  std::string const network = address_text(first_address) + "/" + std::to_string(prefix_bits);
  for (setting const& one : {setting{"OMPI_MCA_plm_rsh_agent", called.agent()},
                             {"OMPI_MCA_orte_default_hostfile", called.hostfile()},
                             {"OMPI_MCA_orte_keep_fqdn_hostnames", "1"},
                             {"OMPI_MCA_orte_tmpdir_base", called.folder() / "sessions"},
                             {"OMPI_MCA_btl_tcp_if_include", network},
                             {"OMPI_MCA_oob_tcp_if_include", network}})
    set(one, true);
  // More ranks than cores are the rule here, and root has made the testbed.
  for (setting const& one : {setting{"OMPI_MCA_btl", "self,vader,tcp"},
                             {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                             {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                             {"OMPI_MCA_mpi_yield_when_idle", "1"},
                             {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                             {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}})
    set(one, false);
}

/// mpirun and its daemons notice a lost network and end, as under `skel run`, instead of waiting for minutes: their
/// systems ask each other every second. By then, ranks of skel have reported which ranks are silent.
void miss_lost_hosts() {
  for (setting const& one : {setting{"OMPI_MCA_oob_tcp_keepalive_time", "1"},
                             {"OMPI_MCA_oob_tcp_keepalive_intvl", "1"},
                             {"OMPI_MCA_oob_tcp_keepalive_probes", "4"}})
    set(one, false);
}

}  // namespace

void become(names const& called, std::string const& host, std::vector<std::string> const& command) {
  cpu_groups::find().join(called.of_host(host), getpid());
  enter_net_namespace(called.of_host(host));
  take_name(called, host);
  set_up_open_mpi(called);
  miss_lost_hosts();
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  execvp(arguments.front(), arguments.data());
  fail_by_errno(printable(command.front(), longest_name) + ": cannot be run");
}

}  // namespace skel::testbed
