#include "net_namespace.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace skel::testbed {
namespace {

namespace fs = std::filesystem;

fs::path const folder = "/run/netns";
constexpr char const* own_namespace = "/proc/thread-self/ns/net";
constexpr char const* device = "skel0";

descriptor open_own() {
  descriptor own(open(own_namespace, O_RDONLY | O_CLOEXEC));
  if (!own) fail_by_errno(own_namespace);
  return own;
}

sockaddr in_sockaddr(std::uint32_t address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address);
  sockaddr out{};
  std::memcpy(&out, &in, sizeof in);
  return out;
}

ifreq request_for(char const* name) {
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  return request;
}

void control(int socket, unsigned long what, ifreq& request, char const* doing) {
  if (ioctl(socket, what, &request) != 0) fail_by_errno(std::string(doing) + " network device " + request.ifr_name);
}

void bring_up(int socket, char const* name) {
  ifreq request = request_for(name);
  control(socket, SIOCGIFFLAGS, request, "reading");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  control(socket, SIOCSIFFLAGS, request, "bringing up");
}

}  // namespace

detail::elsewhere::elsewhere(std::string const& name) : home_(open_own()) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  fs::path const file = folder / name;
  descriptor const made(open(file.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  if (!made) fail_by_errno("network namespace " + name);
  if (unshare(CLONE_NEWNET) != 0) {
    int const reason = errno;
    unlink(file.c_str());
    errno = reason;
    fail_by_errno("network namespace " + name, "containers need the right to make some (CAP_SYS_ADMIN)");
  }
  if (mount(own_namespace, file.c_str(), "none", MS_BIND, nullptr) != 0) {
    int const reason = errno;
    if (setns(home_.get(), CLONE_NEWNET) != 0) std::abort();  // no other work may be done from here
    unlink(file.c_str());
    errno = reason;
    fail_by_errno("network namespace " + name + " cannot be given a name");
  }
}

detail::elsewhere::~elsewhere() {
  if (setns(home_.get(), CLONE_NEWNET) != 0) std::abort();  // no other work may be done from here
}

std::vector<std::string> net_namespaces(std::string const& prefix) {
  std::vector<std::string> found;
  std::error_code none;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder, none))
    if (std::string const name = entry.path().filename(); name.starts_with(prefix)) found.push_back(name);
  return found;
}

void remove_net_namespace(std::string const& name) {
  fs::path const file = folder / name;
  umount2(file.c_str(), MNT_DETACH);  // fails if it was made but never named
  if (unlink(file.c_str()) != 0 && errno != ENOENT) fail_by_errno(file);
}

void enter_net_namespace(std::string const& name) {
  fs::path const file = folder / name;
  descriptor const there(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!there || setns(there.get(), CLONE_NEWNET) != 0) fail_by_errno("network namespace " + name);
}

descriptor open_device(std::uint32_t address, unsigned prefix_bits, unsigned mtu) {
  descriptor made(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!made)
    fail_by_errno("/dev/net/tun", "containers need it passed in (--device /dev/net/tun), kernels the module tun");
  ifreq request = request_for(device);
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  control(made.get(), TUNSETIFF, request, "making");
  if (ioctl(made.get(), TUNSETOFFLOAD, static_cast<unsigned long>(TUN_F_CSUM | TUN_F_TSO4)) != 0)
    fail_by_errno("segments of TCP that stay together on a network device", "a kernel with TUN_F_TSO4 is needed");

  descriptor const socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) fail_by_errno("a socket");
  request = request_for(device);
  request.ifr_mtu = static_cast<int>(mtu);
  control(socket.get(), SIOCSIFMTU, request, "setting the largest packet of");
  request = request_for(device);
  request.ifr_addr = in_sockaddr(address);
  control(socket.get(), SIOCSIFADDR, request, "giving an address to");
  request = request_for(device);
  request.ifr_netmask = in_sockaddr(~std::uint32_t{0} << (32 - prefix_bits));
  control(socket.get(), SIOCSIFNETMASK, request, "giving a network to");
  bring_up(socket.get(), device);
  bring_up(socket.get(), "lo");
  return made;
}

namespace {

void set_system(std::string const& file, std::string const& value) {
  std::ofstream out(file);
  out << value;
  out.close();
  if (!out) throw error(file + ": cannot be written; containers need /proc/sys to be writable");
}

}  // namespace

void allow_long_ways() {
  constexpr long long largest_window = 1LL << 30;
  for (char const* file : {"/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_wmem"}) {
    std::ifstream in(file);
    std::string least, usual;
    if (!(in >> least >> usual)) throw error(std::string(file) + ": cannot be read");
    set_system(file, least + ' ' + usual + ' ' + std::to_string(largest_window));
  }
}

void give_up_early() { set_system("/proc/sys/net/ipv4/tcp_retries2", std::to_string(most_repeats)); }

}  // namespace skel::testbed
