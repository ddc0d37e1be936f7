#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/cost/pepa/chain.hpp>
#include <skel/detail/cost/pepa/space.hpp>

#include "structure.hpp"
#include "syntax.hpp"

namespace skel::cost::pepa::detail {

/// Words -> dense numbers in the order of first use. Open addressing; the words stand in one array. If all have one
/// word, that is the address. So are two words if the second one has few values.
class word_table {
 public:
  /// All will have two words, the second one from `low` to low + `count` - 1.
  void expect_pairs(std::uint32_t low, std::uint32_t count) { low_ = low, count_ = count; }
  std::uint32_t insert(std::span<std::uint32_t const> words);
  /// Fetches ahead the first reads of insert(); expect_more(), once these are there, the next ones.
  void expect(std::span<std::uint32_t const> words) const;
  void expect_more(std::span<std::uint32_t const> words) const;
  std::span<std::uint32_t const> words(std::uint32_t number) const {
    if (first_.empty()) return {words_.data() + number * width_, width_};
    return {words_.data() + first_[number], first_[number + 1] - first_[number]};
  }
  std::size_t size() const { return size_; }
  /// Nothing can be inserted any more.
  void close() { slots_ = std::vector<std::uint32_t>(), words_.shrink_to_fit(); }

 private:
  bool is_address(std::span<std::uint32_t const> words) const { return words.size() == 1 || count_ > 0; }
  std::size_t place_of(std::span<std::uint32_t const> words) const;
  void grow();
  std::uint32_t add(std::span<std::uint32_t const> words);

  std::vector<std::uint32_t> words_, slots_;
  std::uint32_t low_ = 0, count_ = 0;
  std::size_t size_ = 0, width_ = 0;  // width_: of all words so far, while first_ is empty
  std::vector<std::size_t> first_;
};

/// Identical components in one local state.
struct group {
  index component;
  std::uint32_t state;
  std::uint32_t copies;
};

/// The states of every component of a structure, found and numbered as they are needed. The state of a cooperation is
/// the words of its parts one after the other. For one copy this is its state; for several it is the number of
/// different states and, sorted, each state with its number of copies. Parts of one state, such as processors, have
/// none. If a single part changes, the states are those of this part; only the root numbers them as it comes to them.
/// Transitions of a component's state are computed once, however many states of the whole contain it.
class explorer {
 public:
  explorer(syntax const& tree, structure const& net, std::size_t max_states, std::size_t max_bytes);

  std::uint32_t initial(index component);
  /// The transitions of a state, ordered by action and target, into `out`; computed and not kept.
  void expand(index component, std::uint32_t state, std::vector<local_transition>& out);
  std::size_t states(index component) const { return memory_[component].table.size(); }
  /// Appends the parts of a state of a cooperation or hiding, in the order of the structure.
  void parts(index component, std::uint32_t state, std::vector<group>& out) const;

  /// Place in the text where a component in this state performs an action, actively or passively; else the system.
  position locate(index component, std::uint32_t state, index action, bool passive) const;
  /// A state in words.
  std::string describe(index component, std::uint32_t state) const;

  /// Forgets the transitions, but not the states of the numbers. Nothing can be expanded any more.
  void forget_transitions();

 private:
  struct extent {
    std::size_t first = unknown;
    std::size_t count = 0;
  };
  static constexpr std::size_t unknown = ~std::size_t{0};
  struct memory {
    word_table table;
    std::vector<extent> extents;               // per state, where known
    std::vector<local_transition> out, found;  // found: of the state that is being expanded
    std::vector<group> groups;
    std::vector<bool> covered;  // per action: shared or hidden here
    part const* only = nullptr;  // the one that changes
    // with `only`: per action the apparent rate of the other parts together, 0 if one does not perform it; their own
    std::vector<rate> limit;
    std::vector<local_transition> loops;
  };
  /// One way in which a part can perform a shared action: its words afterwards, and the probability.
  struct alternative {
    std::size_t first, length;
    double probability;
  };

  /// True if a part has one state only, and one copy.
  bool is_constant(part const& p) const { return p.copies == 1 && constant_[p.component]; }
  /// True for a component, not the root, whose states are those of a part.
  bool is_alike(index component) const { return component != net_.root && memory_[component].only != nullptr; }
  /// True for components without a state that belongs to two states of the root: their transitions are not kept.
  std::vector<bool> passed_through() const;
  std::span<local_transition const> known(index component, std::uint32_t state) const;
  void ensure(index component, std::uint32_t state);
  void find_limits(index component);
  void expand_only(index component, std::uint32_t state, std::vector<local_transition>& out);
  void expand_cooperation(index component, std::uint32_t state, std::vector<local_transition>& out);
  void move_alone(index component, std::vector<local_transition>& out);
  void move_together(index component, index action, std::vector<local_transition>& out);
  void multiset_alternatives(std::span<group const> same, std::span<local_transition const> const* ways);
  std::uint32_t intern(index component, std::span<std::uint32_t const> words);
  /// Adds a transition to the state of the words behind the last target, whose number it gets from number_targets().
  void add(index component, local_transition transition, std::vector<local_transition>& out);
  void number_targets(index component, std::vector<local_transition>& out);
  void charge(std::size_t bytes);
  [[noreturn]] void refuse_mixed(index component, std::uint32_t state, index action) const;
  [[noreturn]] void refuse_size(std::string const& what) const;

  syntax const& tree_;
  structure const& net_;
  std::size_t max_states_, max_bytes_, bytes_ = 0;
  std::vector<memory> memory_;
  std::vector<bool> constant_;  // per component: it stays in its state
  std::vector<bool> passing_;   // per component

  // of the cooperation that is being expanded
  std::vector<std::size_t> group_first_;  // per part
  std::span<std::uint32_t const> key_;
  std::vector<std::uint32_t> targets_;  // the words of all targets, and where those of each one end
  std::vector<std::size_t> target_ends_;  // 0 first
  std::vector<std::size_t> part_first_;  // per part: offset in key_
  std::vector<std::uint32_t> pool_;
  // per group: what it does, from the next shared action on; how it performs the present one
  std::vector<std::span<local_transition const>> offers_, ways_;
  std::vector<alternative> alternatives_;
  std::vector<std::size_t> alternative_first_, chosen_;
};

/// The data that a state_space shares.
struct derivation {
  derivation(std::shared_ptr<syntax const> model, std::size_t max_states, std::size_t max_bytes)
      : tree(std::move(model)), explored(*tree, tree->net, max_states, max_bytes) {}

  std::shared_ptr<syntax const> tree;
  explorer explored;
  chain graph{{0}, {}, {}, {}};
  std::vector<std::uint32_t> action;  // per transition
};

}  // namespace skel::cost::pepa::detail
