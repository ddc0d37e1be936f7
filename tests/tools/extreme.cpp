#include "extreme.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "support/dice.hpp"

namespace skel::testing_tools {
namespace {

using namespace std::string_view_literals;
using bench::dice;

constexpr std::array extremes{"0"sv,      "-0"sv,       "1e308"sv, "1.7976931348623157e308"sv,
                              "5e-324"sv, "2.3e-308"sv, "1e-30"sv, "1e30"sv,
                              "1e154"sv,  "1e-154"sv,   "-1"sv,    "1e15"sv};

/// One of many texts: a usual one, or, once in a while, an extreme one.
class writer {
 public:
  explicit writer(std::uint64_t seed) : roll(seed), rarity_(seed % 3 == 0 ? 3 : seed % 3 == 1 ? 20 : 200) {}

  std::string number(std::string_view usual) {
    return std::string(roll.one_in(rarity_) ? roll.one_of(extremes) : usual);
  }
  std::size_t count(std::size_t usual, std::size_t large, std::size_t rarity) {
    return roll.one_in(rarity) ? large : 1 + roll.below(usual);
  }
  std::string name(std::string const& usual) {
    switch (roll.below(rarity_ * 8)) {
      case 0:
        return usual + std::string(100'000, 'n');
      case 1:
        return usual + "\\u001b[31m";
      case 2:
        return usual + "\xD0\x9F\xE2\x82\xAC";
      case 3:
        return usual + " ,+;-";
      default:
        return usual;
    }
  }
  std::string nested() {
    std::size_t const depth = std::size_t{1} << roll.below(18);
    return std::string(depth, '[') + std::string(depth, ']');
  }

  dice roll;

 private:
  std::size_t rarity_;
};

std::string numbered(std::string name, std::size_t number) {
  return name += std::to_string(number);
}

std::string table(writer& w) {
  std::string text = "[";
  std::size_t const points = w.count(4, 3000, 40);
  for (std::size_t i = 0; i < points; ++i)
    text += (i == 0 ? "[" : ", [") + std::to_string(i * 1000) + ", " + w.number("1e-5") + "]";
  return text + "]";
}

std::string path(writer& w) {
  std::string text = "\"latency\": " + w.number("1e-4");
  if (w.roll.one_in(2)) text += ", \"bandwidth\": " + w.number("1e8");
  if (w.roll.one_in(3)) text += ", \"plogp\": {\"L\": " + w.number("1e-5") + ", \"g\": " + table(w) + "}";
  if (w.roll.one_in(3))
    text += ", \"loggp\": {\"L\": " + w.number("1e-5") + ", \"o\": " + w.number("1e-6") +
            ", \"g\": " + w.number("1e-6") + ", \"G\": " + w.number("1e-9") + "}";
  return text;
}

std::string vertices(writer& w, std::size_t of, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += numbered(" ", w.roll.below(of));
  return text;
}

}  // namespace

std::string extreme_platform(std::uint64_t seed) {
  writer w(seed);
  std::size_t const clusters = w.count(4, 300, 25);
  std::vector<std::string> names;
  std::string text = "{\"skel_platform\": 1, \"local_latency\": " + w.number("1e-6") + ", \"clusters\": [";
  for (std::size_t i = 0; i < clusters; ++i) {
    names.push_back(w.name(numbered("p", i + 1)));
    text += (i == 0 ? "\n{\"name\": \"" : ",\n{\"name\": \"") + names.back() +
            "\", \"hosts\": " + std::to_string(w.count(5, clusters > 4 ? 20 : 5000, 10)) +
            ", \"speed\": " + w.number("2.5") + ", \"cores\": " + std::to_string(w.count(4, 2'000'000, 10)) + ", " +
            path(w);
    if (w.roll.one_in(20)) text += ", \"x_deep\": " + w.nested();
    text += "}";
  }
  text += "],\n\"links\": [";
  bool first = true;
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = a + 1; b < clusters; ++b) {
      text += std::string(std::exchange(first, false) ? "" : ",\n") + "{\"between\": [\"" + names[a] + "\", \"" +
              names[b] + "\"], " + (clusters > 4 ? "\"latency\": 1e-3" : path(w)) + "}";
    }
  return text + "]}\n";
}

std::string extreme_pipeline(std::uint64_t seed) {
  writer w(seed);
  std::size_t const stages = w.count(4, w.roll.one_in(4) ? 1000 : 40, 8);
  std::string text = "{\"skel_pipeline\": 1, \"stages\": [";
  for (std::size_t i = 0; i < stages; ++i) {
    text += (i == 0 ? "\n{\"name\": \"" : ",\n{\"name\": \"") + w.name(numbered("stage", i)) +
            "\", \"work\": " + w.number("0.5") + ", \"output_bytes\": " + w.number("1024");
    if (w.roll.one_in(2))
      text +=
          ", \"replicable\": true, \"ordered\": " + std::string(w.roll.one_in(2) ? "true" : "false") +
          (w.roll.one_in(2) ? ", \"width\": " + std::to_string(w.count(3, w.roll.one_in(2) ? 1000 : 200'000, 8)) : "");
    if (w.roll.one_in(40)) text += ", \"x_deep\": " + w.nested();
    text += "}";
  }
  return text + "]}\n";
}

std::string extreme_pepa(std::uint64_t seed) {
  writer w(seed);
  std::size_t const stages = w.count(4, 300, 10), workers = w.count(4, w.roll.one_in(2) ? 60 : 1'000'000, 6);
  std::string const end = w.roll.one_in(10) ? std::string(100'000, 'n') : "";
  std::string text = "mu = " + w.number("5") + ";\n";
  if (w.roll.one_in(6)) {
    std::size_t const depth = std::size_t{1} << w.roll.below(18);
    text += "deep = " + std::string(depth, '(') + "mu" + std::string(depth, ')') + " * " + w.number("2") + ";\n";
  }
  for (std::size_t i = 0; i < stages; ++i)
    text += "Stage" + std::to_string(i) + end + " = (move" + std::to_string(i) + ", T).(process" + std::to_string(i) +
            ", " + (w.roll.one_in(2) ? "mu" : w.number("10")) + ").(move" + std::to_string(i + 1) + ", " +
            w.number("7") + ").Stage" + std::to_string(i) + end + ";\n";
  text += "Worker = (move0, " + w.number("2") + ").Worker;\nSink = (move" + std::to_string(stages) + ", " +
          w.number("3") + ").Sink;\n";
  text += "Worker[" + std::to_string(workers) + "] <move0> (";
  for (std::size_t i = 0; i < stages; ++i)
    text += "(Stage" + std::to_string(i) + end + " <move" + std::to_string(i + 1) + "> ";
  return text + "Sink" + std::string(stages, ')') + ")\n";
}

std::string extreme_latencies(std::uint64_t seed) {
  writer w(seed);
  std::size_t const hosts = w.count(6, 600, 10);
  std::string text;
  for (std::size_t i = 0; i < hosts; ++i) {
    if (i > 0) text += ',';
    text += w.name(numbered("n", i));
  }
  for (std::size_t i = 0; i < hosts; ++i)
    for (std::size_t j = 0; j < hosts; ++j) {
      text += j == 0 ? '\n' : ',';
      text += i == j ? "0" : w.number(i / 4 == j / 4 ? "1e-4" : "5e-3");
    }
  return text + "\n";
}

std::string extreme_candidates(std::uint64_t seed) {
  writer w(seed);
  bool const json = w.roll.one_in(2);
  std::size_t const lines = w.count(6, 20'000, 10);
  std::string text = json ? "[" : "";
  for (std::size_t i = 0; i < lines; ++i) {
    std::array<std::string, 3> hosts;
    for (auto& host : hosts) host = w.name(numbered("p", 1 + w.roll.below(3)));
    text += json ? (i == 0 ? "[\"" : ",\n[\"") + hosts[0] + "\", \"" + hosts[1] + "\", \"" + hosts[2] + "\"]"
                 : hosts[0] + "," + hosts[1] + "," + hosts[2] + "\n";
  }
  if (json && w.roll.one_in(8)) text += ", " + w.nested();
  return text + (json ? "]" : "");
}

std::string extreme_mesh(std::string const& format, std::uint64_t seed) {
  writer w(seed);
  std::size_t const nodes = w.count(20, w.roll.one_in(2) ? 50'000 : 2'000'000, 8);
  std::size_t const rows = w.roll.one_in(6) ? 100'000 : w.roll.below(30);
  auto const n = [](std::size_t count) { return std::to_string(count); };
  std::string text;
  if (format == ".edges") {
    for (std::size_t i = 0; i < rows; ++i) text += vertices(w, nodes, 2).substr(1) + "\n";
  } else if (format == ".mtx") {
    text = "%%MatrixMarket matrix coordinate real general\n" + n(nodes) + " " + n(nodes) + " " + n(rows) + "\n";
    for (std::size_t i = 0; i < rows; ++i)
      text += n(1 + w.roll.below(nodes)) + " " + n(1 + w.roll.below(nodes)) + " " + w.number("1.5") + "\n";
  } else if (format == ".graph") {  // a star
    std::size_t const leaves = rows + 1;
    text = n(leaves + 1) + " " + n(leaves) + "\n";
    for (std::size_t i = 0; i < leaves; ++i) text += n(i + 2) + " ";
    for (std::size_t i = 0; i < leaves; ++i) text += "\n1";
    text += "\n";
  } else if (format == ".obj") {
    std::size_t const corners = w.roll.one_in(6) ? 100'000 : 4;
    for (std::size_t i = 0; i < corners; ++i)
      text += "v " + w.number("0.5") + " " + w.number("1") + " " + w.number("2") + "\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(rows, 50) + 1; ++i) {
      text += "f";
      for (std::size_t k = 0; k < (i == 0 ? corners : 3); ++k)
        text += numbered(w.roll.one_in(2) ? " -" : " ", 1 + w.roll.below(corners));
      text += "\n";
    }
  } else if (format == ".su2") {
    text = "NDIME= 2\nNELEM= " + n(rows) + "\n";
    std::size_t const points = 5 + rows / 10;
    for (std::size_t i = 0; i < rows; ++i) text += "5" + vertices(w, points, 3) + " " + n(i) + "\n";
    text += "NPOIN= " + n(points) + "\n";
    for (std::size_t i = 0; i < points; ++i) text += w.number("0.5") + " " + w.number("1") + " " + n(i) + "\n";
    text += "NMARK= 1\nMARKER_TAG= " + w.name("wall") + "\nMARKER_ELEMS= 1\n3 0 1\n";
  } else {  // .pack
    std::size_t const points = 5 + rows / 10;
    text = n(points) + " 3\n" + n(rows) + " 4\n1\n1\n" + n(points) + " " + n(points) + " " + n(points) + "\n";
    for (std::size_t i = 0; i < points; ++i)
      text += n(i + 1) + " " + w.number("0") + " " + w.number("1") + " " + w.number("2.5") + "\n";
    text += n(rows) + "\n";
    for (std::size_t i = 0; i < rows; ++i) text += n(i + 1) + vertices(w, points, 4) + "\n";
    text += "4 9\n0 0\n";
  }
  return text;
}

std::string with_extreme_numbers(std::string text, std::uint64_t seed) {
  dice roll(seed);
  auto const part_of_number = [&](std::size_t i) {
    return i < text.size() && std::string_view("0123456789.eE+-").find(text[i]) != std::string_view::npos;
  };
  auto const starts = [&](std::size_t i) {
    return i > 0 && i < text.size() && std::string_view(" ,[:\n").find(text[i - 1]) != std::string_view::npos &&
           std::string_view("0123456789-").find(text[i]) != std::string_view::npos;
  };
  for (std::size_t k = 1 + roll.below(6); k > 0; --k) {
    std::size_t begin = roll.below(text.size() + 1);
    while (begin < text.size() && !starts(begin)) ++begin;
    if (begin == text.size()) continue;
    std::size_t end = begin;
    while (part_of_number(end)) ++end;
    text.replace(begin, end - begin, roll.one_of(extremes));
  }
  return text;
}

}  // namespace skel::testing_tools
