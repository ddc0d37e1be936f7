// bench_words: counts the words of a text into a map, by a loop, by source | farm | reduce(commutative(merge)) | sink
// on one core and on all, and by oneTBB on all. skel counts into a map for each block (map) and into one for each
// worker (accumulate); oneTBB's parallel_reduce and parallel_for with a map for each thread. Prints how many times as
// long as the loop each takes, measured in turn. Without a file the text is drawn: words of a vocabulary, the k-th most
// frequent k times as rare as the first (Zipf).
#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

#include "support/cpu_time.hpp"
#include "support/repeat.hpp"

namespace {

namespace tbb = oneapi::tbb;

struct options {
  std::string file;
  std::size_t bytes = std::size_t{64} << 20U, block = std::size_t{2} << 20U, vocabulary = 20000, rounds = 9;
  unsigned seed = 1;
};

std::string drawn_text(options const& wanted) {
  std::mt19937 random(wanted.seed);
  std::vector<std::string> words(wanted.vocabulary);
  for (std::string& word : words)
    for (auto letters = 2 + random() % 10; letters > 0; --letters) word += static_cast<char>('a' + random() % 26);
  // The inverse of a distribution function that grows as log k, which that of Zipf's law is close to.
  std::uniform_real_distribution<double> log_rank(0, std::log(static_cast<double>(words.size())));
  std::string text;
  text.reserve(wanted.bytes + 16);
  while (text.size() < wanted.bytes) {
    text += words[static_cast<std::size_t>(std::exp(log_rank(random))) - 1];
    text += ' ';
  }
  return text;
}

std::string text_of(options const& wanted) {
  if (wanted.file.empty()) return drawn_text(wanted);
  std::ifstream in(wanted.file, std::ios::binary);
  if (!in) throw skel::error(wanted.file + ": cannot be read");
  return (std::ostringstream() << in.rdbuf()).str();
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Pieces of about `bytes` that end behind a word.
std::vector<std::string_view> blocks_of(std::string_view text, std::size_t bytes) {
  std::vector<std::string_view> blocks;
  while (!text.empty()) {
    std::size_t end = std::min(bytes, text.size());
    while (end < text.size() && !is_space(text[end])) ++end;
    blocks.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return blocks;
}

template <class Counts>
void count_into(Counts& counts, std::string_view text) {
  std::string word;
  for (auto at = text.begin(); at != text.end();) {
    at = std::find_if_not(at, text.end(), is_space);
    auto const end = std::find_if(at, text.end(), is_space);
    if (at != end) ++counts[word.assign(at, end)];
    at = end;
  }
}

template <class Counts>
Counts counted_by_loop(std::vector<std::string_view> const& blocks) {
  Counts counts;
  for (auto const block : blocks) count_into(counts, block);
  return counts;
}

template <class Counts>
Counts joined(Counts a, Counts const& b) {
  for (auto const& [word, count] : b) a[word] += count;
  return a;
}

template <class Counts>
auto map_of_each_block() {
  return [](std::string const& block) {
    Counts counts;
    count_into(counts, block);
    return counts;
  };
}
template <class Counts>
auto map_of_each_worker() {
  return skel::accumulate<Counts>([](Counts& counts, std::string const& block) { count_into(counts, block); });
}

template <class Counts, class Count>
Counts counted_by_skel(skel::grid& grid, std::vector<std::string_view> const& blocks, Count const& count) {
  Counts all;
  auto app = skel::source("blocks",
                          [&, next = blocks.begin()]() mutable -> std::optional<std::string> {
                            return next == blocks.end() ? std::nullopt : std::optional<std::string>(*next++);
                          }) |
             skel::farm("count", count) | skel::reduce("add", skel::commutative(joined<Counts>)) |
             skel::sink("keep", [&all](Counts counts) { all = std::move(counts); });
  grid.run(app);
  return all;
}

template <class Counts>
Counts counted_by_reduce(std::vector<std::string_view> const& blocks) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, blocks.size()), Counts{},
      [&](tbb::blocked_range<std::size_t> const& some, Counts counts) {
        for (std::size_t i = some.begin(); i < some.end(); ++i) count_into(counts, blocks[i]);
        return counts;
      },
      [](Counts a, Counts const& b) { return joined(std::move(a), b); });
}
template <class Counts>
Counts counted_by_threads(std::vector<std::string_view> const& blocks) {
  tbb::enumerable_thread_specific<Counts> each;
  tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t i) { count_into(each.local(), blocks[i]); });
  Counts all;
  for (Counts& one : each) all.empty() ? std::swap(all, one) : (all = joined(std::move(all), one), void());
  return all;
}

struct times {
  double wall = 0, processor = 0;  // [s]
};

/// With a thread for each core: oneTBB takes its number of threads from the cores that the process has at its first
/// use.
template <class Work>
auto on_all_threads(Work const& work) {
  int const threads = static_cast<int>(std::thread::hardware_concurrency());
  tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  return tbb::task_arena(threads).execute(work);
}

/// Lets every thread of this process run on these cores only.
void run_on(cpu_set_t const& cores) {
  DIR* const threads = opendir("/proc/self/task");
  while (dirent const* const entry = threads != nullptr ? readdir(threads) : nullptr)
    if (int const thread = std::atoi(entry->d_name); thread > 0) sched_setaffinity(thread, sizeof cores, &cores);
  if (threads != nullptr) closedir(threads);
}

template <class Counts>
bool compare(std::string const& name, options const& wanted, std::vector<std::string_view> const& blocks) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (std::size_t core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);

  Counts const expected = counted_by_loop<Counts>(blocks);
  bool right = true;
  auto const timed = [&](cpu_set_t const& cores, std::function<Counts()> const& count) {
    run_on(cores);
    double const begin = skel::record::now(), worked = bench::cpu_seconds();
    Counts const counts = count();
    times const took{skel::record::now() - begin, bench::cpu_seconds() - worked};
    right = right && counts == expected;
    return took;
  };
  run_on(one);
  skel::grid narrow{skel::run_settings{}};
  run_on(all);
  skel::grid wide{skel::run_settings{}};
  struct way {
    std::string name;
    cpu_set_t const* cores;
    std::function<Counts()> count;
    std::vector<double> wall{}, work{};  // by the loop's
  };
  auto const skel_way = [&](skel::grid& grid, auto const& count) {
    return [&grid, &blocks, count] { return counted_by_skel<Counts>(grid, blocks, count); };
  };
  std::vector<way> ways{{"skel, one core, map", &one, skel_way(narrow, map_of_each_block<Counts>())},
                        {"skel, one core, accumulate", &one, skel_way(narrow, map_of_each_worker<Counts>())},
                        {"skel, map", &all, skel_way(wide, map_of_each_block<Counts>())},
                        {"skel, accumulate", &all, skel_way(wide, map_of_each_worker<Counts>())},
                        {"oneTBB, parallel_reduce", &all,
                         [&] { return on_all_threads([&] { return counted_by_reduce<Counts>(blocks); }); }},
                        {"oneTBB, map of each thread", &all,
                         [&] { return on_all_threads([&] { return counted_by_threads<Counts>(blocks); }); }}};
  std::vector<double> loop;
  for (std::size_t round = 0; round <= wanted.rounds; ++round) {
    times const plain = timed(one, [&] { return counted_by_loop<Counts>(blocks); });
    if (round > 0) loop.push_back(plain.wall);
    for (std::size_t k = 0; k < ways.size(); ++k) {
      way& which = ways[round % 2 == 0 ? k : ways.size() - 1 - k];
      times const took = timed(*which.cores, which.count);
      if (round == 0) continue;  // finds memory cold
      which.wall.push_back(took.wall / plain.wall);
      which.work.push_back(took.processor / plain.processor);
    }
  }
  run_on(all);
  auto const print = [](std::vector<double> const& samples) {
    auto const s = bench::spread_of(samples);
    return fmt::format("{:6.3f} ({:.3f} .. {:.3f})", s.median, s.min, s.max);
  };
  fmt::print("{}, {} different words, loop on one core {} s {}\n", name, expected.size(), print(loop),
             right ? "" : "WRONG COUNTS");
  for (way const& which : ways)
    fmt::print("  {:<28} {:>26} {:>26}\n", which.name, print(which.wall), print(which.work));
  return right;
}

}  // namespace

int main(int argc, char** argv) try {
  options wanted;
  CLI::App app{"Counting words into a map: skel beside a loop"};
  app.add_option("file", wanted.file, "a text; without one it is drawn");
  app.add_option("--bytes", wanted.bytes, "of the text that is drawn")->transform(CLI::AsSizeValue(false));
  app.add_option("--block", wanted.block, "bytes of an item")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::PositiveNumber);
  app.add_option("--vocabulary", wanted.vocabulary, "words to draw from")->check(CLI::PositiveNumber);
  app.add_option("--rounds", wanted.rounds, "measured rounds")->check(CLI::PositiveNumber);
  app.add_option("--seed", wanted.seed, "of the text that is drawn");
  CLI11_PARSE(app, argc, argv);
  std::string const text = text_of(wanted);
  auto const blocks = blocks_of(text, wanted.block);
  fmt::print("{:.1f} MB in {} blocks, {} cores, {} rounds: median (least .. most)\n",
             static_cast<double>(text.size()) / 1e6, blocks.size(), std::thread::hardware_concurrency(), wanted.rounds);
  fmt::print("  {:<28} {:>26} {:>26}\n", "way", "time / the loop's", "processor time / loop's");
  bool right = compare<std::map<std::string, std::uint64_t>>("map", wanted, blocks);
  right = compare<std::unordered_map<std::string, std::uint64_t>>("unordered_map", wanted, blocks) && right;
  return right ? 0 : 1;
} catch (skel::error const& e) {
  fmt::print(stderr, "bench_words: {}\n", e.what());
  return 1;
}
