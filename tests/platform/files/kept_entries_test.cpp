#include <skel/detail/platform/kept_entries.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/platform/files.hpp>

namespace {

namespace fs = std::filesystem;
using skel::platform::entries;
using skel::platform::kept_entries;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class KeptEntries : public testing::Test {
 protected:
  KeptEntries() {
    std::string pattern = (fs::temp_directory_path() / "skel-kept-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~KeptEntries() override { fs::remove_all(folder); }
  kept_entries here(std::string machine = "a,b") const { return {file(), std::move(machine)}; }
  fs::path file() const { return folder / "in" / "knowledge.txt"; }

  fs::path folder;
};

TEST_F(KeptEntries, AreReadBackInTheirOrder) {
  EXPECT_TRUE(here().read().found.empty());
  EXPECT_EQ(here().add({{"one", "1 2"}, {"two", ""}}), "");
  EXPECT_EQ(here().add({{"three", "x"}, {"one", "9"}}), "");
  auto const [found, warning, is_usable] = here().read();
  EXPECT_THAT(found, ElementsAre(Pair("two", ""), Pair("three", "x"), Pair("one", "9")));
  EXPECT_EQ(warning, "");
}

TEST_F(KeptEntries, OfEqualKeysKeepTheLast) {
  EXPECT_EQ(here().add({{"one", "1"}, {"two", "2"}, {"one", "3"}}), "");
  EXPECT_THAT(here().read().found, ElementsAre(Pair("two", "2"), Pair("one", "3")));
}

TEST_F(KeptEntries, OfAnotherMachineArePutAside) {
  here().add({{"one", "1"}});
  auto const [found, warning, is_usable] = here("a,c").read();
  EXPECT_TRUE(found.empty());
  EXPECT_THAT(warning, HasSubstr("another machine"));
  EXPECT_THAT(warning, HasSubstr(".aside"));
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_TRUE(fs::exists(file().string() + ".aside"));
}

TEST_F(KeptEntries, ThatAreDamagedArePutAsideWhereverTheDamageIs) {
  here().add({{"one", "1 2 3"}, {"two", "4"}});
  std::string const whole = skel::read_text(file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (bool const cut : {false, true}) {
      std::string text = whole;
      if (cut)
        text.resize(at);
      else
        text[at] = static_cast<char>(text[at] ^ 1);
      std::ofstream(file()) << text;
      auto const [found, warning, is_usable] = here().read();
      ASSERT_TRUE(found.empty()) << at << (cut ? " cut" : " changed");
      ASSERT_EQ(warning.empty(), cut && at == 0) << at;  // an empty file is new
    }
  }
  EXPECT_EQ(here().add({{"new", "1"}}), "");  // begins anew
  EXPECT_THAT(here().read().found, ElementsAre(Pair("new", "1")));
}

TEST_F(KeptEntries, KeepNoMoreThanTheyMayAndForgetTheOldest) {
  std::string const large(kept_entries::most_bytes / 4, 'x');
  for (int k = 0; k < 10; ++k) here().add({{std::to_string(k), large}});
  EXPECT_LE(fs::file_size(file()), kept_entries::most_bytes + 200);
  auto const found = here().read().found;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.front().first, "7");
  EXPECT_EQ(found.back().first, "9");
}

TEST_F(KeptEntries, SayWhyTheyCannotBeWritten) {
  fs::create_directories(file().string() + ".lock");  // a folder is in the way
  try {
    here().add({{"one", "1"}});
    FAIL() << "written";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr(file().string()));
  }
}

TEST_F(KeptEntries, PutAsideWhatIsNoFile) {
  fs::create_directories(file());
  EXPECT_THAT(here().read().warning, HasSubstr("put aside"));
  EXPECT_EQ(here().add({{"one", "1"}}), "");
  EXPECT_THAT(here().read().found, ElementsAre(Pair("one", "1")));
}

/// What is at a path, as far as somebody would miss it.
std::string seen(fs::path const& path) {
  auto const type = fs::symlink_status(path).type();
  if (type == fs::file_type::regular) return "file: " + skel::read_text(path);
  if (type == fs::file_type::symlink) return "link to " + fs::read_symlink(path).string();
  return "type " + std::to_string(static_cast<int>(type));
}

TEST_F(KeptEntries, LeaveWhatUsersNameAndIsNoKnowledgeAsItIs) {
  fs::create_directories(folder / "in" / "dir" / "with");
  std::ofstream(folder / "in" / "notes") << "my notes";
  fs::create_symlink("nowhere", folder / "in" / "dangling");
  fs::create_symlink("loop", folder / "in" / "loop");
  ASSERT_EQ(::mkfifo((folder / "in" / "pipe").c_str(), 0600), 0);
  std::ofstream(folder / "in" / "damaged") << "skel_knowledge 1\nmachine a,b\nchecksum 0\n";
  fs::create_symlink("damaged", folder / "in" / "link");
  for (char const* const name : {"dir", "notes", "dangling", "loop", "pipe", "link"}) {
    fs::path const path = folder / "in" / name;
    std::string const before = seen(path);
    kept_entries const named(path, "a,b", kept_entries::place::named);
    auto const answer = named.read();
    EXPECT_TRUE(answer.found.empty());
    EXPECT_FALSE(answer.is_usable) << name;
    EXPECT_THAT(answer.warning, HasSubstr("stays as it is"));
    EXPECT_THROW(named.add({{"one", "1"}}), skel::error) << name;
    EXPECT_EQ(seen(path), before) << name;
    EXPECT_FALSE(fs::exists(path.string() + ".aside")) << name;
  }
}

TEST_F(KeptEntries, ThatUsersNameArePutAsideWhereTheyAreDamagedAndNothingIsLost) {
  kept_entries const named(file(), "a,b", kept_entries::place::named);
  std::string const aside = file().string() + ".aside";
  for (char const* const in_the_way : {"", "skel_knowledge 1\n", "my notes"}) {
    fs::remove_all(folder / "in");
    ASSERT_EQ(named.add({{"one", "1"}}), "");
    std::ofstream(file(), std::ios::app) << "more";
    if (*in_the_way != '\0') std::ofstream(aside) << in_the_way;
    bool const is_mine = std::string_view(in_the_way) == "my notes";
    EXPECT_EQ(named.read().is_usable, !is_mine);
    EXPECT_EQ(fs::exists(file()), is_mine);
    EXPECT_EQ(skel::read_text(aside) == in_the_way, is_mine);
  }
}

TEST_F(KeptEntries, ThatUsersNameAndAreOfOtherRanksStay) {
  kept_entries const first(file(), "a", kept_entries::place::named), second(file(), "a a", kept_entries::place::named);
  first.add({{"one", "1"}});
  EXPECT_THAT(second.read().warning, HasSubstr("of other ranks"));
  EXPECT_THROW(second.add({{"two", "2"}}), skel::error);
  EXPECT_THAT(first.read().found, ElementsAre(Pair("one", "1")));
  std::ofstream(folder / "empty") << "";
  kept_entries const empty(folder / "empty", "a", kept_entries::place::named);
  EXPECT_EQ(empty.add({{"one", "1"}}), "") << "somebody has made it";
}

using skel::platform::open_knowledge;
std::vector<std::string> const one_rank{"a"}, two_ranks{"a", "a"};

/// Each of these stays, and the reason is said before anything is learnt.
TEST_F(KeptEntries, OfWhatUsersNameTheTrueReasonIsSaidWhyNothingIsKept) {
  skel::platform::description const by_hand(1e-6, {{.name = "a", .hosts = 2, .inside = {5e-5, 1e8}}}, {});
  std::ofstream(folder / "platform") << skel::platform::to_json(by_hand);
  std::ofstream(folder / "spread") << "{\n  \"skel_platform\": 1,\n  \"local_latency\": 1e-6\n}\n";
  std::ofstream(folder / "decisions") << R"({"decision": 1, "problem": "allreduce"})" << '\n';
  std::ofstream(folder / "trace") << R"({"traceEvents":[]})" << '\n';
  std::ofstream(folder / "notes") << "my notes\nof today";
  fs::create_directory(folder / "dir");
  kept_entries(folder / "of others", "b").add({{"one", "1"}});
  std::vector<std::pair<std::string, std::string>> const all{
      {"platform", "--skel-platform FILE takes a platform"},
      {"spread", "'skel_platform'; --skel-platform"},
      {"decisions", "is no knowledge, but decisions"},
      {"trace", R"(is no knowledge: '{"traceEvents":[]}')"},
      {"notes", "is no knowledge: 'my notes'"},
      {"dir", "directory"},
      {"of others", "of other ranks: 'machine b'"},
      {"notes/knowledge.txt", "cannot be written: Not a directory; nothing is kept"}};
  for (auto const& [name, reason] : all)
    for (auto const& ranks : {one_rank, two_ranks}) {
      fs::path const path = folder / name;
      auto const before = seen(path);
      auto const opened = open_knowledge(ranks, path.string(), true);
      EXPECT_FALSE(opened.kept) << name;
      EXPECT_TRUE(opened.known.empty()) << name;
      EXPECT_THAT(opened.warning, testing::AllOf(HasSubstr(path.string()), HasSubstr(reason)));
      EXPECT_EQ(seen(path), before) << name;
    }
}

TEST_F(KeptEntries, OfWhatUsersNameAreKeptWhereThereIsNothingOrAnEarlierVersion) {
  std::ofstream(folder / "empty") << "";
  std::ofstream(folder / "earlier") << "skel_knowledge 0\nof another format\n";
  for (std::string const name : {"new", "no/such/folder/new", "empty", "earlier"})
    for (auto const& ranks : {one_rank, two_ranks}) {
      if (ranks == two_ranks) fs::remove(folder / name);
      auto const opened = open_knowledge(ranks, (folder / name).string(), true);
      ASSERT_TRUE(opened.kept) << name;
      EXPECT_EQ(opened.warning.empty(), name != "earlier" || ranks == two_ranks) << opened.warning;
      opened.kept->add({{"one", "1"}});
      EXPECT_THAT(open_knowledge(ranks, (folder / name).string(), true).known, ElementsAre(Pair("one", "1")));
    }
  EXPECT_EQ(skel::read_text(folder / "earlier.aside"), "skel_knowledge 0\nof another format\n");
}

TEST_F(KeptEntries, ThatUsersMadeReadOnlyAreUsedAndStay) {
  kept_entries(file(), "a", kept_entries::place::named).add({{"one", "1"}});
  fs::permissions(file(), fs::perms::owner_read);
  auto const before = seen(file());
  auto const opened = open_knowledge(one_rank, file().string(), true);
  EXPECT_THAT(opened.known, ElementsAre(Pair("one", "1")));
  EXPECT_FALSE(opened.kept);
  EXPECT_THAT(opened.warning, HasSubstr("is read-only"));
  EXPECT_THROW(kept_entries(file(), "a", kept_entries::place::named).add({{"two", "2"}}), skel::error);
  EXPECT_EQ(seen(file()), before);
}

TEST_F(KeptEntries, AreNoneOfAPlatformThatWasNotMeasuredAndThatIsSaidOfAFileThatUsersName) {
  for (auto const& ranks : {one_rank, two_ranks}) {
    auto const opened = open_knowledge(ranks, file().string(), false);
    EXPECT_FALSE(opened.kept);
    EXPECT_THAT(opened.warning, testing::AllOf(HasSubstr(file().string()), HasSubstr("platform was not measured")));
    EXPECT_EQ(open_knowledge(ranks, "off", false).warning, "");
    ::setenv("SKEL_KNOWLEDGE", file().c_str(), 1);
    EXPECT_EQ(open_knowledge(ranks, "", false).warning, opened.warning);
    ::unsetenv("SKEL_KNOWLEDGE");
    EXPECT_EQ(open_knowledge(ranks, "", false).warning, "") << "nobody named the file in the cache";
    ::setenv("SKEL_KNOWLEDGE", "off", 1);
  }
  EXPECT_FALSE(fs::exists(folder / "in"));
}

// Each of 200 processes adds an entry of its own, and all change a common one.
TEST_F(KeptEntries, OfManyProcessesAtOnceAreAllKept) {
  constexpr int processes = 40;  // each waits for all others, and no longer than the patience of kept_entries
  std::vector<pid_t> all;
  for (int k = 0; k < processes; ++k) {
    pid_t const child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        here().add({{"own " + std::to_string(k), "1"}, {"common", std::to_string(k)}});
        _exit(0);
      } catch (...) {
        _exit(1);
      }
    }
    all.push_back(child);
  }
  for (pid_t const child : all) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  auto const [found, warning, is_usable] = here().read();
  EXPECT_EQ(warning, "");
  EXPECT_EQ(found.size(), processes + 1u);
}

}  // namespace
