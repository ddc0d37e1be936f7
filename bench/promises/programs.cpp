#include "promises/programs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <libdeflate.h>

#include "support/spin.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

void check(skel::grid const& grid, bool fine, char const* what) {
  if (grid.rank() == 0 && !fine) throw skel::error(std::string("bench_promises: wrong result: ") + what);
}

/// Words of 2 to 9 letters, drawn from 5000 so that the k-th is as frequent as 1/k (Zipf).
class text_maker {
 public:
  explicit text_maker(std::uint64_t seed) : random_(seed) {
    std::uniform_int_distribution<int> letter('a', 'z'), length(2, 9);
    for (int k = 0; k < 5000; ++k) {
      std::string& word = words_.emplace_back();
      for (int n = length(random_); n > 0; --n) word += static_cast<char>(letter(random_));
    }
  }
  std::string operator()(std::size_t bytes) {
    std::uniform_real_distribution<> uniform(0, std::log(static_cast<double>(words_.size())));
    std::string text;
    while (text.size() < bytes) {
      text += words_[static_cast<std::size_t>(std::exp(uniform(random_))) % words_.size()];
      text += ' ';
    }
    text.resize(bytes);
    return text;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

/// Records of eight bytes, the first ones of which hardly differ, as tables in programs and libraries are.
std::string binary(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string data;
  while (data.size() < bytes) {
    std::uint64_t const value = random();
    for (int k = 0; k < 8; ++k)
      data += static_cast<char>(value >> (8 * k) & (k < 4 ? 0xff : value % 7 == 0 ? 0x0f : 0));
  }
  data.resize(bytes);
  return data;
}

using block = std::vector<char>;

/// As in examples/01_compress.cpp.
struct deflate {
  std::shared_ptr<libdeflate_compressor> compressor{libdeflate_alloc_compressor(6), libdeflate_free_compressor};
  deflate() = default;
  deflate(deflate const&) : deflate() {}

  block operator()(block const& plain) {
    block packed(libdeflate_gzip_compress_bound(compressor.get(), plain.size()));
    packed.resize(libdeflate_gzip_compress(compressor.get(), plain.data(), plain.size(), packed.data(), packed.size()));
    return packed;
  }
};

skel::run_report compress(skel::grid& grid, std::size_t items) {
  constexpr std::size_t kinds = 8, bytes = 1 << 20;
  std::array<std::vector<block>, 2> blocks;  // text, binary
  if (grid.rank() == 0) {
    text_maker text(1);
    for (std::size_t k = 0; k < kinds; ++k) {
      auto const one = text(bytes), other = binary(bytes, k);
      blocks[0].emplace_back(one.begin(), one.end());
      blocks[1].emplace_back(other.begin(), other.end());
    }
  }
  // An archive: files of 1 to 8 MiB, text and binary in turn.
  auto read = [&blocks, items, random = std::mt19937_64(2), i = std::size_t{0}, left = std::uint64_t{0},
               kind = std::size_t{0}]() mutable -> std::optional<block> {
    if (i == items) return std::nullopt;
    if (left-- == 0) left = random() % 8, kind = 1 - kind;
    return blocks[kind][i++ % kinds];
  };
  std::size_t packed = 0, count = 0;
  auto app = skel::source("read", read) | skel::farm("deflate", deflate{}) |
             skel::sink("write", [&](block const& b) { packed += b.size(), ++count; });
  auto report = grid.run(app);
  check(grid, count == items && packed < items * bytes, "compress");
  return report;
}

/// As in examples/04_best_fit.cpp.
struct curve {
  std::int64_t a, b, c;
};
struct fit {
  curve of;
  std::int64_t error;
};

skel::run_report best_fit(skel::grid& grid, std::size_t items) {
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
  for (std::int64_t x = -500; x < 500; ++x) points.emplace_back(x, 3 * x * x - 7 * x + 11 + (x + 500) * 7919 % 13 - 6);
  auto const curves = [items, n = std::size_t{0}]() mutable -> std::optional<curve> {
    if (n == items) return std::nullopt;
    auto const i = static_cast<std::int64_t>(n++);
    return curve{i / 400 % 20 - 10, i / 20 % 20 - 10, i % 20};
  };
  auto const error = [&points](curve const& of, skel::portion mine) {
    fit result{of, 0};
    for (std::size_t i = mine.begin(points.size()); i < mine.end(points.size()); ++i) {
      auto const [x, y] = points[i];
      std::int64_t const off = (of.a * x + of.b) * x + of.c - y;
      result.error += off * off;
    }
    return result;
  };
  auto const add = skel::commutative([](fit x, fit const& y) { return x.error += y.error, x; });
  auto const better = [](fit const& x, fit const& y) { return y.error < x.error ? y : x; };
  std::size_t results = 0;
  auto app = skel::source("curves", curves) | skel::broadcast("error", error) | skel::reduce(add) |
             skel::reduce("best", better, skel::every(2000)) | skel::sink("print", [&](fit const&) { ++results; });
  auto report = grid.run(app);
  check(grid, results == (items + 1999) / 2000, "best_fit");
  return report;
}

using counts = std::map<std::string, std::uint64_t>;

skel::run_report words(skel::grid& grid, std::size_t items) {
  constexpr std::size_t bytes = std::size_t{64} << 10;
  std::vector<std::string> texts;
  if (grid.rank() == 0)
    for (text_maker text(3); texts.size() < 16;) texts.push_back(text(bytes));
  auto const read = [&texts, items, i = std::size_t{0}]() mutable -> std::optional<std::string> {
    if (i == items) return std::nullopt;
    return texts[i++ % texts.size()];
  };
  auto const count = [](std::string const& text) {
    counts found;
    for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
      end = std::min(text.find(' ', begin), text.size());
      if (end > begin) ++found[text.substr(begin, end - begin)];
    }
    return found;
  };
  auto const merge = skel::commutative([](counts all, counts const& more) {
    for (auto const& [word, n] : more) all[word] += n;
    return all;
  });
  std::uint64_t total = 0, expected = 0;
  auto app = skel::source("read", read) | skel::farm("count", count) | skel::reduce("merge", merge) |
             skel::sink("keep", [&](counts const& all) {
               for (auto const& [word, n] : all) total += n;
             });
  auto report = grid.run(app);
  for (std::size_t i = 0; i < std::min(items, texts.size()); ++i) {
    std::uint64_t here = 0;
    for (auto const& [word, n] : count(texts[i])) here += n;
    expected += here * ((items - i + texts.size() - 1) / texts.size());
  }
  check(grid, total == expected, "words");
  return report;
}

/// The rows of the upper half of the Mandelbrot set: those at its edge leave it at once, those in the middle stay.
template <bool Rising>
skel::run_report mandelbrot(skel::grid& grid, std::size_t items) {
  constexpr std::size_t width = 512;
  constexpr int most = 500;
  auto const rows = [items, i = std::size_t{0}]() mutable -> std::optional<std::size_t> {
    return i < items ? std::optional(i++) : std::nullopt;
  };
  auto const row = [items](std::size_t i) {
    double const place = (static_cast<double>(i) + 0.5) / static_cast<double>(items),
                 y = 1.25 * (Rising ? 1 - place : place);
    std::vector<std::uint16_t> steps(width);
    for (std::size_t k = 0; k < width; ++k) {
      double const x = -2 + 2.5 * static_cast<double>(k) / width;
      double a = 0, b = 0;
      int n = 0;
      for (; n < most && a * a + b * b < 4; ++n) {
        double const next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
      }
      steps[k] = static_cast<std::uint16_t>(n);
    }
    return steps;
  };
  std::size_t seen = 0;
  auto app = skel::source("rows", rows) | skel::farm("row", row) |
             skel::sink("draw", [&](std::vector<std::uint16_t> const& steps) { seen += steps.size() == width; });
  auto report = grid.run(app);
  check(grid, seen == items, "mandelbrot");
  return report;
}

/// Computes for about this long on a core of 2020; a turn of spin is 4 cycles of the multiplier and the adder.
std::uint64_t compute(std::uint64_t value, std::chrono::microseconds time) {
  return spin(value, static_cast<std::uint64_t>(time.count()) * 750);
}

template <bool SourceSleeps>
skel::run_report sleeping(skel::grid& grid, std::size_t items) {
  auto const give = [items, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
    if (i == items) return std::nullopt;
    if (SourceSleeps) std::this_thread::sleep_for(1ms);  // as one that waits for a disk or a network
    return i++;
  };
  auto const work = [](std::uint64_t x) {
    if (!SourceSleeps) std::this_thread::sleep_for(2ms);
    return compute(x, 300us);
  };
  std::size_t seen = 0;
  auto app = skel::source("give", give) | skel::farm("work", work) | skel::sink("keep", [&](std::uint64_t) { ++seen; });
  auto report = grid.run(app);
  check(grid, seen == items, "sleeping");
  return report;
}

}  // namespace

std::span<promise_program const> promise_programs() {
  static std::array const all{
      promise_program{"compress", "the pipeline of 01_compress on an archive made of text and binary files", false, 20,
                      compress},
      promise_program{"best_fit", "04_best_fit on more curves", false, 100'000, best_fit},
      promise_program{"words", "words of texts of 64 KiB, counted into maps that a reduce merges", false, 200, words},
      promise_program{"mandelbrot_rising", "rows of the Mandelbrot set, cheap ones first", true, 500, mandelbrot<true>},
      promise_program{"mandelbrot_falling", "the same rows, expensive ones first", true, 500, mandelbrot<false>},
      promise_program{"sleeping_source", "a source that waits 1 ms for each item of 0.3 ms", false, 300,
                      sleeping<true>},
      promise_program{"sleeping_stage", "a farm that waits 2 ms and computes 0.3 ms", false, 300, sleeping<false>}};
  return all;
}

}  // namespace bench
