// Collectives inside a pipeline: which of many curves fits a cloud of points best? Every curve is shown to all copies
// of a worker. Each adds up the errors of its part of the points, and their sum is the error of the curve. Of every
// 2000 curves the best is kept.
#include <cstdint>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include <skel/skel.hpp>

struct curve {
  std::int64_t a, b, c;  // y = a x^2 + b x + c
};

struct fit {
  curve of;
  std::int64_t error;  // sum of squares
};

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);

  std::vector<std::pair<std::int64_t, std::int64_t>> points;  // on every rank
  for (std::int64_t x = -500; x < 500; ++x) points.emplace_back(x, 3 * x * x - 7 * x + 11 + (x + 500) * 7919 % 13 - 6);

  auto const curves = [i = std::int64_t{0}]() mutable -> std::optional<curve> {
    if (i == 8000) return std::nullopt;
    curve const next{i / 400 % 20 - 10, i / 20 % 20 - 10, i % 20};
    return ++i, next;
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
  auto const better = [](fit const& x, fit const& y) { return y.error < x.error ? y : x; };  // the first of equals

  auto const print = [curves = 0](fit const& best) mutable {
    std::cout << "best of curves " << curves << " to " << curves + 1999 << ": y = " << best.of.a << " x^2 + "
              << best.of.b << " x + " << best.of.c << ", off by " << best.error << "\n";
    curves += 2000;
  };

  auto app = skel::source("curves", curves) | skel::broadcast("error", error) | skel::reduce(add) |
             skel::reduce("best", better, skel::every(2000)) | skel::sink("print", print);
  grid.run(app);
  if (!std::cout.flush()) throw skel::error("standard output cannot be written");
} catch (std::exception const& e) {
  std::cerr << "04_best_fit: " << e.what() << "\n";
  return 1;
}
