// Damaged files of every format, read by every verb that reads them: an answer or a refusal, in bounded time and
// memory, in text that can be printed. SKEL_DAMAGED_FILES says how many of each (the default is small),
// SKEL_DAMAGE_SEED which.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "command.hpp"
#include "damage.hpp"
#include "manners.hpp"

namespace {

namespace fs = std::filesystem;
using skel::testing_tools::command;
using skel::testing_tools::damaged;
using skel::testing_tools::data;
using skel::testing_tools::expect_manners;
using skel::testing_tools::FolderTest;
using skel::testing_tools::number_of;

std::string bytes_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct sound_file {
  std::string text;
  std::vector<command> readers;  ///< FILE stands for the damaged one
};

std::vector<fs::path> files_of(std::string const& folder) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(fs::path(SKEL_TEST_CORPUS) / folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<sound_file> corpus(std::string const& folder, std::vector<command> const& readers) {
  std::vector<sound_file> result;
  for (fs::path const& file : files_of(folder)) result.push_back({bytes_of(file), readers});
  return result;
}

class Damage : public FolderTest {
 protected:
  /// `ending` says how the damaged file is called.
  void sweep(std::vector<sound_file> const& files, std::string const& ending) {
    std::uint64_t const count = number_of("SKEL_DAMAGED_FILES", 12), first = number_of("SKEL_DAMAGE_SEED", 1);
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      ++files_;
      sound_file const& from = files[seed % files.size()];
      std::string const path = file("damaged" + ending, damaged(from.text, seed));
      for (command arguments : from.readers) {
        std::replace(arguments.begin(), arguments.end(), std::string("FILE"), path);
        expect_manners(arguments, arguments.front() + " of a " + ending + " with seed " + std::to_string(seed));
      }
    }
  }

  void TearDown() override { std::printf("%zu files\n", files_); }

  std::size_t files_ = 0;
  std::string const platform_ = data("paper_row1_equal.json"), pipeline_ = data("paper_pipeline.json");
};

TEST(Damaged, IsTheSameForTheSameSeed) {
  std::string const text = "{\"skel_platform\": 1,\n \"clusters\": [{\"name\": \"a\", \"speed\": 1.5}]}\n";
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    EXPECT_EQ(damaged(text, seed), damaged(text, seed));
    changed += damaged(text, seed) != text;
  }
  EXPECT_GT(changed, 50U);
  EXPECT_LT(damaged("", 3).size(), 10'000'000U) << "an empty text too";
}

TEST_F(Damage, Platforms) {
  auto files = corpus("platform", {{"place", "FILE", pipeline_, "--time-limit", "1", "--explain"},
                                   {"collective", "FILE", "--bytes", "64k"},
                                   {"collective", "FILE", "--bytes", "1M", "--op", "allreduce", "--json"},
                                   {"price", "FILE", "--algorithm", "pipeline", "--bytes", "64k"},
                                   {"price", "FILE", "--algorithm", "binomial", "--bytes", "1k", "--model", "loggp"},
                                   {"clusters", "FILE"},
                                   {"clusters", "FILE", "--json", "--method", "lowekamp-beguelin"},
                                   {"export-rules", "FILE", "--ranks", "2"}});
  auto const readers = files.front().readers;
  for (char const* name : {"grid5000_plogp.json", "grid5000_table2.json"})
    files.push_back({bytes_of(data(name)), readers});
  sweep(files, ".json");
}

TEST_F(Damage, Pipelines) {
  auto const files = corpus("pipeline", {{"place", platform_, "FILE", "--time-limit", "1", "--explain"},
                                         {"place", platform_, "FILE", "--time-limit", "1", "--json", "--print-pepa"}});
  sweep(files, ".json");
}

TEST_F(Damage, Candidates) {
  std::vector<command> const readers{{"place", platform_, pipeline_, "--candidates", "FILE"},
                                     {"place", platform_, pipeline_, "--candidates", "FILE", "--json"}};
  sweep({{bytes_of(data("paper_candidates.txt")), readers},
         {R"([["p1", "p1", "p1"], ["p1", "p2", "p3"],
 ["p2", "p1", "p1"]])",
          readers}},
        ".txt");
}

TEST_F(Damage, PepaModels) {
  std::vector<command> const readers{{"pepa", "FILE", "--utilisation", "--max-states", "20000"},
                                     {"pepa", "FILE", "--json", "--max-states", "20000"}};
  auto files = corpus("pepa", readers);
  files.push_back({bytes_of(data("paper_three_stages.pepa")), readers});
  sweep(files, ".pepa");
}

TEST_F(Damage, Decisions) {
  std::string const made =
      R"({"decision":1,"problem":"p","request":"r","context":[1,2,3,4],"model":"m","reason":"only","uses":8,"candidates":[)"
      R"({"name":"a","entry":0,"predicted":1e-6,"expected":2e-6,"doubt":0.1},)"
      R"({"name":"b","entry":0,"predicted":1e-6,"expected":3e-6,"doubt":0.1}]})"
      "\n";
  sweep({{made + R"({"decision":1,"measured":{"uses":4,"mean":1e-6}})" + "\n",
          {{"decisions", "FILE"},
           {"decisions", "FILE", "--json"},
           {"decisions", "FILE", "--page", file("page.html", "")}}}},
        ".jsonl");
}

TEST_F(Damage, Scenarios) {
  std::string const machine =
      R"("platform": {"skel_platform": 1, "clusters": [{"name": "a", "hosts": 3, "speed": 1, "latency": 1e-4, "bandwidth": 1e7},
 {"name": "b", "hosts": 2, "speed": 2, "latency": 1e-4}], "links": [{"between": ["a", "b"], "latency": 1e-3, "bandwidth": 1e6}]},
 "mapping": ["a-0", "a-1", "a-2", "a-0"], "message_bytes": 1e3, "state_bytes": [1e3, 2e3, 3e3, 4e3],
 "migration": {"fixed": 0.01}, "memory": {"a": 1e5, "b-1": 5e3}, "external_load": {"a-0": 0.5}, "pinned": [3])";
  std::vector<command> const readers{{"bsp", "FILE"},
                                     {"bsp", "FILE", "--json", "--policy", "migbsp", "--alpha", "2"},
                                     {"bsp", "FILE", "--json", "--policy", "greedy_refine"}};
  sweep({{"{\"skel_bsp\": 1, " + machine + R"(,
 "workload": {"kind": "wavefront", "order": 4, "first": 1, "last": 9}, "policy": {"name": "diffusion", "alpha": 2}})",
          readers},
         {"{\"skel_bsp\": 1, " + machine + R"(,
 "workload": {"kind": "trace", "supersteps": [{"work": [1, 2, 3, 4], "messages": [[0, 1], [2, 3, 5e4]]},
 {"work": [4, 0, 2, 1]}, {"work": [4, 0.5, 2, 1]}, {"work": [4, 0, 2, 1]}]}})",
          readers}},
        ".json");
}

TEST_F(Damage, Latencies) {
  std::vector<command> const readers{{"clusters", "--latencies", "FILE"},
                                     {"clusters", "--latencies", "FILE", "--json"}};
  sweep({{"a,b,c\n0,1e-4,5e-3\n1e-4,0,5e-3\n5e-3,5e-3,0\n", readers},
         {"# measured\n,\"n 1\",n2,n3\nn 1,0,1e-4,5e-3\nn2,1.1e-4,0,5e-3\nn3,5e-3,5.1e-3,0\n", readers}},
        ".csv");
}

TEST_F(Damage, Series) {
  sweep({{"load,rate\n1,2\n1.5,3e2\n-1,4\n1,5\n1,4\n",
          {{"forecast", "FILE"}, {"forecast", "FILE", "--json", "--methods"}}}},
        ".csv");
}

#if SKEL_WITH_MPI

TEST_F(Damage, Meshes) {
  std::vector<command> const readers{{"pattern", "FILE", "--threads", "2"}, {"pattern", "FILE", "--json"}};
  std::map<std::string, std::vector<sound_file>> formats;
  for (fs::path const& path : files_of("mesh"))  // the first byte of these files says their format
    formats[path.extension().string()].push_back({bytes_of(path).substr(1), readers});
  for (auto const& [ending, files] : formats) sweep(files, ending);
}

TEST_F(Damage, ModelsAndSamplesOfReductions) {
  std::string const samples = "# skel reduction samples 3\n# machine: m\n# threads: 2\n# caches: 32768,1e6,1e7\n";
  // Of 50 patterns of two kinds, as many as a model needs.
  std::string all = samples;
  char const* const algorithms[] = {"sequential", "repbuf", "replink", "selpriv",
                                    "localwr",    "atomic", "lazy",    "gather"};
  for (int k = 0; k < 50; ++k)
    for (char const* algorithm : algorithms) {
      std::string const n = std::to_string(100 + 37 * (k % 7)), parts = std::to_string(1 + k % 4);
      all += (k % 2 == 0 ? "mesh-a," : "graph-b,") + std::to_string(k) + "," + algorithm + "," + n + ",300,600," +
             parts + ",0.5,3,1.1,1,0.1,0.1,0.1,0.1,0.5,0.2,0.5,3,1.1,1,0.1,0.1,0.1,0.1,0.5,8,1e-8," +
             (k < 25 ? "0" : "1") + ",1e-5,1e-5," + std::to_string(1 + k % 3) + "e-5,0.01\n";
    }
  std::vector<command> const readers{{"train", "--report", "FILE"}, {"train", "--seconds", "0", "--samples", "FILE"}};
  sweep({{samples + all.substr(samples.size(), all.find('\n', samples.size()) + 1 - samples.size()), readers},
         {all, readers}},
        ".csv");
  std::string const kept = file("kept.csv", samples);
  sweep(corpus("reduction_model", {{"train", "--report", "FILE", "--samples", kept}}), ".json");
}

#endif

}  // namespace
