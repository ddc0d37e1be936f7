#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>

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

using namespace std::string_literals;
using skel::next_line_ends;
using skel::plain_text;
using testing::AllOf;

std::string plain(std::string const& bytes) {
  return std::string(plain_text(bytes, "file").view());
}

std::string refusal(std::string const& bytes) {
  try {
    plain(bytes);
  } catch (skel::input_error const& refused) {
    EXPECT_EQ(refused.source(), "file");
    return refused.what();
  }
  return "nothing was refused";
}

TEST(PlainText, HasNoMarkAndOneKindOfLineEnd) {
  EXPECT_EQ(plain(""), "");
  EXPECT_EQ(plain("a\nb"), "a\nb");
  EXPECT_EQ(plain("\xef\xbb\xbf"
                  "a\n"),
            "a\n");
  EXPECT_EQ(plain("\xef\xbb\xbf"), "");
  EXPECT_EQ(plain("a\r\nb\r\n"), "a\nb\n");
  EXPECT_EQ(plain("a\rb\r\rc\r"), "a\nb\n\nc\n") << "Macintosh, with an empty line";
  EXPECT_EQ(plain("a\r\r\nb\r\r\n"), "a\nb\n") << "CR LF written as text once more";
  EXPECT_EQ(plain("a\rb\nc\r\nd\r\r"), "a\nb\nc\nd\n\n") << "all at once";
}

TEST(PlainText, CopiesNothingThatIsPlainAlready) {
  std::string const text = "a\nb\n", marked = "\xef\xbb\xbf" + text;
  EXPECT_EQ(plain_text(text, "file").view().data(), text.data());
  EXPECT_EQ(plain_text(marked, "file").view().data(), marked.data() + 3);
  plain_text const own("a\rb", "file"), copy = own;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.view(), "a\nb");
  EXPECT_NE(copy.view().data(), own.view().data());
}

TEST(PlainText, IsRefusedWithItsTrueKindIfItIsAnother) {
  for (auto const& [bytes, what] : std::vector<std::pair<std::string, std::string>>{
           {"\xff\xfe"
            "1\0 \0"s,
            "text in UTF-16; save it as UTF-8"},
           {"\xfe\xff\0"
            "1"s,
            "text in UTF-16"},
           {"\xff\xfe\0\0"
            "1\0\0\0"s,
            "text in UTF-32"},
           {"\0\0\xfe\xff\0\0\0"
            "1"s,
            "text in UTF-32"},
           {"\x1f\x8b\x08\0"s, "compressed by gzip; unpack it first"},
           {"BZh91AY&SY\x01\x02", "compressed by bzip2"},
           {"\xfd"
            "7zXZ\0\0"s,
            "compressed by xz"},
           {"\x28\xb5\x2f\xfd\x04", "compressed by zstd"},
           {"PK\x03\x04\x14", "zip archive"},
           {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "pointer of Git LFS"},
           {"\n <!DOCTYPE html>\n<html>", "web page"},
           {"<HTML>\n", "web page"}})
    EXPECT_THAT(refusal(bytes), AllOf(HasSubstr("file: "), HasSubstr(what)));
  EXPECT_EQ(plain("BZh9 is a name\n"), "BZh9 is a name\n");
  EXPECT_EQ(plain("<htm\n"), "<htm\n");
}

TEST(PlainText, HasNoByte0) {
  EXPECT_THAT(refusal("1\n\0 2"s), AllOf(HasSubstr("line 2"), HasSubstr("byte 0")));
  EXPECT_THAT(refusal("1\r2\r\n\0"s), HasSubstr("line 3"));
  EXPECT_THAT(refusal("1\0"s), AllOf(HasSubstr("line 1"), HasSubstr("UTF-8"))) << "UTF-16 without a mark";
}

TEST(LineEnds, AreUnclearWhereAnLFMayFollow) {
  auto const found = [](std::string const& text, std::size_t from) {
    auto const end = next_line_ends(text, from);
    return end ? std::vector{end->at, end->bytes, end->count} : std::vector<std::size_t>{};
  };
  EXPECT_THAT(found("ab", 0), testing::IsEmpty());
  EXPECT_THAT(found("ab\r", 0), testing::IsEmpty());
  EXPECT_THAT(found("ab\r\r", 0), testing::IsEmpty());
  EXPECT_THAT(found("ab\nc", 0), testing::ElementsAre(2, 1, 1));
  EXPECT_THAT(found("ab\r\nc", 1), testing::ElementsAre(2, 2, 1));
  EXPECT_THAT(found("ab\r\r\nc", 0), testing::ElementsAre(2, 3, 1));
  EXPECT_THAT(found("ab\r\rc", 0), testing::ElementsAre(2, 2, 2));
  EXPECT_THAT(found("ab\nc\n", 3), testing::ElementsAre(4, 1, 1));
}

TEST(ReadText, IsThePlainTextOfAFile) {
  std::string pattern = (std::filesystem::temp_directory_path() / "skel_text_XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  std::filesystem::path const file = std::filesystem::path(pattern) / "a";
  auto const read = [&](std::string const& bytes, std::uintmax_t most = 100) {
    std::ofstream(file, std::ios::binary) << bytes;
    try {
      return skel::read_text(file, most);
    } catch (skel::input_error const& refused) {
      return std::string(refused.what());
    }
  };
  EXPECT_EQ(read("a\nb"), "a\nb");
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a\r\nb\r"),
            "a\nb\n");
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a\n"),
            "a\n");
  EXPECT_THAT(read("\x1f\x8b"), AllOf(HasSubstr(file.string()), HasSubstr("gzip")));
  EXPECT_THAT(read("12345", 4), HasSubstr("is larger than 4 bytes"));
  std::filesystem::remove_all(pattern);
}

}  // namespace
