// Files of valid syntax with extreme values, read by every verb that reads them: an answer or a refusal, in bounded
// time and memory. SKEL_EXTREME_FILES says how many of each format (the default is small), SKEL_DAMAGE_SEED which.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "command.hpp"
#include "extreme.hpp"
#include "manners.hpp"

namespace {

using skel::testing_tools::command;
using skel::testing_tools::data;
using skel::testing_tools::expect_manners;
using skel::testing_tools::FolderTest;
using skel::testing_tools::number_of;

class Extreme : public FolderTest {
 protected:
  /// Gives each file to one of the readers, in turn.
  void sweep(std::string const& ending, std::function<std::string(std::uint64_t)> const& text_of,
             std::vector<command> const& readers) {
    std::uint64_t const count = number_of("SKEL_EXTREME_FILES", 6), first = number_of("SKEL_DAMAGE_SEED", 1);
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      ++files_;
      std::string const path = file("extreme" + ending, text_of(seed));
      command arguments = readers[seed % readers.size()];
      std::replace(arguments.begin(), arguments.end(), std::string("FILE"), path);
      expect_manners(arguments, arguments.front() + " of a " + ending + " with seed " + std::to_string(seed));
    }
  }

  void TearDown() override { std::printf("%zu files\n", files_); }

  std::size_t files_ = 0;
  std::string const platform_ = data("paper_row1_equal.json"), pipeline_ = data("paper_pipeline.json");
};

TEST_F(Extreme, Platforms) {
  sweep(".json", skel::testing_tools::extreme_platform,
        {{"place", "FILE", pipeline_, "--time-limit", "1", "--explain"},
         {"place", "FILE", pipeline_, "--time-limit", "1", "--model", "deterministic", "--json"},
         {"collective", "FILE", "--bytes", "64k"},
         {"collective", "FILE", "--bytes", "1M", "--op", "reduce", "--json"},
         {"collective", "FILE", "--bytes", "1k", "--op", "alltoall"},
         {"collective", "FILE", "--bytes", "8", "--op", "allgather"},
         {"price", "FILE", "--algorithm", "pipeline", "--bytes", "64k", "--cluster", "p1"},
         {"price", "FILE", "--algorithm", "binomial", "--bytes", "1k", "--model", "loggp", "--cluster", "p1"},
         {"clusters", "FILE"},
         {"clusters", "FILE", "--json", "--method", "lowekamp-beguelin"},
         {"export-rules", "FILE"}});
}

TEST_F(Extreme, Pipelines) {
  sweep(".json", skel::testing_tools::extreme_pipeline,
        {{"place", platform_, "FILE", "--time-limit", "1", "--explain"},
         {"place", platform_, "FILE", "--time-limit", "1", "--json", "--print-pepa"},
         {"place", platform_, "FILE", "--time-limit", "1", "--model", "deterministic"},
         {"place", platform_, "FILE", "--time-limit", "1", "--buffer", "1000000000"}});
}

TEST_F(Extreme, PipelinesOnPlatforms) {
  std::string const other =
      file("platform.json", skel::testing_tools::extreme_platform(number_of("SKEL_DAMAGE_SEED", 1)));
  sweep(".json", skel::testing_tools::extreme_pipeline,
        {{"place", other, "FILE", "--time-limit", "1"},
         {"place", other, "FILE", "--time-limit", "1", "--share", "dynamic"}});
}

TEST_F(Extreme, Candidates) {
  sweep(".txt", skel::testing_tools::extreme_candidates,
        {{"place", platform_, pipeline_, "--candidates", "FILE"},
         {"place", platform_, pipeline_, "--candidates", "FILE", "--json"}});
}

TEST_F(Extreme, PepaModels) {
  sweep(".pepa", skel::testing_tools::extreme_pepa,
        {{"pepa", "FILE", "--utilisation", "--max-states", "20000"},
         {"pepa", "FILE", "--json", "--max-states", "20000"}});
}

TEST_F(Extreme, Latencies) {
  sweep(".csv", skel::testing_tools::extreme_latencies,
        {{"clusters", "--latencies", "FILE"},
         {"clusters", "--latencies", "FILE", "--json", "--method", "lowekamp-beguelin"}});
}

#if SKEL_WITH_MPI

TEST_F(Extreme, Meshes) {
  for (std::string const format : {".edges", ".mtx", ".graph", ".obj", ".su2", ".pack"})
    sweep(format, [&](std::uint64_t seed) { return skel::testing_tools::extreme_mesh(format, seed); },
          {{"pattern", "FILE", "--threads", "2"}, {"pattern", "FILE", "--json", "--threads", "1000"}});
}

TEST_F(Extreme, ModelsOfReductions) {
  std::ifstream in(SKEL_TEST_CORPUS "/reduction_model/small.json", std::ios::binary);
  std::string const sound{std::istreambuf_iterator<char>(in), {}};
  std::string const kept =
      file("kept.csv", "# skel reduction samples 3\n# machine: m\n# threads: 2\n# caches: 32768,1e6,1e7\n");
  sweep(".json", [&](std::uint64_t seed) { return skel::testing_tools::with_extreme_numbers(sound, seed); },
        {{"train", "--report", "FILE", "--samples", kept}});
}

#endif

}  // namespace
