#include <runtime/direct_file.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <skel/detail/base/error.hpp>

namespace {

namespace fs = std::filesystem;
using skel::runtime::direct_file;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string scattered(std::size_t bytes, std::uint64_t seed) {
  std::string out(bytes, '\0');
  for (auto& byte : out) byte = static_cast<char>(seed = seed * 6364136223846793005U + 1442695040888963407U);
  return out;
}

/// In a folder of a file system, "/dev/shm" being one of memory.
class DirectFile : public testing::TestWithParam<char const*> {
 protected:
  DirectFile() : file_(fs::path(GetParam()) / ("skel-direct-" + std::to_string(::getpid()))) {}
  ~DirectFile() override { fs::remove(file_); }

  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path file_;
};

TEST_P(DirectFile, HoldsFrontAndWhatWasAppended) {
  constexpr std::size_t block = std::size_t{1} << 20U;
  std::vector<std::vector<std::size_t>> const cases{{},
                                                    {0},
                                                    {1},
                                                    {4096},
                                                    {block - 7},
                                                    {block - 8},
                                                    {block - 6, 3},
                                                    {2 * block},
                                                    {3 * block - 7},
                                                    {5, 0, 700},
                                                    {block, 11},
                                                    {4089},
                                                    {4088},
                                                    {100'000, 1},
                                                    {2 * block, 13}};
  for (std::size_t const front : {7U, 0U})
    for (auto const& sizes : cases) {  // the same file again and again: longer and shorter ones
      std::string expected = scattered(front, 1);
      direct_file out(file_, front);
      for (std::size_t const size : sizes) {
        auto const one = scattered(size, size + 5);
        expected += one;
        EXPECT_EQ(out.append(one), XXH3_64bits(one.data(), one.size()));
      }
      EXPECT_EQ(out.finish(scattered(front, 1)), expected.size());
      EXPECT_EQ(bytes(), expected) << testing::PrintToString(sizes);
    }
}

TEST_P(DirectFile, IsANewOneOfThisUserWhateverHasItsName) {
  fs::path const victim = file_.string() + ".victim";
  std::ofstream(victim) << "precious";
  for (bool const hard : {false, true}) {
    hard ? fs::create_hard_link(victim, file_) : fs::create_symlink(victim, file_);
    direct_file out(file_, 0);
    out.append("new");
    out.finish("");
    EXPECT_EQ(bytes(), "new");
    EXPECT_EQ(fs::file_size(victim), 8U);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file_)));
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms(0600));
    fs::remove(file_);
  }
  fs::remove(victim);
}

TEST_P(DirectFile, ThatIsNotFinishedLeavesNothing) {
  { direct_file(file_, 0).append("half"); }
  for (auto const& entry : fs::directory_iterator(file_.parent_path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(file_.filename().string())) << entry.path();
}

TEST_P(DirectFile, SaysWhichFileCannotBeWritten) {
  EXPECT_THAT([&] { direct_file(file_ / "x", 0); }, ThrowsMessage<skel::error>(HasSubstr("/x: cannot be made")));
  direct_file out(file_, 3);
  EXPECT_THAT([&] { out.finish("12"); }, ThrowsMessage<skel::error>(HasSubstr("3 were left free")));
}

TEST_P(DirectFile, SaysThatNoMoreFits) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  for (rlim_t const most : {rlim_t{0}, rlim_t{1000}, rlim_t{5000}, rlim_t{2'000'123}}) {
    rlimit const limit{most, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    auto const write = [&] {
      direct_file out(file_, 0);
      out.append(scattered(3'000'000, most));
      out.finish("");
    };
    EXPECT_THAT(write, ThrowsMessage<skel::error>(HasSubstr("cannot be written")));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(In, DirectFile, testing::Values("/tmp", "/dev/shm"),
                         [](auto const& one) { return std::string(one.param) == "/tmp" ? "Disk" : "Memory"; });

}  // namespace
