#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

#include "command.hpp"

namespace {

using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using skel::testing_tools::skel;
using testing::HasSubstr;

constexpr char const* platform = R"({"skel_platform": 1, "clusters": [
  {"name": "a", "hosts": 4, "speed": 1, "latency": 5e-5, "bandwidth": 1e8},
  {"name": "b", "hosts": 4, "speed": 1, "latency": 1e-4, "bandwidth": 1e8}],
  "links": [{"from": "a", "to": "b", "latency": 1e-2, "bandwidth": 1e8},
            {"from": "b", "to": "a", "latency": 1e-2, "bandwidth": 1e8}]})";

class ExportRules : public FolderTest {
 protected:
  std::string rules_ = (folder_ / "rules.txt").string();

  outcome exported(std::vector<std::string> const& more) const {
    std::vector<std::string> arguments{"export-rules", file("grid.json", platform)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return skel(arguments);
  }
};

TEST_F(ExportRules, WritesAFileAndSaysHowToUseIt) {
  auto const result = exported({"-o", rules_, "--ranks", "2,4", "--sizes", "1024,65536"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("rules for 8 collectives written to " + rules_));
  EXPECT_THAT(result.out, HasSubstr("--mca coll_tuned_dynamic_rules_filename " + rules_));
  EXPECT_THAT(result.out, HasSubstr("--every-operator"));
  std::ifstream in(rules_);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(exported({"--ranks", "2,4", "--sizes", "1024,65536"}).out, text.str());
  EXPECT_EQ(exported({"--ranks", "2,4", "--sizes", "1k,64KiB"}).out, text.str());
}

TEST_F(ExportRules, GivesTheSameAsJson) {
  auto const answer = exported({"--json", "-o", rules_, "--ranks", "8", "--sizes", "1048576"}).json();
  ASSERT_EQ(answer["collectives"].size(), 8U);
  EXPECT_EQ(answer["collectives"][0]["operation"], "broadcast");
  EXPECT_EQ(answer["collectives"][0]["number"], 7);
  EXPECT_EQ(answer["collectives"][0]["sizes"][0]["ranks"], 8);
  EXPECT_EQ(answer["collectives"][0]["sizes"][0]["rules"][0]["bytes"], 0);
  EXPECT_EQ(answer["file"], rules_);
}

TEST_F(ExportRules, ShowsTheNameOfItsFileWithoutControls) {
  auto const result = exported({"-o", (folder_ / "a\x1b.txt").string(), "--ranks", "2", "--sizes", "1k"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a\\x1b.txt\n"));
}

TEST_F(ExportRules, NeverWritesOverItsPlatform) {
  auto const input = (folder_ / "grid.json").string(), link = (folder_ / "link").string();
  std::filesystem::create_symlink(input, link);
  for (auto const& output : {input, link}) {
    auto const refused = exported({"-o", output, "--ranks", "2", "--sizes", "1k"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, testing::AllOf(HasSubstr("-o"), HasSubstr(input), HasSubstr(output)));
    std::stringstream text;
    text << std::ifstream(input).rdbuf();
    EXPECT_EQ(text.str(), platform);
  }
}

TEST_F(ExportRules, RefusesWhatCannotBeMeant) {
  auto const refused = [&](std::vector<std::string> const& arguments) {
    auto const result = exported(arguments);
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_THAT(refused({"--ranks", "1"}), HasSubstr("--ranks: has 1; numbers of ranks are 2 or more"));
  EXPECT_THAT(refused({"--ranks", "4,9"}), HasSubstr("has 8 hosts; one rank runs on each"));
  EXPECT_THAT(refused({"--sizes", "-4"}), HasSubstr("--sizes: is -4; a whole number"));
  EXPECT_THAT(refused({"--gamma", "-1"}), HasSubstr("--gamma"));

  std::string const large = file("large.json", R"({"skel_platform": 1, "clusters": [
    {"name": "a", "hosts": 60000, "speed": 1, "latency": 5e-5, "bandwidth": 1e8}]})");
  auto const many = skel({"export-rules", large});
  EXPECT_EQ(many.status, 2);
  EXPECT_THAT(many.err, HasSubstr("--ranks: would be up to 60000; rules are made for up to 8192 ranks"));
  EXPECT_EQ(skel({"export-rules", large, "--ranks", "64", "--sizes", "1k"}).status, 0);
}

TEST_F(ExportRules, ALinkThatTakesForeverIsAnError) {
  auto slow = nlohmann::json::parse(std::ifstream(skel::testing_tools::data("grid5000_plogp.json")));
  slow["links"][6]["plogp"]["g"][5][1] = 1e300;
  auto const result = skel({"export-rules", file("slow.json", slow.dump())});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("which is too long to compute with"));
}

#if SKEL_WITH_MPI

/// The numbers of a file of rules, in a form in which a rule can be changed.
class rules_file {
 public:
  explicit rules_file(std::string const& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      for (auto const number : skel::words_in(std::string_view(line).substr(0, line.find('#'))))
        numbers_.push_back(skel::number_in<long>(number).value());
    }
  }

  /// In the rules for communicators of `ranks`, the last rule of each collective names an algorithm that there is not.
  /// Calls visit(number of the collective, bytes from which that rule holds).
  void plant(long ranks, std::function<void(long, long)> const& visit) {
    std::size_t at = 0;
    for (long collectives = numbers_.at(at++); collectives > 0; --collectives) {
      long const number = numbers_.at(at++);
      for (long sizes = numbers_.at(at++); sizes > 0; --sizes) {
        bool const wanted = numbers_.at(at++) == ranks;
        auto const count = static_cast<std::size_t>(numbers_.at(at++));
        at += 4 * count;
        if (!wanted) continue;
        numbers_.at(at - 3) = 99;
        visit(number, numbers_.at(at - 4));
      }
    }
    EXPECT_EQ(at, numbers_.size());
  }

  std::string text() const {
    std::string result;
    for (long number : numbers_) result += std::to_string(number) + "\n";
    return result;
  }

 private:
  std::vector<long> numbers_;
};

constexpr struct {
  char const* name;
  long number;
} operations[] = {{"allgather", 0}, {"allreduce", 2}, {"alltoall", 3}, {"barrier", 6},
                  {"broadcast", 7}, {"gather", 9},    {"reduce", 11},  {"scatter", 15}};
constexpr long sizes[] = {0, 1188, 1200, 11988, 12000, 120000, 1200000};  // thirds and quarters are whole

class ExportedRules : public ExportRules {
 protected:
  /// Every collective with every size on `ranks` ranks that follow these rules: a line for each.
  std::string collectives(int ranks, std::string const& text) const {
    std::vector<std::string> arguments{SKEL_MPIRUN,
                                       "--timeout",
                                       "100",
                                       "-np",
                                       std::to_string(ranks),
                                       "--mca",
                                       "coll_tuned_use_dynamic_rules",
                                       "1",
                                       "--mca",
                                       "coll_tuned_dynamic_rules_filename",
                                       file("used.txt", text),
                                       SKEL_EACH_COLLECTIVE};
    for (long const bytes : sizes) arguments.push_back(std::to_string(bytes));
    std::vector<std::string> environment{SKEL_MPIRUN_ENVIRONMENT,
                                         "OMPI_MCA_orte_tmpdir_base=" + (folder_ / "mpi").string()};
    // Only the slow unwinder tells what Open MPI leaves from what the program leaves.
    if (char const* options = std::getenv("ASAN_OPTIONS"))
      environment.push_back("ASAN_OPTIONS=" + std::string(options) + ":fast_unwind_on_malloc=0");
    auto const result = skel::testing_tools::run(arguments, {.environment = environment});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return result.out;
  }

  std::string exported_text() const {
    auto const result = exported({"--ranks", "2,4", "--sizes", "1200,12000,120000"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }

  /// Plants a wrong algorithm in the rules for `entry` ranks, cuts off the last `cut` characters of the file, and looks
  /// on `ranks` ranks whether exactly the calls that this rule is for are refused: only then does Open MPI follow the
  /// file.
  void expect_followed(long entry, int ranks, std::size_t cut, bool followed) const {
    rules_file rules(exported_text());
    std::vector<std::pair<long, long>> planted;
    rules.plant(entry, [&](long number, long bytes) { planted.emplace_back(number, bytes); });
    ASSERT_EQ(planted.size(), std::size(operations));
    std::string const text = rules.text(), found = collectives(ranks, text.substr(0, text.size() - cut));
    for (auto const& [name, number] : operations)
      for (auto const& [of, from] : planted) {
        if (of != number) continue;
        for (long const bytes : sizes) {
          // Calls with nothing to send end before rules are looked at; a barrier always follows its rule for 0 bytes.
          bool const refused = followed && (number == 6 || (bytes > 0 && bytes >= from));
          EXPECT_THAT(found, HasSubstr(std::string(name) + " " + std::to_string(ranks) + " " + std::to_string(bytes) +
                                       (refused ? " error\n" : " ok\n")));
        }
      }
  }
};

TEST_F(ExportedRules, GiveRightResults) {
  auto const text = exported_text();
  for (int const ranks : {2, 3, 4}) EXPECT_THAT(collectives(ranks, text), testing::Not(HasSubstr("error")));
}

TEST_F(ExportedRules, AreFollowedByOpenMpiForEachCollectiveAndSize) {
  expect_followed(4, 4, 0, true);
}

TEST_F(ExportedRules, AreThoseOfTheNextSmallerCommunicator) {
  expect_followed(2, 3, 0, true);
}

TEST_F(ExportedRules, ADamagedFileIsSeenNotToBeFollowed) {
  expect_followed(4, 4, 4, false);  // the last number and one before it are gone
}

#endif

}  // namespace
