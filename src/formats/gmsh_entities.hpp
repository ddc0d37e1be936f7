#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skel::skeletons {

/// Different sets of tags, numbered as they come; set 0 is empty.
class tag_sets {
 public:
  tag_sets() { number({}); }

  /// The number of a set, whose tags may come in any order, and several times. O(tags log).
  std::uint32_t number(std::vector<std::int32_t> tags) {
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    tags.shrink_to_fit();
    return numbers_.emplace(std::move(tags), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  /// All sets by their numbers; none are left here.
  std::vector<std::vector<std::int32_t>> take() {
    std::vector<std::vector<std::int32_t>> sets(numbers_.size());
    while (!numbers_.empty()) {
      auto one = numbers_.extract(numbers_.begin());
      sets[one.mapped()] = std::move(one.key());
    }
    return sets;
  }

 private:
  std::map<std::vector<std::int32_t>, std::uint32_t> numbers_;
};

/// The points, curves, surfaces and volumes that the elements of a file of Gmsh are on, by dimension and tag. Each has
/// its physical groups, and the part of the mesh that it is.
class gmsh_entities {
 public:
  struct entity {
    std::int32_t tag = 0;
    std::uint32_t set = 0;   ///< of physical tags
    std::uint32_t part = 0;  ///< 0: none, or several
  };

  /// Sections $Entities and $PartitionedEntities. If a tag is in both, the later one counts.
  template <class Input>
  void read(Input& in, bool parted) {
    in.begin("the head of the entities");
    if (parted) {
      parts_ = static_cast<std::uint32_t>(in.count("the number of partitions", 1, 1));
      in.end("the number of partitions");
      in.begin("the ghost entities");
      read_ghosts(in);
      in.begin("the numbers of entities");
    }
    std::array<std::size_t, 4> counts{};
    for (std::size_t d = 0; d < 4; ++d) counts[d] = in.count("the number of entities of a dimension", 10, 36);
    in.end("the numbers of entities");
    for (std::size_t d = 0; d < 4; ++d) {
      for (std::size_t k = 0; k < counts[d]; ++k) read_entity(in, parted, d, k, counts[d]);
      std::stable_sort(of_[d].begin(), of_[d].end(), [](entity const& a, entity const& b) { return a.tag < b.tag; });
    }
  }

  /// The entity with this tag; without groups and part if it is in no list. O(log entities).
  entity find(std::size_t dimension, std::int32_t tag) const {
    auto const& all = of_[dimension];
    auto const behind = std::upper_bound(all.begin(), all.end(), tag,
                                         [](std::int32_t wanted, entity const& one) { return wanted < one.tag; });
    return behind == all.begin() || std::prev(behind)->tag != tag ? entity{tag, 0, 0} : *std::prev(behind);
  }

  bool has_ghosts() const { return has_ghosts_; }
  std::uint32_t parts() const { return parts_; }
  std::vector<std::vector<std::int32_t>> take_sets() { return sets_.take(); }

 private:
  static constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
  static constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

  /// Reads over the list of ghost entities and their partitions: the entities of ghosts are listed by themselves too.
  template <class Input>
  void read_ghosts(Input& in) {
    std::size_t const ghosts = in.count("the number of ghost entities", 3, 8);
    has_ghosts_ = ghosts > 0;
    in.end("the number of ghost entities");
    for (std::size_t k = 0; k < ghosts; ++k) {
      in.begin("ghost entity", k, ghosts);
      in.integer("the tag of a ghost entity", least, most);
      in.integer("its partition", 1, most);
      in.end("a ghost entity");
    }
  }

  template <class Input>
  void read_entity(Input& in, bool parted, std::size_t dimension, std::size_t k, std::size_t of) {
    in.begin("entity", k, of);
    entity one;
    one.tag = static_cast<std::int32_t>(in.integer("the tag of an entity", least, most));
    bool own_tags = true;  // a boundary between partitions has the tags of the volume that it cuts: no marks
    if (parted) {
      auto const parent = in.integer("the dimension of its parent", -1, 3);
      own_tags = parent < 0 || static_cast<std::size_t>(parent) == dimension;
      in.integer("the tag of its parent", least, most);
      std::size_t const parts = in.count("the number of its partitions", 2, 4);
      for (std::size_t p = 0; p < parts; ++p) {
        auto const part = static_cast<std::uint32_t>(in.integer("a partition", 1, most));
        one.part = parts == 1 ? part : 0;
      }
    }
    for (std::size_t d = 0; d < (dimension == 0 ? 3 : 6); ++d) in.number("the place of an entity");
    std::vector<std::int32_t> tags(in.count("the number of its physical tags", 2, 4));
    for (std::int32_t& tag : tags)  // negative if the entity has the other orientation than the group
      tag = static_cast<std::int32_t>(std::abs(in.integer("a physical tag", least + 1, most)));
    if (own_tags) one.set = sets_.number(std::move(tags));
    if (dimension > 0) {
      std::size_t const bounds = in.count("the number of entities that bound it", 2, 4);
      for (std::size_t b = 0; b < bounds; ++b) in.integer("the tag of an entity that bounds it", least, most);
    }
    in.end("an entity");
    of_[dimension].push_back(one);
  }

  tag_sets sets_;
  std::array<std::vector<entity>, 4> of_;
  std::uint32_t parts_ = 0;
  bool has_ghosts_ = false;
};

}  // namespace skel::skeletons
