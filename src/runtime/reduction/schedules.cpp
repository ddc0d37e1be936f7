#include <skel/detail/runtime/reduction/schedules.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/reduction/pattern_parts.hpp>

namespace skel::runtime::reduction {

namespace {

template <class T>
std::size_t bytes_of(std::vector<T> const& of) {
  return of.capacity() * sizeof(T);
}

/// A phase that reads all subscripts, and for each of them writes so many bytes.
phase reading_phase(char const* name, pattern const& of, double written = 0) {
  double const bytes = static_cast<double>(of.subscripts()) * (sizeof(subscript) + written);
  return {name, bytes, bytes};
}

/// Adds an iteration to runs of iterations.
void append(std::vector<iteration_run>& runs, std::size_t i) {
  auto const number = static_cast<iteration>(i);
  if (!runs.empty() && runs.back().end == number)
    ++runs.back().end;
  else
    runs.push_back({number, number + 1});
}

/// Adds all of other runs, which come after all that is there.
void append(std::vector<iteration_run>& runs, std::vector<iteration_run> const& more) {
  auto from = more.begin();
  if (!runs.empty() && from != more.end() && runs.back().end == from->begin) runs.back().end = (from++)->end;
  runs.insert(runs.end(), from, more.end());
}

/// The first place of each slice of the elements in a rising list of elements, and its end: P + 1 places.
template <class List, class Element>
std::vector<std::size_t> slices_of(List const& list, std::size_t elements, std::size_t parts, Element element) {
  std::vector<std::size_t> slices(parts + 1, list.size());
  std::size_t at = 0;
  for (std::size_t s = 0; s < parts; ++s) {
    std::size_t const begin = plan::block_of(elements, parts, s).begin;
    auto const first = std::partition_point(list.begin() + static_cast<std::ptrdiff_t>(at), list.end(),
                                            [&](auto const& one) { return element(one) < begin; });
    at = static_cast<std::size_t>(first - list.begin());
    slices[s] = at;
  }
  return slices;
}

/// `map` becomes the sets of elements that each part keeps privately.
void keep_privates(touched_map& map, team& workers) {
  std::size_t const words = element_set::words_for(map.elements);
  writers const by(map.elements, map.parts.size());
  workers.run({"writers"}, [&](std::size_t slice) {
    auto const mine = plan::block_of(words, workers.parts(), slice);
    for (std::size_t w = mine.begin; w < mine.end; ++w)
      by.for_each_part(map, w, [&](std::size_t part, std::uint64_t, std::uint64_t privates) {
        map.parts[part].words[w] = privates;
      });
  });
}

}  // namespace

bool fits(pattern const& of) {
  return of.iterations() <= std::numeric_limits<iteration>::max() &&
         of.subscripts() <= std::numeric_limits<contribution>::max();
}

std::size_t link_schedule::bytes() const {
  std::size_t sum = 0;
  for (auto const& one : parts) sum += bytes_of(one.runs) + bytes_of(one.slices);
  return sum;
}

link_schedule make_link_schedule(pattern const& of, team& workers) {
  touched_map const map = find_touched(of, workers);
  link_schedule schedule{std::vector<link_schedule::part>(workers.parts())};
  workers.run({"links"}, [&](std::size_t number) {
    if (number == 0) return;  // accumulates into the array itself
    link_schedule::part mine;
    mine.slices.push_back(0);
    for (std::size_t s = 0; s < workers.parts(); ++s) {
      auto const slice = plan::block_of(of.elements(), workers.parts(), s);
      for_each_run(map.parts[number], slice.begin, slice.end, [&](std::size_t begin, std::size_t end) {
        mine.runs.push_back({static_cast<subscript>(begin), static_cast<subscript>(end)});
        mine.touched += end - begin;
      });
      mine.slices.push_back(mine.runs.size());
    }
    schedule.parts[number] = std::move(mine);
  });
  for (auto const& one : schedule.parts) schedule.touched += static_cast<double>(one.touched);
  return schedule;
}

std::size_t selective_schedule::bytes() const {
  std::size_t sum = 0;
  for (auto const& one : parts)
    sum += bytes_of(one.interior) + bytes_of(one.boundary) + bytes_of(one.rows) + bytes_of(one.index) +
           bytes_of(one.privates) + bytes_of(one.slices);
  return sum;
}

selective_schedule make_selective_schedule(pattern const& of, team& workers) {
  SKEL_EXPECTS(fits(of));
  touched_map map = find_touched(of, workers);
  keep_privates(map, workers);
  selective_schedule schedule{std::vector<selective_schedule::part>(workers.parts())};
  workers.run(reading_phase("select", of), [&](std::size_t number) {
    selective_schedule::part mine;
    auto const iterations = plan::block_of(of.iterations(), workers.parts(), number);
    auto& set = map.parts[number];
    std::vector<std::uint32_t> before(set.words.size());  // private elements before each word
    std::uint32_t privates = 0;
    for (std::size_t w = 0; w < before.size(); ++w) {
      before[w] = privates;
      privates += static_cast<std::uint32_t>(std::popcount(set.words[w]));
    }
    if (privates == 0) {
      if (iterations.size() > 0)
        mine.interior.push_back({static_cast<iteration>(iterations.begin), static_cast<iteration>(iterations.end)});
    } else {
      mine.privates.reserve(privates);
      for_each_run(set, 0, of.elements(), [&](std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) mine.privates.push_back(static_cast<subscript>(begin));
      });
      if (!of.uniform()) mine.rows.push_back(0);
      for (std::size_t i = iterations.begin; i < iterations.end; ++i) {
        auto const row = of.row(i);
        if (std::none_of(row.begin(), row.end(), [&](subscript e) { return set.has(e); })) {
          append(mine.interior, i);
          continue;
        }
        mine.boundary.push_back(static_cast<iteration>(i));
        for (subscript const e : row) {
          std::uint64_t const lower = set.words[e / 64] & ((std::uint64_t{1} << (e % 64)) - 1);
          auto const place = static_cast<std::int32_t>(before[e / 64]) + std::popcount(lower);
          mine.index.push_back(set.has(e) ? ~place : static_cast<std::int32_t>(e));
        }
        if (!of.uniform()) mine.rows.push_back(mine.index.size());
      }
    }
    mine.slices = slices_of(mine.privates, of.elements(), workers.parts(), [](subscript e) { return e; });
    schedule.parts[number] = std::move(mine);
  });
  return schedule;
}

std::size_t owner_schedule::bytes() const {
  std::size_t sum = 0;
  for (auto const& one : parts) sum += bytes_of(one.interior) + bytes_of(one.boundary);
  return sum;
}

owner_schedule make_owner_schedule(pattern const& of, team& workers) {
  SKEL_EXPECTS(fits(of));
  std::size_t const parts = workers.parts();
  // A part may look at iterations that another one runs: found[p][t] is what p found for t.
  std::vector<std::vector<owner_schedule::part>> found(parts);
  workers.run(reading_phase("owners", of), [&](std::size_t number) {
    std::vector<owner_schedule::part> mine(parts);
    auto const iterations = plan::block_of(of.iterations(), parts, number);
    std::vector<std::size_t> owners;
    owner_finder owner_of(of.elements(), parts);
    for (std::size_t i = iterations.begin; i < iterations.end; ++i) {
      owners.clear();
      for (subscript const e : of.row(i)) {
        std::size_t const owner = owner_of(e);
        if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
      }
      if (owners.empty())
        append(mine[number].interior, i);  // touches nothing: the body runs all the same
      else if (owners.size() == 1)
        append(mine[owners.front()].interior, i);
      else
        for (std::size_t const owner : owners) mine[owner].boundary.push_back(static_cast<iteration>(i));
    }
    found[number] = std::move(mine);
  });
  owner_schedule schedule{std::vector<owner_schedule::part>(parts)};
  workers.run({"owners' lists"}, [&](std::size_t number) {
    owner_schedule::part mine;
    std::size_t runs = 0, boundary = 0;
    for (auto const& from : found) runs += from[number].interior.size(), boundary += from[number].boundary.size();
    mine.interior.reserve(runs);
    mine.boundary.reserve(boundary);
    for (auto const& from : found) {
      append(mine.interior, from[number].interior);
      mine.boundary.insert(mine.boundary.end(), from[number].boundary.begin(), from[number].boundary.end());
    }
    schedule.parts[number] = std::move(mine);
  });
  return schedule;
}

std::size_t gather_schedule::bytes() const {
  return bytes_of(contributions) + bytes_of(offsets) + bytes_of(slices);
}

gather_schedule make_gather_schedule(pattern const& of, team& workers) {
  SKEL_EXPECTS(fits(of));
  std::size_t const parts = workers.parts(), elements = of.elements();
  auto const index = of.index();
  // Contributions sorted by the owner of their element, then, by each owner, by element: both keep their order.
  std::vector<std::vector<std::vector<contribution>>> found(parts);
  workers.run(reading_phase("deal contributions", of, sizeof(contribution)), [&](std::size_t number) {
    std::vector<std::vector<contribution>> mine(parts);
    auto const iterations = plan::block_of(of.iterations(), parts, number);
    std::size_t const end = of.row_begin(iterations.end);
    owner_finder owner_of(elements, parts);
    for (std::size_t k = of.row_begin(iterations.begin); k < end; ++k)
      mine[owner_of(index[k])].push_back(static_cast<contribution>(k));
    found[number] = std::move(mine);
  });
  gather_schedule schedule;
  schedule.contributions.resize(index.size());
  schedule.offsets.assign(elements + 1, index.size());
  std::vector<std::size_t> begins(parts + 1, 0);
  for (std::size_t owner = 0; owner < parts; ++owner) {
    begins[owner + 1] = begins[owner];
    for (auto const& from : found) begins[owner + 1] += from[owner].size();
  }
  workers.run(reading_phase("sort contributions", of, 2 * sizeof(contribution)), [&](std::size_t owner) {
    auto const block = plan::block_of(elements, parts, owner);
    std::vector<std::size_t> next(block.size() + 1, 0);
    for (auto const& from : found)
      for (contribution const k : from[owner]) ++next[index[k] - block.begin + 1];
    next[0] = begins[owner];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::copy(next.begin(), next.end() - 1, schedule.offsets.begin() + static_cast<std::ptrdiff_t>(block.begin));
    for (auto const& from : found)
      for (contribution const k : from[owner]) schedule.contributions[next[index[k] - block.begin]++] = k;
  });
  for (std::size_t part = 0; part <= parts; ++part) {
    auto const first = std::lower_bound(schedule.offsets.begin(), schedule.offsets.end(),
                                        plan::block_of(index.size(), parts, std::min(part, parts - 1)).begin);
    schedule.slices.push_back(part == 0       ? 0
                              : part == parts ? elements
                                              : static_cast<std::size_t>(first - schedule.offsets.begin()));
  }
  return schedule;
}

}  // namespace skel::runtime::reduction
