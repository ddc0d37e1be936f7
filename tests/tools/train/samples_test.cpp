#include "train/samples.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

#include "planted_samples.hpp"

namespace {

using namespace skel::training;
using skel::tests::planted_samples;
using testing::StartsWith;

reduction_samples some_samples() {
  reduction_samples of;
  of.machine = "a machine, with commas", of.threads = 4, of.caches = {32768, 1048576, 33554432};
  of.date = "2026-11-21T20:00:00Z", of.compiler = "GNU 12", of.bandwidth = 2.5e10;
  of.samples = planted_samples(3);
  for (std::size_t k = 0; k < of.samples.size(); ++k) {
    of.points.push_back(10 + 2 * (k / 8));
    of.samples[k].spread = 0.125, of.samples[k].measured.setup_again = 1e-7 / 3;
    of.samples[k].virtual_threads = k >= 8;
  }
  return of;
}

std::string text_of(reduction_samples const& of) {
  std::string text = head_text(of);
  for (std::size_t k = 0; k < of.samples.size(); ++k) text += to_text(of.points[k], {of.samples[k]});
  return text;
}

TEST(ReductionSamples, ReadBackAsTheyAre) {
  auto const samples = some_samples();
  auto const read = parse_reduction_samples(text_of(samples), "s.csv");
  EXPECT_EQ(read, samples);
  EXPECT_EQ(read.problems(), 3u);
}

TEST(ReductionSamples, AProblemThatWasCutIsLeftOut) {
  auto const samples = some_samples();
  std::string const text = text_of(samples);
  auto const read = parse_reduction_samples(text.substr(0, text.size() - 5), "s.csv");
  EXPECT_EQ(read.problems(), 2u);
  EXPECT_EQ(read.samples.size(), 16u);
  EXPECT_TRUE(parse_reduction_samples(head_text(samples), "s.csv").samples.empty());
}

TEST(ReductionSamples, RefusesWhatIsWrongAndSaysWhere) {
  std::string const head = head_text(some_samples()), text = text_of(some_samples());
  std::size_t const first = text.find("\nkind 0-0,") + 1;
  std::string const line = text.substr(first, text.find('\n', first) - first);
  auto const with = [&](std::string const& old, std::string const& now) {
    std::string changed = line;
    changed.replace(changed.find(old), old.size(), now);
    return head + changed + "\n";
  };
  std::string const parts = "," + std::to_string(some_samples().samples[0].problem.pattern.parts) + ",";
  std::string const sizes = std::to_string(some_samples().samples[0].problem.pattern.subscripts) + parts;
  struct wrong {
    std::string text, message;
  };
  for (wrong const& one :
       {wrong{"", "s.csv: line 1: is missing"},
        {"machine,threads\n", "s.csv: line 1: does not say '# skel reduction samples 3'"},
        {"# skel reduction samples 2\n", "s.csv: line 1: does not say '# skel reduction samples 3'"},
        {"# skel reduction samples 3\n# caches: 1,2\n", "s.csv: line 2: has 2 caches"},
        {"# skel reduction samples 3\n# threads: -2\n", "s.csv: line 2: '-2' is no number for threads"},
        {"# skel reduction samples 3\n# threads: 2.5\n",
         "s.csv: line 2: '2.5' is no number for threads, which is whole"},
        {head + "program,1,repbuf\n", "s.csv: line 9: has 3 fields"},
        {head + line + "\n" + line + ",1\n", "s.csv: line 10: has 34 fields"},
        {with(",sequential,", ",sequentiel,"), "s.csv: line 9: 'sequentiel' is not an algorithm"},
        {with("kind 0-0,10,", "kind 0-0,1.5,"), "s.csv: line 9: '1.5' is no number for point"},
        {with(sizes, sizes.substr(0, sizes.size() - parts.size()) + ",0,"), "s.csv: line 9: has no parts"},
        {with("kind 0-0,", "kind\x01,"), "s.csv: line 9: its program "},
        {with(",0.125", ",nan"), "s.csv: line 9: 'nan' is no number for spread"}}) {
    try {
      static_cast<void>(parse_reduction_samples(one.text, "s.csv"));
      FAIL() << "accepted what should say: " << one.message;
    } catch (skel::input_error const& refused) {
      EXPECT_THAT(refused.what(), StartsWith(one.message));
    }
  }
}

TEST(ReductionSamples, AFileThatIsCutAnywhereBehindItsFirstLineIsReadOrRefused) {
  std::string const text = text_of(some_samples());
  std::size_t last = 0;
  for (std::size_t size = head_text(some_samples()).size(); size <= text.size(); size += 7) {
    std::size_t const problems = parse_reduction_samples(text.substr(0, size), "s.csv").problems();
    EXPECT_LE(problems, 3u) << size;
    last = std::max(last, problems);
  }
  EXPECT_GE(last, 2u);
}

TEST(ReductionSamples, AFileThatCannotBeReadIsRefused) {
  EXPECT_THROW(static_cast<void>(read_reduction_samples("/no/such/file.csv")), skel::input_error);
}

}  // namespace
