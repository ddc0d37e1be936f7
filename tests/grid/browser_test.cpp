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

#include <skel/detail/show/page.hpp>

#include "loopback_server.hpp"
#include "picture.hpp"
#include "stories.hpp"
#include "support/bsp_histories.hpp"
#include "support/histories.hpp"
#include "support/mesh_histories.hpp"

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
  out.decisions = {{skel::made_up::decision(1, false), skel::made_up::decision(2, true)}, 2, 1};
  out.forecasts = {{.rate = 100, .low = 80, .high = 120, .why = {}}};
  return out;
}

TEST_F(Browser, ShowsAReport) {
  auto const file = folder_ / "run.html";
  std::ofstream(file) << skel::page_of(skel::story_of(some_run()));
  auto const printed = document_at("file://" + file.string());
  expect_no_complaints(printed);
  EXPECT_THAT(printed, HasSubstr("<h2>Throughput</h2>"));
  EXPECT_THAT(printed, HasSubstr("<polyline"));
  EXPECT_THAT(printed, HasSubstr("</body></html>"));
}

TEST_F(Browser, ReadsThePicturesOfABspRun) {
  auto const file = folder_ / "bsp.html";
  auto page = skel::page_of(skel::story_of(skel::made_up::bsp_run("heat", 6, 3, 20).history()));
  // What the pictures are, point by point, at the lower left, where the last process computes on the last rank, and at
  // the upper right, where the first one sleeps on the first.
  std::string const script = R"(<script>
for (const shown of document.querySelectorAll("image")) {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = image.width, canvas.height = image.height;
    const drawn = canvas.getContext("2d", {willReadFrequently: true});
    drawn.drawImage(image, 0, 0);
    const point = (x, y) => drawn.getImageData(x, y, 1, 1).data.join(" ");
    const found = document.createElement("p");
    found.textContent = [image.width, image.height, point(0, image.height - 1), point(image.width - 1, 0)].join(", ");
    document.body.append(found);
  };
  image.src = shown.getAttribute("href");
}
</script>)";
  page.insert(page.find("</body>"), script);
  std::ofstream(file) << page;
  auto const printed = document_at("file://" + file.string());
  expect_no_complaints(printed);
  auto const point = [](skel::colour of) {
    return std::to_string(of.red) + " " + std::to_string(of.green) + " " + std::to_string(of.blue) + " 255";
  };
  EXPECT_THAT(printed, HasSubstr("<p>20, 6, " + point(skel::rank_colour(2, 3)) + ", " + point(skel::rank_colour(0, 3)) +
                                 "</p>"));
  EXPECT_THAT(printed, HasSubstr("<p>20, 6, " + point(skel::load_colour(1)) + ", 0 0 0 0</p>"));
}

TEST_F(Browser, DrawsTheGridOfAMeshProgramInTheColoursOfThePage) {
  auto const file = folder_ / "mesh.html";
  auto page = skel::page_of(skel::story_of(skel::made_up::mesh_run("light")));
  // What is drawn with colours of its own where it is a file has those of the page here, and room.
  std::string const script = R"(<script>
const found = document.createElement("p");
const colour = (of, what) => getComputedStyle(document.querySelector(of))[what];
found.textContent = [colour(".cluster", "fill") == getComputedStyle(document.body).backgroundColor,
                     colour(".cluster.chosen", "stroke") == colour(".mark.moved circle", "fill"),
                     [...document.querySelectorAll("svg")].every(one => one.getBoundingClientRect().height > 50)].join(", ");
document.body.append(found);
</script>)";
  page.insert(page.find("</body>"), script);
  std::ofstream(file) << page;
  auto const printed = document_at("file://" + file.string());
  expect_no_complaints(printed);
  EXPECT_THAT(printed, HasSubstr("<p>true, true, true</p>"));
}

TEST_F(Browser, ShowsALivePageThatLooksForWhatIsNew) {
  auto run = some_run();
  std::atomic<int> looks = 0;
  skel::loopback_server const server(0, [&](std::string_view path) -> std::optional<skel::web_resource> {
    if (path == "/")
      return skel::web_resource{"text/html", skel::live_page("work", skel::view_of(skel::story_of(run)))};
    if (path == "/live.js") return skel::web_resource{"text/javascript", skel::live_script()};
    if (path != "/view") return std::nullopt;
    run.items = 1000000 + static_cast<std::uint64_t>(++looks);
    return skel::web_resource{"text/html", skel::view_of(skel::story_of(run))};
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
    if (path == "/") return skel::web_resource{"text/html", skel::live_page(nasty, skel::view_of(skel::story_of(run)))};
    if (path == "/live.js") return skel::web_resource{"text/javascript", skel::live_script()};
    if (path != "/view") return std::nullopt;
    return skel::web_resource{"text/html", skel::view_of(skel::story_of(run))};
  });
  auto const printed = document_at("http://127.0.0.1:" + std::to_string(server.port()) + "/");
  expect_no_complaints(printed);
  EXPECT_THAT(printed, Not(HasSubstr("<title>broken into")));
  EXPECT_THAT(printed, Not(HasSubstr("<img")));
}

}  // namespace
