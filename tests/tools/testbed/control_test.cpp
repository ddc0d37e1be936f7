#include "testbed/control.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <future>
#include <vector>

#include <gmock/gmock.h>

#include "tools/command.hpp"

namespace {

using skel::testbed::ask;
using skel::testbed::control_server;

class Control : public skel::testing_tools::FolderTest {
 protected:
  std::filesystem::path socket() const { return folder_ / "control"; }

  /// Serves until the future is there.
  template <class T>
  static T serve_until(control_server& server, std::future<T> wanted) {
    while (wanted.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      pollfd watched{.fd = server.descriptor_to_watch(), .events = POLLIN, .revents = 0};
      poll(&watched, 1, 10);
      server.serve([](std::string const& line) { return "<" + line + ">"; });
    }
    return wanted.get();
  }
};

TEST_F(Control, AnswersEachLineByALine) {
  control_server server(socket());
  EXPECT_EQ(serve_until(server, std::async(std::launch::async, [&] { return ask(socket(), "hello"); })), "<hello>");
}

TEST_F(Control, LongAnswersToManyClientsAreWhole) {
  control_server server(socket());
  std::string const text(control_server::longest_request - 1, 'x');
  auto const all = [&] {
    std::vector<std::future<std::string>> asked;
    for (int i = 0; i < 20; ++i) asked.push_back(std::async(std::launch::async, [&] { return ask(socket(), text); }));
    bool good = true;
    for (auto& one : asked) good = one.get() == "<" + text + ">" && good;
    return good;
  };
  EXPECT_TRUE(serve_until(server, std::async(std::launch::async, all)));
}

TEST_F(Control, WhoNeverEndsALineIsForgotten) {
  control_server server(socket());
  auto const refused = [&] {
    try {
      ask(socket(), std::string(2 * control_server::longest_request, 'x').insert(0, "\n").substr(1));
      return false;
    } catch (skel::error const&) {
      return true;
    }
  };
  EXPECT_TRUE(serve_until(server, std::async(std::launch::async, refused)));
  EXPECT_EQ(serve_until(server, std::async(std::launch::async, [&] { return ask(socket(), "next"); })), "<next>");
}

TEST_F(Control, WithoutAServerAskingFails) {
  EXPECT_THROW(ask(socket(), "hello"), skel::error);
  EXPECT_THROW(control_server(folder_ / std::string(200, 'x')), skel::error) << "too long for a socket";
}

}  // namespace
