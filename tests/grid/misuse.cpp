// One way of using grids as they cannot be used; started under mpirun, by tests/grid/misuse.cmake.
//   misuse WAY
// Every rank that is told what is wrong prints "skel: rank R: MESSAGE", itself or by skel, and ends with 3.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <skel/bsp.hpp>
#include <skel/iterate.hpp>
#include <skel/skel.hpp>

namespace {

using namespace std::chrono_literals;

std::size_t number(char const* variable, std::size_t otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoul(text);
}

int told(std::exception const& e) {
  std::fprintf(stderr, "skel: rank %zu: %s\n", number("OMPI_COMM_WORLD_RANK", 0), e.what());
  return 3;
}

/// Each host has so many cores, so that as many workers measure at once.
skel::run_settings quick(std::size_t cores = 2) {
  skel::run_settings settings;
  settings.patience = 4;
  settings.calibration_time = 0.01;
  settings.planning_time = 0.05;
  std::size_t const ranks = number("OMPI_COMM_WORLD_SIZE", 1);
  settings.platform =
      skel::platform::description(1e-6, {{.name = "all", .hosts = ranks, .cores = cores, .inside = {5e-5, 1e8}}}, {});
  return settings;
}

skel::run_settings long_measured() {
  auto settings = quick(1);
  settings.calibration_time = 10;
  return settings;
}

skel::plan::run_plan all_on(int rank) {
  return {{{{0}, 1, {}}, {{rank}, 1, {}}, {{0}, 1, {}}}};
}

auto halting() {
  return skel::bsp<int>(
      "halting", 4, [](std::size_t) { return 0; }, [](skel::superstep<int>& now, int&) { now.halt(); });
}

/// A program over a strip of so many triangles, of which the last ones may be apart from the others.
auto triangles(skel::subscript count, skel::subscript apart = 0) {
  std::vector<skel::subscript> corners;
  for (skel::subscript t = 0; t < count; ++t) {
    auto const first = t + (t + apart >= count ? 3 : 0);
    corners.insert(corners.end(), {first, first + 1, first + 2});
  }
  return skel::iterate("strip", skel::mesh(count + 5ull, skel::cell_kind::triangle, std::move(corners)),
                       [](skel::mesh_element const&) { return 0; }) |
         skel::phase("count", [](int& own) { ++own; }) | skel::update("all") | skel::times(3);
}

auto count_to(int n) {
  return skel::source("count",
                      [n, i = 0]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; });
}

auto const same = [](int x) { return x; };
auto const drop = skel::sink("drop", [](auto) {});

/// Runs a program whose farm calls `act` on item 50, wherever that is.
void run_with(skel::grid& grid, std::function<void()> act) {
  grid.run(count_to(100) |
           skel::farm("act",
                      [act = std::move(act)](int x) {
                        std::this_thread::sleep_for(1ms);
                        if (x == 50) act();
                        return x;
                      }) |
           drop);
}
void run(skel::grid& grid) {
  run_with(grid, [] {});
}

void plan(skel::grid& grid) {
  grid.plan(count_to(1) | skel::stage("act", same, skel::work(1)) | drop);
}

std::vector<double>& data() {
  static std::vector<double> values(1000);
  return values;
}
void broadcast(skel::grid& grid, int root = 0, std::size_t count = 10) {
  grid.broadcast(std::span(data()).first(count), root);
}
void sum(skel::grid& grid, std::size_t count = 10) {
  grid.all_reduce(std::span(data()).first(count), std::plus<>{});
}

/// Gives numbers for ever, and knows which one is next.
struct numbers {
  long next = 0;

  std::optional<long> operator()() { return next++; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next);
  }
};

/// A folder of rank 0 in which runs keep checkpoints, as often as they can.
class checkpoint_folder {
 public:
  explicit checkpoint_folder(skel::grid& grid) : is_mine_(grid.rank() == 0) {
    std::string name = (std::filesystem::temp_directory_path() / "skel_misuse_XXXXXX").string();
    if (is_mine_ && ::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    path_ = grid.settings().checkpoint = grid.ranks().broadcast(name);
    grid.settings().checkpoint_period = 1e-3;
  }
  ~checkpoint_folder() {
    if (is_mine_) std::filesystem::remove_all(path_);
  }
  bool has_one() const {
    for (auto const& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().extension() == ".checkpoint") return true;
    return false;
  }

 private:
  bool is_mine_;
  std::filesystem::path path_;
};

/// Sums windows until there is a checkpoint.
void sum_windows(skel::grid& grid, checkpoint_folder const& folder, std::size_t window) {
  grid.run(skel::source("numbers", numbers{}) | skel::farm("same", [](long x) { return x; }) |
           skel::reduce("win", std::plus<>{}, skel::every(window)) |
           skel::sink(
               "look",
               [&folder](long) {
                 if (folder.has_one()) throw std::runtime_error("there is a checkpoint");
               },
               skel::stateless));
}

bool first(skel::grid const& grid) {
  return grid.rank() == 0;
}
bool last(skel::grid const& grid) {
  return grid.rank() + 1 == grid.size();
}

void repeat(int times, std::function<void()> const& act) {
  for (int i = 0; i < times; ++i) act();
}

/// Calls it in a fork of this process; its exit status.
int in_a_fork(std::function<int()> const& act) {
  pid_t const child = ::fork();
  if (child == 0) std::exit(act());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

skel::run_settings impatient() {
  skel::run_settings settings = quick();
  settings.patience = 1;
  return settings;
}

/// What is done with a grid, and the settings of that grid.
struct way {
  std::function<void(skel::grid&)> act;
  skel::run_settings settings = quick();
};

std::map<std::string, way> const ways{
    // In a stage:
    {"exits-in-a-worker", {[](skel::grid& g) { run_with(g, [] { std::exit(5); }); }}},
    {"quick-exits-in-a-worker", {[](skel::grid& g) { run_with(g, [] { std::quick_exit(5); }); }}},
    {"exits-while-measured", {[](skel::grid& g) { run_with(g, [] { std::exit(5); }); }, long_measured()}},
    {"runs-in-a-worker", {[](skel::grid& g) { run_with(g, [&g] { run(g); }); }}},
    {"runs-while-measured", {[](skel::grid& g) { run_with(g, [&g] { run(g); }); }, long_measured()}},
    {"runs-on-a-thread-of-a-worker",
     {[](skel::grid& g) { run_with(g, [&g] { std::async(std::launch::async, [&g] { run(g); }).get(); }); }}},
    {"collective-in-a-worker", {[](skel::grid& g) { run_with(g, [&g] { g.barrier(); }); }}},
    {"plans-in-a-worker", {[](skel::grid& g) { run_with(g, [&g] { plan(g); }); }}},
    {"runs-from-two-threads", {[](skel::grid& g) {
       auto one = std::async(std::launch::async, [&g] { run(g); });
       auto other = std::async(std::launch::async, [&g] { run(g); });
       other.wait();
       one.get();
       other.get();
     }}},

    // Others leave, or are elsewhere:
    {"alone-in-its-first-collective", {[](skel::grid& g) { first(g) ? broadcast(g) : void(); }}},
    {"alone-in-its-first-run", {[](skel::grid& g) { first(g) ? run(g) : void(); }}},
    {"alone-in-its-first-plan", {[](skel::grid& g) { last(g) ? plan(g) : void(); }}},
    {"alone-in-a-later-collective", {[](skel::grid& g) {
       repeat(20, [&] { sum(g); });
       if (last(g)) sum(g);
     }}},
    {"alone-in-a-long-collective", {[](skel::grid& g) {
       std::vector<double> many(1 << 20);
       for (int i = 0; i < (first(g) ? 3 : 2); ++i) g.broadcast(std::span(many));
     }}},
    {"alone-in-a-second-run", {[](skel::grid& g) {
       run(g);
       if (first(g)) run(g);
     }}},
    {"returns-before-a-run", {[](skel::grid& g) { last(g) ? void() : run(g); }}},
    {"throws-before-a-run", {[](skel::grid& g) {
       if (first(g)) throw std::runtime_error("rank 0 cannot go on");
       run(g);
     }}},
    {"decides-alone", {[](skel::grid& g) {
       if (first(g)) g.decide({.operation = skel::plan::collective::reduce, .bytes = 8});
     }}},
    {"one-collective-too-many", {[](skel::grid& g) { repeat(first(g) ? 8 : 7, [&] { broadcast(g); }); }}},
    {"runs-against-a-collective", {[](skel::grid& g) { first(g) ? run(g) : g.barrier(); }}},
    {"runs-against-a-known-collective", {[](skel::grid& g) {
       repeat(5, [&] { g.barrier(); });
       first(g) ? run(g) : g.barrier();
     }}},
    {"runs-against-a-plan", {[](skel::grid& g) {
       auto app = count_to(10) | skel::stage("both", same, skel::work(1e-6)) | drop;
       if (first(g))
         g.run(app);
       else
         g.plan(app);
     }}},

    // Programs that are not the same:
    {"operators-of-different-types", {[](skel::grid& g) {
       first(g) ? g.all_reduce(std::span(data()), std::plus<>{}) : g.all_reduce(std::span(data()), std::multiplies<>{});
     }}},
    {"different-functions", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | skel::farm("act", [](int x) { return x + 1; }) | drop);
       else
         g.run(count_to(100) | skel::farm("act", [](int x) { return x + 2; }) | drop);
     }}},
    {"operator-throws", {[](skel::grid& g) {
       g.all_reduce(std::span(data()), [&](double x, double y) {
         if (g.rank() == 1) throw std::runtime_error("no sum");
         return x + y;
       });
       g.barrier();
     }}},
    {"operator-of-a-known-collective-throws", {[](skel::grid& g) {
       for (int call = 0;; ++call)
         g.all_reduce(std::span(data()), [&](double x, double y) {
           if (call == 100 && last(g)) throw std::runtime_error("no sum");
           return x + y;
         });
     }}},
    {"operators-of-values-of-different-types", {[](skel::grid& g) {
       std::string const mine(1 + static_cast<std::size_t>(g.rank()), 'a');
       first(g) ? g.all_reduce(mine, [](std::string const& x, std::string const& y) { return x + y; })
                : g.all_reduce(mine, [](std::string const& x, std::string const& y) { return y + x; });
     }}},
    {"operator-of-values-throws", {[](skel::grid& g) {
       auto const joined = [](std::string const& x, std::string const& y) -> std::string {
         if (y.size() > 1) throw std::runtime_error("no sum");
         return x + y;
       };
       g.reduce(std::string(1 + static_cast<std::size_t>(g.rank()), 'a'), joined);
       g.barrier();
     }}},
    {"root-that-is-not-there", {[](skel::grid& g) { broadcast(g, g.size()); }}},
    {"scatters-too-few", {[](skel::grid& g) { g.scatter(std::vector<std::string>(1, "all there is")); }}},
    {"different-names",
     {[](skel::grid& g) { g.run(count_to(100) | skel::stage(first(g) ? "cut" : "glue", same) | drop); }}},
    {"bsp-of-another-alpha", {[](skel::grid& g) {
       g.run(halting().migrated_by({.name = "rotate", .alpha = first(g) ? std::size_t{2} : std::size_t{3}}));
     }}},
    {"bsp-of-another-limit", {[](skel::grid& g) { g.run(halting().limited(first(g) ? 7U : 8U)); }}},
    {"bsp-pinned-on-one-rank", {[](skel::grid& g) {
       auto app = halting();
       if (first(g)) app.pin(1);
       g.run(app);
     }}},
    {"mesh-of-another-limit", {[](skel::grid& g) { g.run(triangles(4).limited(first(g) ? 7U : 8U)); }}},
    {"mesh-of-other-elements", {[](skel::grid& g) { g.run(triangles(first(g) ? 4 : 5)); }}},
    {"mesh-with-another-step", {[](skel::grid& g) {
       if (first(g))
         g.run(triangles(4) | skel::phase("again", [](int& own) { ++own; }));
       else
         g.run(triangles(4));
     }}},
    {"mesh-with-other-neighbours", {[](skel::grid& g) { g.run(triangles(4, first(g) ? 0 : 1)); }}},
    {"bsp-moved-by-one-rank", {[](skel::grid& g) {
       auto app = halting();
       if (first(g)) app.moved_by([](skel::bsp_measures const&) { return std::vector<skel::bsp_move>(); });
       g.run(app);
     }}},
    {"more-stages-on-one-rank", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | same | same | drop);
       else
         g.run(count_to(100) | same | drop);
     }}},
    {"farm-on-one-rank", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | skel::farm("same", same) | drop);
       else
         g.run(count_to(100) | skel::stage("same", same) | drop);
     }}},
    {"unordered-on-one-rank", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | skel::farm("same", same, skel::unordered) | drop);
       else
         g.run(count_to(100) | skel::farm("same", same) | drop);
     }}},
    {"reduce-on-one-rank", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | skel::reduce("same", std::plus<>{}) | drop);
       else
         g.run(count_to(100) | skel::stage("same", same) | drop);
     }}},
    {"different-items", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | skel::stage("change", same) | drop);
       else
         g.run(count_to(100) | skel::stage("change", [](int x) { return x * 0.5; }) | drop);
     }}},
    {"different-pins", {[](skel::grid& g) {
       auto const here = skel::at("all-" + std::to_string(g.rank()));
       g.run(count_to(100) | skel::farm("pinned", same, here) | drop);
     }}},
    {"different-widths",
     {[](skel::grid& g) { g.run(count_to(100) | skel::farm("wide", same, skel::width{first(g) ? 2u : 3u}) | drop); }}},
    {"plan-on-one-rank", {[](skel::grid& g) {
       if (first(g)) g.settings().plan = all_on(0);
       run(g);
     }}},
    {"different-plans", {[](skel::grid& g) {
       g.settings().plan = all_on(g.rank());
       run(g);
     }}},
    {"different-memory-of-plans", {[](skel::grid& g) {
       g.settings().plan = all_on(0);
       if (last(g)) g.settings().plan->most_bytes = 1;
       run(g);
     }}},
    {"different-latencies-of-plans", {[](skel::grid& g) {
       g.settings().plan = all_on(0);
       if (last(g)) g.settings().plan->batch_latency = 1;
       run(g);
     }}},
    {"work-on-one-rank", {[](skel::grid& g) {
       if (first(g))
         g.plan(count_to(1) | skel::stage("act", same, skel::work(1)) | drop);
       else
         g.plan(count_to(1) | skel::stage("act", same) | drop);
     }}},
    {"state-on-one-rank", {[](skel::grid& g) {
       if (first(g))
         g.run(count_to(100) | skel::stage("act", [kept = 1](int x) { return x * kept; }) | drop);
       else
         g.run(count_to(100) | skel::stage("act", same) | drop);
     }}},
    {"trace-on-one-rank", {[](skel::grid& g) {
       if (last(g)) g.settings().trace = "/dev/null";
       run(g);
     }}},

    // Checkpoints that there cannot be, or that are of another program:
    {"checkpoints-without-a-place", {[](skel::grid& g) {
       checkpoint_folder const folder(g);
       run(g);
     }}},
    {"another-window", {[](skel::grid& g) {
       checkpoint_folder const folder(g);
       try {
         sum_windows(g, folder, 1000);
       } catch (skel::stage_error const&) {
       }
       sum_windows(g, folder, 7);
     }}},

    // Collectives that are not the same, at their first use and later:
    {"different-operations", {[](skel::grid& g) { first(g) ? broadcast(g) : sum(g); }}},
    {"different-operations-later", {[](skel::grid& g) {
       repeat(5, [&] { broadcast(g), sum(g); });
       if (first(g)) broadcast(g);
       sum(g);
       if (!first(g)) broadcast(g);
     }}},
    {"different-roots", {[](skel::grid& g) { broadcast(g, first(g) ? 0 : 1); }}},
    {"different-roots-later", {[](skel::grid& g) {
       repeat(5, [&] { broadcast(g, 0), broadcast(g, 1); });
       broadcast(g, first(g) ? 0 : 1);
     }}},
    {"every-rank-its-own-root", {[](skel::grid& g) {
       for (int root = 0; root < g.size(); ++root) repeat(3, [&] { broadcast(g, root); });
       broadcast(g, g.rank());
     }}},
    {"different-sizes", {[](skel::grid& g) { sum(g, first(g) ? 100 : 10); }}},
    {"different-sizes-later", {[](skel::grid& g) {
       repeat(3, [&] { sum(g, 10), sum(g, 100); });
       sum(g, first(g) ? 100 : 10);
     }}},
    {"nothing-on-one-rank", {[](skel::grid& g) { sum(g, last(g) ? 0 : 10); }}},
    {"different-elements", {[](skel::grid& g) {
       std::vector<float> narrow(20);
       if (first(g))
         sum(g, 10);
       else
         g.all_reduce(std::span(narrow), std::plus<>{});
     }}},
    {"different-operators", {[](skel::grid& g) {
       if (first(g))
         sum(g);
       else
         g.all_reduce(std::span(data()).first(10), [](double, double b) { return b; });
     }}},

    // More than one grid:
    {"second-grid-on-one-rank", {[](skel::grid& g) {
       if (first(g)) skel::grid(quick()).barrier();
     }}},
    {"grids-in-different-orders", {[](skel::grid& g) {
       skel::grid other(quick());
       (first(g) ? g : other).barrier();
       (first(g) ? other : g).barrier();
     }}},
    {"settings-of-one-rank", {[](skel::grid& g) {
       auto settings = quick();
       if (first(g)) settings.platform.reset();
       skel::grid other(settings);
     }}},
    {"announcements-to-one-rank", {[](skel::grid& g) {
       auto settings = quick();
       if (first(g)) settings.announcements = "/dev/null";
       skel::grid other(settings);
       run(other);
     }}},
    {"forced-on-one-rank", {[](skel::grid& g) {
       auto settings = quick();
       if (first(g)) settings.forced = {{"remap", "stay"}};
       skel::grid other(settings);
     }}},
    {"platforms-of-each-rank", {[](skel::grid& g) {
       auto settings = quick();
       settings.platform = skel::platform::description(
           first(g) ? 1e-6 : 2e-6,
           {{.name = "all", .hosts = static_cast<std::size_t>(g.size()), .inside = {5e-5, 1e8}}}, {});
       skel::grid other(settings);
     }}},
    {"uses-a-grid-in-a-fork", {[](skel::grid& g) {
       run(g);
       int const code = in_a_fork([&]() -> int {
         try {
           run(g);
         } catch (skel::error const& e) {
           return told(e);
         }
         return 0;
       });
       if (code != 0) throw std::runtime_error("the fork ended with " + std::to_string(code));
     }}},

    {"goes-on-after-a-mistake", {[](skel::grid& g) {
       try {
         first(g) ? run(g) : broadcast(g);
       } catch (skel::error const&) {
       }
       run(g);
     }}},

    {"leaves-grids-in-another-order", {[](skel::grid&) {
       auto a = std::make_unique<skel::grid>(quick()), b = std::make_unique<skel::grid>(quick());
       if (a->rank() == 0) std::swap(a, b);
       a.reset(), b.reset();
     }}},
    {"leaves-grids-in-another-order-after-a-mistake", {[](skel::grid& g) {
       auto a = std::make_unique<skel::grid>(quick()), b = std::make_unique<skel::grid>(quick());
       std::exception_ptr told;
       try {
         if (g.rank() == 0)
           run(g);
         else
           broadcast(g);
       } catch (skel::error const&) {
         told = std::current_exception();
       }
       if (a->rank() == 0) std::swap(a, b);
       a.reset(), b.reset();
       std::rethrow_exception(told);
     }}},

    // What goes well:
    {"two-grids", {[](skel::grid& g) {
       auto other = std::make_unique<skel::grid>(quick());
       broadcast(g), broadcast(*other), run(g), run(*other);
       other.reset();
       run(g);
     }}},
    {"destroys-a-grid-in-a-fork", {[](skel::grid& g) {
       run(g);
       int const code = in_a_fork([&] {
         g.~grid();
         return 0;
       });
       if (code != 0) throw std::runtime_error("the fork ended with " + std::to_string(code));
       broadcast(g);
     }}},
    {"throws-in-a-fork-of-a-worker", {[](skel::grid& g) {
       run_with(g, [] {
         int status = 0;
         pid_t const child = ::fork();
         if (child == 0) throw std::runtime_error("where no thread of skel is");
         ::waitpid(child, &status, 0);
         if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_FAILURE) throw std::runtime_error("the fork lives on");
       });
     }}},
    {"comes-late",
     {[](skel::grid& g) {
        for (int i = 0; i < 4; ++i) {
          if (g.rank() == i % g.size()) std::this_thread::sleep_for(1500ms);  // longer than the patience
          i % 2 == 0 ? sum(g) : run(g);
        }
      },
      impatient()}},
};

/// Ways that are about the life of grids.
std::map<std::string, std::function<void()>> const lives{
    {"one-grid-after-the-other",
     [] {
       for (int i = 0; i < 3; ++i) {
         skel::grid grid(quick());
         run(grid), sum(grid);
       }
     }},
    {"another-grid-on-one-rank",
     [] {
       { run(*std::make_unique<skel::grid>(quick())); }
       if (number("OMPI_COMM_WORLD_RANK", 0) == 0) run(*std::make_unique<skel::grid>(quick()));
     }},
};

}  // namespace

int main(int, char** argv) try {
  if (auto const life = lives.find(argv[1]); life != lives.end()) {
    life->second();
    return 0;
  }
  auto const& [act, settings] = ways.at(argv[1]);
  skel::grid grid(settings);
  try {
    act(grid);
    return 0;
  } catch (std::exception const& e) {
    return told(e);  // before anybody leaves the grid, so that mpirun ends nobody who has not said it
  }
} catch (std::exception const& e) {
  return told(e);
}
