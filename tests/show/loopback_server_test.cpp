#include "loopback_server.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::optional<skel::web_resource> one_page(std::string_view path) {
  if (path == "/") return skel::web_resource{"text/html", "<p>here</p>"};
  if (path == "/too-large") throw std::bad_alloc();
  if (path == "/large") return skel::web_resource{"text/plain", std::string(std::size_t{32} << 20U, 'x')};
  return std::nullopt;
}

std::string asked(std::string const& line, std::string const& fields) {
  return skel::answer_to(line + "\r\n" + fields, 8080, one_page);
}

TEST(AnswerTo, GivesWhatIsThere) {
  auto const answer = asked("GET / HTTP/1.1", "Host: 127.0.0.1:8080\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 11\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n<p>here</p>"));
  EXPECT_THAT(asked("GET /?t=1 HTTP/1.0", "Accept: */*\r\nhOST:\tLocalhost:8080 \r\n"), HasSubstr(" 200 "));
  EXPECT_THAT(asked("GET /etc/passwd HTTP/1.1", "Host: 127.0.0.1:8080\r\n"), HasSubstr(" 404 "));
  EXPECT_THAT(asked("GET /../../etc/passwd HTTP/1.1", "Host: 127.0.0.1:8080\r\n"), HasSubstr(" 404 "));
}

TEST(AnswerTo, RefusesWhoCallsItByAnotherName) {
  for (auto const* fields : {"Host: evil.example:8080\r\n", "Host: 127.0.0.1\r\n", "Host: 127.0.0.1:80\r\n", "",
                             "Host: 127.0.0.1:8080.evil.example\r\n", "X-Host: 127.0.0.1:8080\r\n",
                             "Host: 127.0.0.1:8080\r\nHost: evil.example\r\n"}) {
    auto const answer = asked("GET / HTTP/1.1", fields);
    EXPECT_THAT(answer, HasSubstr(" 403 ")) << fields;
    EXPECT_THAT(answer, Not(HasSubstr("here"))) << fields;
  }
}

TEST(AnswerTo, RefusesOtherMethods) {
  for (auto const* method : {"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get"})
    EXPECT_THAT(asked(std::string(method) + " / HTTP/1.1", "Host: 127.0.0.1:8080\r\n"),
                testing::AllOf(HasSubstr(" 405 "), HasSubstr("\r\nAllow: GET\r\n")))
        << method;
}

TEST(AnswerTo, RefusesWhatIsNoRequest) {
  for (auto const* line : {"", "GET", "GET /", "GET / HTTP/2", "\x16\x03\x01", " HTTP/1.1", "  "})
    EXPECT_THAT(asked(line, "Host: 127.0.0.1:8080\r\n"), HasSubstr(" 400 ")) << line;
}

/// A client of a server.
class connection {
 public:
  explicit connection(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
  }
  ~connection() { ::close(descriptor_); }
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  bool is_connected() const { return connected_; }
  void send(std::string const& text) const {
    static_cast<void>(!::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL));
  }
  /// All that comes until the server closes, or until there are so many bytes.
  std::string receive(std::size_t enough = std::string::npos) const {
    std::string all;
    std::array<char, 65536> piece{};
    for (;;) {
      if (all.size() >= enough) return all;
      auto const got = ::recv(descriptor_, piece.data(), piece.size(), 0);
      if (got <= 0) return all;
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  int descriptor_;
  bool connected_ = false;
};

std::string request_to(skel::loopback_server const& server, std::string const& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n\r\n";
}

std::string fetched(skel::loopback_server const& server, std::string const& path) {
  connection const client(server.port());
  client.send(request_to(server, path));
  return client.receive();
}

TEST(LoopbackServer, AnswersOneAfterTheOther) {
  skel::loopback_server const server(0, one_page);
  for (int k = 0; k < 100; ++k) ASSERT_THAT(fetched(server, "/"), HasSubstr("<p>here</p>"));
}

TEST(LoopbackServer, TakesARequestInPieces) {
  skel::loopback_server const server(0, one_page);
  connection const client(server.port());
  for (char const c : request_to(server, "/")) client.send(std::string(1, c));
  EXPECT_THAT(client.receive(), HasSubstr("<p>here</p>"));
}

TEST(LoopbackServer, GivesLargePagesWhole) {
  skel::loopback_server const server(0, one_page);
  auto const answer = fetched(server, "/large");
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, std::size_t{32} << 20U);
}

TEST(LoopbackServer, GivesLargePagesWholeAlsoToWhoTakesThemSlowly) {
  skel::loopback_server const server(0, one_page);
  connection const client(server.port());
  client.send(request_to(server, "/large"));
  std::string answer;
  for (int k = 0; k < 2; ++k) {
    answer += client.receive(std::size_t{11} << 20U);
    std::this_thread::sleep_for(std::chrono::duration<double>(0.6 * skel::loopback_server::patience));
  }
  answer += client.receive();
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, std::size_t{32} << 20U);
}

TEST(LoopbackServer, LeavesWhomThereIsNoMemoryToAnswerAndGoesOn) {
  skel::loopback_server const server(0, one_page);
  EXPECT_EQ(fetched(server, "/too-large"), "");
  EXPECT_THAT(fetched(server, "/"), HasSubstr("<p>here</p>"));
}

TEST(LoopbackServer, AnswersWhileOthersHangAndLeave) {
  skel::loopback_server const server(0, one_page);
  std::vector<std::unique_ptr<connection>> hanging;
  for (std::size_t k = 0; k + 2 < skel::loopback_server::most_clients; ++k) {
    hanging.push_back(std::make_unique<connection>(server.port()));
    hanging.back()->send(k % 2 == 0 ? "GET / HT" : request_to(server, "/large"));  // and takes nothing of it
  }
  connection(server.port()).send(request_to(server, "/large"));  // leaves at once
  EXPECT_THAT(fetched(server, "/"), HasSubstr("<p>here</p>"));
}

TEST(LoopbackServer, MoreClientsThanItHasRoomForWaitUntilOthersAreDropped) {
  skel::loopback_server const server(0, one_page);
  std::vector<std::unique_ptr<connection>> hanging;
  for (std::size_t k = 0; k < skel::loopback_server::most_clients; ++k)
    hanging.push_back(std::make_unique<connection>(server.port()));
  EXPECT_THAT(fetched(server, "/"), HasSubstr("<p>here</p>"));
}

TEST(LoopbackServer, RefusesEndlessRequests) {
  skel::loopback_server const server(0, one_page);
  connection const client(server.port());
  client.send("GET / HTTP/1.1\r\n" + std::string(2 * skel::loopback_server::longest_request, 'x'));
  EXPECT_THAT(client.receive(), testing::AnyOf(HasSubstr(" 431 "), ""));  // or it was reset, as much of it was not read
}

TEST(LoopbackServer, EndsWhileClientsHang) {
  auto server = std::make_unique<skel::loopback_server>(0, one_page);
  auto const port = server->port();
  connection const hangs(port);
  hangs.send("GET");
  server.reset();
  EXPECT_EQ(hangs.receive(), "");
  EXPECT_FALSE(connection(port).is_connected());
}

TEST(LoopbackServer, APortInUseIsToldByNumber) {
  skel::loopback_server const first(0, one_page);
  try {
    skel::loopback_server const second(first.port(), one_page);
    FAIL() << "two listen at one port";
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("port " + std::to_string(first.port())));
  }
}

TEST(LoopbackServer, APortIsFreeForTheNextRun) {
  auto first = std::make_unique<skel::loopback_server>(0, one_page);
  auto const port = first->port();
  static_cast<void>(fetched(*first, "/"));
  first.reset();
  skel::loopback_server const second(port, one_page);
  EXPECT_EQ(second.port(), port);
  EXPECT_THAT(fetched(second, "/"), HasSubstr("<p>here</p>"));
}

}  // namespace
