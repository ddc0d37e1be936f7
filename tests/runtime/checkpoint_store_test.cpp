#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/checkpoint_store.hpp>

namespace {

namespace fs = std::filesystem;
using skel::runtime::checkpoint;
using skel::runtime::checkpoint_store;
using testing::HasSubstr;
using testing::ThrowsMessage;

skel::runtime::program_identity const of_program{{"the number of stations", "3"},
                                                 {"station 1", "stage 'b'"},
                                                 {"the version of the state of stage 'b'", "2", true},
                                                 {"the types of all functions and operators", "types"}};

checkpoint some(std::uint64_t item) {
  return {item, {"source at " + std::to_string(item), std::string(40, static_cast<char>(item)), ""}};
}

class CheckpointStore : public testing::Test {
 protected:
  CheckpointStore() {
    auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("skel-store-" + std::to_string(::getpid()) + "-" + test->name());
  }
  ~CheckpointStore() override { fs::remove_all(folder_); }

  checkpoint_store open(std::size_t run = 1) const { return checkpoint_store(folder_, run, of_program, 0); }
  fs::path file_named(std::string const& number) const { return folder_ / ("run-1." + number + ".checkpoint"); }
  fs::path file(auto number) const { return file_named(std::to_string(number)); }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (auto const& entry : fs::directory_iterator(folder_))
      if (entry.path().filename() != "lock") out.push_back(entry.path().filename());
    std::ranges::sort(out);
    return out;
  }
  /// What is found by a program that starts now.
  std::optional<std::uint64_t> found(std::vector<std::string>* notes = nullptr) const {
    std::vector<std::string> some_notes;
    auto store = open();
    auto const what = store.last(notes == nullptr ? some_notes : *notes);
    store.read();
    if (!what) return std::nullopt;
    EXPECT_EQ(what->what.states, some(what->what.item).states);
    return what->what.item;
  }
  std::string bytes(fs::path const& of) const {
    std::ifstream in(of, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(fs::path const& to, std::string const& what) const {
    std::ofstream(to, std::ios::binary | std::ios::trunc) << what;
  }

  fs::path folder_;
};

TEST_F(CheckpointStore, GivesTheLastOneAndKeepsTwo) {
  {
    auto store = open();
    std::vector<std::string> notes;
    EXPECT_FALSE(store.last(notes));
    for (int item = 1; item <= 4; ++item) {
      auto const bytes = store.write(some(static_cast<std::uint64_t>(item)));
      EXPECT_EQ(bytes, fs::file_size(file(item)));
    }
  }
  EXPECT_THAT(files(), testing::ElementsAre("run-1.3.checkpoint", "run-1.4.checkpoint"));
  EXPECT_EQ(found(), 4U);
  auto store = open();
  store.write(some(5));
  EXPECT_THAT(files(), testing::ElementsAre("run-1.4.checkpoint", "run-1.5.checkpoint"));
  store.remove();
  EXPECT_THAT(files(), testing::IsEmpty());
}

/// A program keeps checkpoints in an archive, or somebody who may write in the folder puts links there.
TEST_F(CheckpointStore, NeverWritesThroughALink) {
  fs::create_directories(folder_);
  fs::path const archive = folder_ / "archive", victim = folder_ / "victim";
  put(victim, "precious");
  for (bool const hard : {false, true}) {
    {
      auto store = open();
      for (int item = 1; item <= 2; ++item) store.write(some(static_cast<std::uint64_t>(item)));
    }
    fs::rename(file(1), archive);
    std::string const kept = bytes(archive);
    auto const link = [&](fs::path const& to, fs::path const& name) {
      fs::remove(name);
      hard ? fs::create_hard_link(to, name) : fs::create_symlink(to, name);
    };
    link(archive, file(1));
    link(victim, file(2).string() + ".reading");
    link(victim, folder_ / "run-1.next.part");
    std::vector<std::string> notes;
    auto store = open();
    ASSERT_TRUE(store.last(notes));
    store.read();
    link(victim, file(3).string() + ".writing-" + std::to_string(::getpid()) + "-0");
    store.write(some(3));
    link(victim, file(4));
    for (std::uint64_t item = 4; item <= 6; ++item) store.write(some(item));
    EXPECT_EQ(bytes(archive), kept);
    EXPECT_EQ(bytes(victim), "precious");
    store.remove();
    EXPECT_EQ(bytes(archive), kept);
    EXPECT_EQ(bytes(victim), "precious");
    fs::remove(archive);
    fs::remove(folder_ / "run-1.next.part");
  }
}

TEST_F(CheckpointStore, ALockThatIsALinkIsRefused) {
  fs::create_directories(folder_);
  fs::create_symlink(folder_ / "made", folder_ / "lock");
  EXPECT_THAT([&] { open(); }, ThrowsMessage<skel::error>(HasSubstr("lock: is a link")));
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

TEST_F(CheckpointStore, AreOfThisUserOnly) {
  open().write(some(1));
  EXPECT_EQ(fs::status(file(1)).permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(folder_ / "lock").permissions(), fs::perms(0600));
  std::vector<std::string> notes;
  {
    auto store = open();
    store.last(notes);
    EXPECT_EQ(fs::status(file(1).string() + ".reading").permissions(), fs::perms(0600));
    store.read();
  }
  fs::permissions(file(1), fs::perms(0620));
  auto const read = [&] { open().last(notes); };
  EXPECT_THAT(read, ThrowsMessage<skel::error>(testing::AllOf(HasSubstr(file(1).string() + ": is not believed"),
                                                              HasSubstr("other users can write it"))));
  fs::permissions(file(1), fs::perms(0600));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  ASSERT_EQ(::chown(file(1).c_str(), 12345, 12345), 0);
  EXPECT_THAT(read, ThrowsMessage<skel::error>(testing::AllOf(HasSubstr("it belongs to another user (number 12345)"),
                                                              HasSubstr("or remove it"))));
  EXPECT_TRUE(fs::exists(file(1)));
}

TEST_F(CheckpointStore, UsesTheOneBeforeWhereAnyByteIsCut) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  std::string const whole = bytes(file(2));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(file(2), whole.substr(0, length));
    std::vector<std::string> notes;
    ASSERT_EQ(found(&notes), 1U) << length;
    ASSERT_THAT(notes, testing::ElementsAre(HasSubstr(file(2).string() + ": this checkpoint is damaged")));
  }
  put(file(2), whole + "x");
  EXPECT_EQ(found(), 1U);
  put(file(2), whole);
  EXPECT_EQ(found(), 2U);
}

TEST_F(CheckpointStore, UsesTheOneBeforeWhereAnyByteIsAnother) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  std::string const whole = bytes(file(2));
  std::mt19937 random(1);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ static_cast<char>(1 + random() % 255));
    put(file(2), other);
    ASSERT_EQ(found(), 1U) << at;
  }
}

TEST_F(CheckpointStore, BeginsAnewWhereNoneIsLeft) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  put(file(1), ""), put(file(2), "skel");
  std::vector<std::string> notes;
  EXPECT_FALSE(found(&notes));
  EXPECT_EQ(notes.size(), 2U);
  auto store = open();
  store.write(some(3));
  EXPECT_TRUE(fs::exists(file(1)) || fs::exists(file(3)));
}

TEST_F(CheckpointStore, PutsAsideWhatAProgramHasDiedOfTwice) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  std::vector<std::string> notes;
  for (int life = 0; life < 2; ++life) {
    auto store = open();
    EXPECT_EQ(store.last(notes)->what.item, 2U);  // and dies
  }
  EXPECT_THAT(notes, testing::IsEmpty());
  EXPECT_EQ(found(&notes), 1U);
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("died twice while it read this checkpoint")));
  EXPECT_TRUE(fs::exists(file(2).string() + ".aside"));
}

TEST_F(CheckpointStore, CountsNoDeathsAfterItWasRead) {
  open().write(some(1));
  for (int life = 0; life < 5; ++life) EXPECT_EQ(found(), 1U);
}

TEST_F(CheckpointStore, LeavesWhatCannotBeReadWhereItIs) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  fs::remove(file(2));
  fs::create_symlink(file(2), file(2));  // cannot be opened: ELOOP
  std::vector<std::string> notes;
  EXPECT_THAT([&] { found(&notes); }, ThrowsMessage<skel::error>(testing::AllOf(
                                          HasSubstr(file(2).string() + ": this checkpoint cannot be read: "),
                                          HasSubstr("it stays where it is"))));
  EXPECT_THAT(notes, testing::IsEmpty());
  EXPECT_THAT(files(), testing::ElementsAre("run-1.1.checkpoint", "run-1.2.checkpoint"));
}

TEST_F(CheckpointStore, DoesNotBeginAnewWhereTheFolderCannotBeListed) {
  auto store = open();
  store.write(some(1));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit const none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  std::vector<std::string> notes;
  EXPECT_THAT([&] { store.last(notes); },
              ThrowsMessage<skel::error>(HasSubstr("which checkpoints there are cannot be read: Too many open files")));
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(store.last(notes)->what.item, 1U);
  EXPECT_THAT(notes, testing::IsEmpty());
}

/// A file that is as long as nothing else is: in memory, where files may be, and what nobody has written takes none.
class HugeCheckpoint : public CheckpointStore {
 protected:
  ~HugeCheckpoint() override { fs::remove(huge_); }
  /// False: there is no file system in memory.
  bool has_file(std::string const& begin, std::uint64_t bytes) const {
    put(huge_, begin);
    if (::truncate(huge_.c_str(), static_cast<off_t>(bytes)) != 0) return false;
    fs::remove(file(2));
    fs::create_symlink(huge_, file(2));
    return true;
  }
  /// How one begins whose only part is so long.
  static std::string head(std::uint64_t bytes, std::uint32_t version = 2) {
    std::string out = "skelckpt";
    auto const add = [&](auto value) { out.append(reinterpret_cast<char const*>(&value), sizeof value); };
    add(version), add(std::uint32_t{1}), add(bytes), add(std::uint64_t{0});
    add(XXH3_64bits(out.data(), out.size()));
    return out;
  }

  fs::path huge_ = "/dev/shm/skel-store-" + std::to_string(::getpid());
};

TEST_F(HugeCheckpoint, OfAnotherVersionIsRefusedAndStays) {
  open().write(some(1));
  put(file(2), head(0, 1));
  EXPECT_THAT([&] { found(); },
              ThrowsMessage<skel::error>(HasSubstr("is of version 1, and this skel reads version 2; remove it")));
  EXPECT_TRUE(fs::exists(file(2)));
}

#if !defined(SKEL_ADDRESS_SANITIZER) && !defined(SKEL_THREAD_SANITIZER)  // which end a process that asks for so much
TEST_F(HugeCheckpoint, ThatSaysSoItselfIsOneForWhichThereIsNoMemory) {
  open().write(some(1));
  constexpr std::uint64_t huge = std::uint64_t{1} << 62U;
  auto const begin = head(huge);
  if (!has_file(begin, begin.size() + huge)) GTEST_SKIP() << "there is no file system in memory";
  EXPECT_THAT([&] { found(); },
              ThrowsMessage<skel::error>(HasSubstr("there is no memory for its " + std::to_string(huge) + " bytes")));
  EXPECT_TRUE(fs::exists(file(2)));
}
#endif

TEST_F(HugeCheckpoint, ThatSaysAnotherLengthIsDamagedAndNotRead) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  constexpr std::uint64_t longest = std::numeric_limits<off_t>::max();
  auto const whole = bytes(file(2));
  for (auto const& begin :
       {std::string(), whole, whole.substr(0, whole.size() / 2), head(longest / 2), head(longest)}) {
    if (!has_file(begin, longest)) GTEST_SKIP() << "there is no file system in memory";
    std::vector<std::string> notes;
    EXPECT_EQ(found(&notes), 1U);
    EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("this checkpoint is damaged")));
  }
}

TEST_F(HugeCheckpoint, ThatIsShortHasNoMemoryTaken) {
  open().write(some(1));
  for (std::uint64_t const bytes : {std::uint64_t{1}, std::uint64_t{1} << 62U, ~std::uint64_t{0}}) {
    put(file(2), head(bytes));
    std::vector<std::string> notes;
    EXPECT_EQ(found(&notes), 1U);
    EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("its end is missing")));
  }
}

TEST_F(CheckpointStore, SaysWhereADamagedOneCannotBePutAside) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  put(file(2), "skel");
  fs::create_directories(file(2).string() + ".damaged");
  std::vector<std::string> notes;
  for (int start = 0; start < 2; ++start) EXPECT_EQ(found(&notes), 1U);
  EXPECT_THAT(notes,
              testing::Each(testing::AllOf(HasSubstr("this checkpoint is damaged"),
                                           HasSubstr("cannot be put aside as " + file(2).string() + ".damaged: "),
                                           testing::Not(HasSubstr("is put aside")))));
  EXPECT_EQ(notes.size(), 2U);
}

TEST_F(CheckpointStore, WaitsForNothingThatIsNoFile) {
  {
    auto store = open();
    store.write(some(1));
  }
  ASSERT_EQ(::mkfifo(file(2).c_str(), 0600), 0);
  std::vector<std::string> notes;
  EXPECT_EQ(found(&notes), 1U);
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("it is no file")));
}

TEST_F(CheckpointStore, CountsAnewWhereNumbersEnd) {
  constexpr auto last = std::numeric_limits<std::uint64_t>::max();
  {
    auto store = open();
    for (std::uint64_t item : {1U, 2U}) store.write(some(item));
  }
  fs::rename(file(2), file(last));
  fs::rename(file(1), file(last - 1));
  {
    std::vector<std::string> notes;
    EXPECT_EQ(open().last(notes)->what.item, 2U);  // and dies
    fs::rename(file(1), file(last - 1));           // once
    fs::rename(file(1).string() + ".reading", file(last - 1).string() + ".reading");
    EXPECT_EQ(open().last(notes)->what.item, 2U);  // twice
    EXPECT_EQ(open().last(notes)->what.item, 1U);
    EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("died twice while it read this checkpoint")));
  }
  for (std::uint64_t item : {3U, 4U, 5U}) {
    {
      auto store = open();
      store.write(some(item));
    }
    EXPECT_EQ(found(), item);
  }
}

TEST_F(CheckpointStore, HasNothingToDoWithNumbersThatItDoesNotWrite) {
  open().write(some(1));
  auto const whole = bytes(file(1));
  for (auto const* other : {"99999999999999999999", "007", "", "a", "1a", "-1"}) put(file_named(other), whole);
  std::vector<std::string> notes;
  EXPECT_EQ(found(&notes), 1U);
  EXPECT_THAT(notes, testing::IsEmpty());
}

TEST_F(CheckpointStore, GoesByNumbersAndNotByTheClock) {
  {
    auto store = open();
    store.write(some(1)), store.write(some(2));
  }
  fs::last_write_time(file(2), fs::file_time_type::clock::now() - std::chrono::hours(100000));
  EXPECT_EQ(found(), 2U);
}

TEST_F(CheckpointStore, RefusesThoseOfAnotherProgram) {
  open().write(some(1));
  auto const why = [&](skel::runtime::program_identity const& other) -> std::string {
    std::vector<std::string> notes;
    try {
      checkpoint_store(folder_, 1, other, 0).last(notes);
    } catch (skel::error const& e) {
      return e.what();
    }
    return "";
  };
  auto other = of_program;
  other[1].value = "stage 'x'";
  EXPECT_THAT(why(other), testing::AllOf(HasSubstr(file(1).string()),
                                         HasSubstr("of another program: station 1 is "
                                                   "stage 'b' there and stage 'x' here"),
                                         HasSubstr("or remove the file to begin anew")));
  other = of_program;
  other.back().value = "others";
  EXPECT_THAT(why(other), HasSubstr("functions or operators of other types"));
  other.erase(other.begin());
  EXPECT_THAT(why(other), HasSubstr("it depends on the number of stations, and this one on station 1"));
  other = of_program;
  other[2].value = "1";
  EXPECT_THAT(why(other), HasSubstr("the version of the state of stage 'b' is 2 there and 1 here"));
  other[2].value = "10";
  EXPECT_EQ(why(other), "");
  EXPECT_EQ(found(), 1U);
}

TEST_F(CheckpointStore, KeepsRunsOfAProgramApart) {
  open(1).write(some(1));
  open(2).write(some(2));
  EXPECT_EQ(found(), 1U);
  EXPECT_THAT(skel::runtime::newest_checkpoints(folder_),
              testing::ElementsAre(testing::Pair(1U, 1U), testing::Pair(2U, 1U)));
  EXPECT_EQ(skel::runtime::newest_checkpoint(folder_), (std::pair<std::uint64_t, std::uint64_t>(2, 1)));
  open(1).remove();
  EXPECT_THAT(files(), testing::ElementsAre("run-2.1.checkpoint"));
  EXPECT_FALSE(skel::runtime::newest_checkpoint(folder_ / "none"));
}

TEST_F(CheckpointStore, IsOfOneProcess) {
  auto const mine = open();
  EXPECT_THAT([&] { open(); }, ThrowsMessage<skel::error>(HasSubstr("another program keeps its checkpoints there")));
}

TEST_F(CheckpointStore, ThatCannotBeMadeIsRefused) {
  put(folder_, "a file");
  EXPECT_THAT([&] { open(); }, ThrowsMessage<skel::error>(HasSubstr("checkpoints cannot be kept there")));
  EXPECT_THAT([&] { checkpoint_store(folder_ / "below", 1, of_program, 0); },
              ThrowsMessage<skel::error>(HasSubstr("checkpoints cannot be kept there")));
}

TEST_F(CheckpointStore, KeepsWhatThereIsWhereTheDiskIsFull) {
  auto store = open();
  store.write(some(1));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit const small{10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THAT([&] { store.write(some(2)); },
              ThrowsMessage<skel::error>(HasSubstr("cannot be written: File too large")));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(files(), testing::ElementsAre("run-1.1.checkpoint"));
  store.write(some(3));
  EXPECT_THAT(files(), testing::ElementsAre("run-1.1.checkpoint", "run-1.2.checkpoint"));
}

TEST_F(CheckpointStore, RemovesWhatWasHalfWritten) {
  open().write(some(1));
  put(folder_ / "run-1.2.checkpoint.writing-4711-0", "half");
  put(folder_ / "run-2.2.checkpoint.writing-4711-0", "of another run");
  open();
  fs::remove(folder_ / "run-2.2.checkpoint.writing-4711-0");
  EXPECT_THAT(files(), testing::ElementsAre("run-1.1.checkpoint"));
}

}  // namespace
