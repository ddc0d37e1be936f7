#include <skel/bsp.hpp>

// Trivially copyable, but its author's functions write and read it, and load() needs a value to read into.
struct state {
  explicit state(long begin) : n(begin) {}
  long n;
  long* cache = nullptr;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};

auto compose() {
  return skel::bsp<int>(
      "unread", 4, [](std::size_t) { return state(1); }, [](skel::superstep<int>& now, state&) { now.halt(); });
}
