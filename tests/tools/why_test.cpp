#include <string>

#include <gmock/gmock.h>
#include <unistd.h>

#include "command.hpp"

// What programs answer that run: tests/grid/blocked.sh.
namespace {

using skel::testing_tools::skel;
using testing::HasSubstr;

TEST(Why, SaysWhereAProcessHasNoGrid) {
  std::string const number = std::to_string(::getpid());
  auto const result = skel({"why", number});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("process " + number + " has no grid on this host"));
}

TEST(Why, RefusesWhatIsNoProcess) {
  for (std::string const wrong : {"0", "-5", "n3", "1e3", "99999999999"}) {
    auto const result = skel({"why", "--", wrong});
    EXPECT_EQ(result.status, 2) << wrong;
    EXPECT_THAT(result.err, HasSubstr("skel: PROCESS: ")) << wrong;
  }
  EXPECT_THAT(skel({"why"}).err, HasSubstr("PROCESS: is missing"));
}

}  // namespace
