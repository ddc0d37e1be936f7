#pragma once

#include <fstream>
#include <string>

#include <unistd.h>

namespace bench {

/// Processor time that this host has spent on anything since it started, all cores together, and what other machines
/// took from it (steal) [s]. 0 where /proc/stat cannot be read.
inline double host_cpu_seconds() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(stat >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) return 0;
  return (user + nice + system + irq + softirq + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace bench
