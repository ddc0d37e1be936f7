#include <skel/detail/base/input_file.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

namespace fs = std::filesystem;
using skel::file_of;
using skel::read_input;
using testing::HasSubstr;

class InputFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "skel_input_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(std::string const& name, std::string const& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  static std::string refusal(fs::path const& file, std::uintmax_t most = 100, file_of whose = file_of::anybody) {
    try {
      read_input(file, most, whose);
    } catch (skel::input_error const& refused) {
      EXPECT_EQ(refused.source(), file.string());
      return refused.what();
    }
    return "nothing was refused";
  }

  fs::path folder_;
};

TEST_F(InputFile, IsReadToItsLastByte) {
  std::string const bytes("a\0\xff\n\r", 5);
  EXPECT_EQ(read_input(write("a", bytes), 5), bytes);
  EXPECT_EQ(read_input(write("b", ""), 5), "");
  std::string const large(300'000, 'x');
  EXPECT_EQ(read_input(write("c", large), large.size()), large);
  fs::create_symlink("a", folder_ / "link");
  EXPECT_EQ(read_input(folder_ / "link", 5), bytes);
}

TEST_F(InputFile, ThatIsTooLargeIsRefusedWithTheLimit) {
  EXPECT_THAT(refusal(write("a", "123456"), 5),
              HasSubstr("a: cannot be read: is larger than 5 bytes, the most that is read"));
  fs::path const sparse = write("sparse", "");
  fs::resize_file(sparse, std::uintmax_t{1} << 40);
  EXPECT_THAT(refusal(sparse, std::uintmax_t{256} << 20), HasSubstr("is larger than 256 MiB"));
  EXPECT_THAT(refusal("/proc/self/maps", 20), HasSubstr("is larger than 20 bytes")) << "a file that says it has none";
}

TEST_F(InputFile, ThatIsNoFileIsRefusedAtOnce) {
  fs::path const pipe = folder_ / "pipe", there = folder_ / "socket";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal(pipe), HasSubstr("pipe: cannot be read: is a pipe, which may have no end"));
  int const socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(there.string().size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, there.c_str());
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address), 0);
  EXPECT_THAT(refusal(there), HasSubstr("is a socket"));
  ::close(socket);
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("is a device"));
  EXPECT_THAT(refusal(folder_), HasSubstr(": cannot be read: Is a directory"));
  EXPECT_THAT(refusal(folder_ / "none"), HasSubstr("none: cannot be opened: No such file or directory"));
}

TEST_F(InputFile, ThatOthersCanWriteIsNotBelievedAsOnesOwn) {
  fs::path const file = write("a", "text");
  fs::permissions(file, fs::perms(0644));
  EXPECT_EQ(read_input(file, 100, file_of::this_user), "text");
  for (unsigned const mode : {0664U, 0646U}) {
    fs::permissions(file, fs::perms(mode));
    EXPECT_THAT(refusal(file, 100, file_of::this_user), HasSubstr("a: is not believed: other users can write it"));
    EXPECT_EQ(read_input(file, 100), "text");
  }
  fs::permissions(file, fs::perms(0644));
  if (::chown(file.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give a file to another user";
  EXPECT_THAT(refusal(file, 100, file_of::this_user),
              HasSubstr("a: is not believed: it belongs to another user (number 65534)"));
  EXPECT_EQ(read_input(file, 100), "text");
}

}  // namespace
