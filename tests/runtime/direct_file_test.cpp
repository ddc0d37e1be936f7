#include <runtime/direct_file.hpp>

#include <signal.h>
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

TEST_P(DirectFile, SaysWhichFileCannotBeWritten) {
  EXPECT_THAT([&] { direct_file(file_ / "x", 0); }, ThrowsMessage<skel::error>(HasSubstr("/x: cannot be opened")));
  direct_file out(file_, 3);
  EXPECT_THAT([&] { out.finish("12"); }, ThrowsMessage<skel::error>(HasSubstr("3 were left free")));
}

TEST_P(DirectFile, SaysThatNoMoreFits) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const before = ::signal(SIGXFSZ, SIG_IGN);
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
  ::signal(SIGXFSZ, before);
}

INSTANTIATE_TEST_SUITE_P(In, DirectFile, testing::Values("/tmp", "/dev/shm"),
                         [](auto const& one) { return std::string(one.param) == "/tmp" ? "Disk" : "Memory"; });

}  // namespace
