#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loopback_server.hpp"
#include "run_page.hpp"
#include "support/histories.hpp"

// Pages as a browser sees them: Chromium without a window, which prints its document and what scripts complain about.
namespace {

using testing::HasSubstr;
using testing::Not;

/// What a command prints, on both outputs.
std::string printed_by(std::string const& command) {
  std::string all;
  FILE* const from = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> piece{};
  while (std::size_t const got = std::fread(piece.data(), 1, piece.size(), from)) all.append(piece.data(), got);
  ::pclose(from);
  return all;
}

class Browser : public testing::Test {
 protected:
  Browser() : folder_("/tmp/skel_browser_test." + std::to_string(::getpid())) {
    std::filesystem::create_directory(folder_);
  }
  ~Browser() override { std::filesystem::remove_all(folder_); }

  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed";
  }

  /// The document at an address after its scripts have run for some seconds, and messages of the browser.
  std::string document_at(std::string const& address) const {
    return printed_by(
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=" +
        folder_.string() + "/profile --enable-logging=stderr --virtual-time-budget=4000 --dump-dom '" + address + "'");
  }

  static void expect_no_complaints(std::string const& printed) {
    EXPECT_THAT(printed, Not(HasSubstr("CONSOLE"))) << printed;
  }

  std::filesystem::path folder_;
};

skel::record::run_history some_run() {
  auto out = skel::made_up::run("work", 3, 60);
  out.decisions = {skel::made_up::decision(1, false), skel::made_up::decision(2, true)};
  out.remap_decisions = 2;
  out.forecasts = {{.rate = 100, .low = 80, .high = 120, .why = {}}};
  return out;
}

TEST_F(Browser, ShowsAReport) {
  auto const file = folder_ / "run.html";
  std::ofstream(file) << skel::run_page(some_run());
  auto const printed = document_at("file://" + file.string());
  expect_no_complaints(printed);
  EXPECT_THAT(printed, HasSubstr("<h2>Throughput</h2>"));
  EXPECT_THAT(printed, HasSubstr("<polyline"));
  EXPECT_THAT(printed, HasSubstr("</body></html>"));
}

TEST_F(Browser, ShowsALivePageThatLooksForWhatIsNew) {
  auto run = some_run();
  std::atomic<int> looks = 0;
  skel::loopback_server const server(0, [&](std::string_view path) -> std::optional<skel::web_resource> {
    if (path == "/") return skel::web_resource{"text/html", skel::live_page(run)};
    if (path == "/live.js") return skel::web_resource{"text/javascript", skel::live_script()};
    if (path != "/view") return std::nullopt;
    run.items = 1000000 + static_cast<std::uint64_t>(++looks);
    return skel::web_resource{"text/html", skel::view_of_run(run)};
  });
  auto const printed = document_at("http://127.0.0.1:" + std::to_string(server.port()) + "/");
  expect_no_complaints(printed);
  EXPECT_GE(looks, 2);
  EXPECT_THAT(printed, HasSubstr("It goes on: 100000"));
  EXPECT_THAT(printed, HasSubstr("<polyline"));
}

TEST_F(Browser, NoScriptOfANameRuns) {
  std::string const nasty = "<img src=x onerror=\"document.title='broken into'\">";
  auto run = skel::made_up::run(nasty, 2, 8);
  run.why = run.plan = nasty;
  skel::loopback_server const server(0, [&](std::string_view path) -> std::optional<skel::web_resource> {
    if (path == "/") return skel::web_resource{"text/html", skel::live_page(run)};
    if (path == "/live.js") return skel::web_resource{"text/javascript", skel::live_script()};
    if (path != "/view") return std::nullopt;
    return skel::web_resource{"text/html", skel::view_of_run(run)};
  });
  auto const printed = document_at("http://127.0.0.1:" + std::to_string(server.port()) + "/");
  expect_no_complaints(printed);
  EXPECT_THAT(printed, Not(HasSubstr("<title>broken into")));
  EXPECT_THAT(printed, Not(HasSubstr("<img")));
}

}  // namespace
