#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace skel {

/// The number of an element of the array that an irregular reduction accumulates into.
using subscript = std::uint32_t;

/// The elements to which each iteration of an irregular reduction contributes: M iterations with slots, and in each
/// slot the subscript of one of N elements. M x m, or rows of unequal length.
///
/// A pattern owns its subscripts, and each content has a version of its own: two patterns have the same version only if
/// one is an unchanged copy of the other. So a plan for a version holds as long as the version is the same; one
/// comparison tells. The pattern checks every subscript against N on entry; its users need not check it again.
///
/// Limits: N <= 2^31, since plans store an element's number and one bit more in 32 bits; M and the number of subscripts
/// are limited by memory only.
class pattern {
 public:
  class editor;

  /// No iterations, no elements.
  pattern();

  pattern(pattern const&) = default;
  pattern& operator=(pattern const&) = default;
  /// A moved-from pattern is empty, with a version of its own.
  pattern(pattern&& other) noexcept : pattern() { exchange(other); }
  pattern& operator=(pattern&& other) noexcept {
    pattern emptied;
    exchange(other);
    other.exchange(emptied);
    return *this;
  }

  /// M x m: iteration i has the m subscripts from index[i m] on, m = index.size() / iterations. O(M m).
  /// Throws skel::input_error with iteration, slot and value if a subscript is not in [0, elements). Throws it also if
  /// subscripts cannot be dealt evenly or there are too many elements.
  template <std::integral Index>
  pattern(std::size_t iterations, std::size_t elements, std::span<Index const> index)
      : pattern(iterations, elements, std::vector<Index>(index.begin(), index.end())) {}
  template <std::integral Index>
  pattern(std::size_t iterations, std::size_t elements, std::vector<Index> index);

  /// Rows: iteration i has the subscripts index[offsets[i]] to index[offsets[i + 1]]; M = offsets.size() - 1. Rows may
  /// be empty. O(M + subscripts). Throws as above, and if offsets fall, do not begin with 0 or do not end with the
  /// number of subscripts.
  template <std::integral Index>
  static pattern rows(std::size_t elements, std::vector<std::size_t> offsets, std::vector<Index> index);

  std::size_t iterations() const { return iterations_; }  ///< M
  std::size_t elements() const { return elements_; }      ///< N
  std::size_t subscripts() const { return index_.size(); }

  /// True if all iterations have the same number of slots; then width() is that number.
  bool uniform() const { return offsets_.empty(); }
  /// m, the slots of an iteration; the most of any if they are unequal.
  std::size_t width() const { return width_; }

  /// All subscripts, those of iteration 0 first.
  std::span<subscript const> index() const { return index_; }
  /// The place of each iteration's first subscript, and the end of the last one; empty for uniform patterns.
  std::span<std::size_t const> offsets() const { return offsets_; }
  /// The place of an iteration's first subscript. Precondition: i <= M.
  std::size_t row_begin(std::size_t i) const { return uniform() ? i * width_ : offsets_[i]; }
  /// The subscripts of an iteration. Precondition: i < M.
  std::span<subscript const> row(std::size_t i) const {
    return std::span(index_).subspan(row_begin(i), row_begin(i + 1) - row_begin(i));
  }

  /// The version of this content, unique in this process.
  std::uint64_t version() const { return version_; }
  /// A hash of iterations, elements and subscripts: the same in every process with the same pattern. O(subscripts).
  std::uint64_t content() const;

  /// A pattern of some of its iterations: those from `begin` to before `end`, or those with these numbers. O(their
  /// subscripts). Precondition: it has them.
  pattern part(std::size_t begin, std::size_t end) const;
  pattern part(std::span<std::size_t const> iterations) const;

  /// Calls edit(editor&), which may set subscripts one by one. Afterwards the version is another one. If `edit` throws,
  /// its changes and the new version stay. O(subscripts that are set).
  template <class Edit>
  void change(Edit&& edit);

 private:
  pattern(std::size_t elements, std::vector<std::size_t> offsets, std::vector<subscript> index, std::size_t width);

  void check() const;
  void exchange(pattern& other) noexcept;

  std::size_t iterations_ = 0, elements_ = 0, width_ = 0;
  std::vector<std::size_t> offsets_;
  std::vector<subscript> index_;
  std::uint64_t version_;
};

/// Sets subscripts of a pattern; exists only during pattern::change().
class pattern::editor {
 public:
  /// If iteration, slot or value is out of range, throws skel::input_error with all three and sets nothing.
  void set(std::size_t iteration, std::size_t slot, std::size_t element);

 private:
  friend class pattern;
  explicit editor(pattern& edited) : edited_(edited) {}
  editor(editor const&) = delete;

  pattern& edited_;
};

namespace pattern_detail {

std::uint64_t new_version();
/// Throws the input_error for a subscript; `value` as the user wrote it.
[[noreturn]] void refuse_subscript(std::size_t iteration, std::size_t slot, long long value, std::size_t elements);
/// The slots of an iteration if `subscripts` are dealt evenly; throws skel::input_error if they cannot be.
std::size_t even_width(std::size_t iterations, std::size_t subscripts);
/// The iteration and slot of the subscript at a place; `offsets` empty for uniform patterns of `width`.
std::pair<std::size_t, std::size_t> place_of(std::size_t at, std::span<std::size_t const> offsets, std::size_t width);
/// Throws skel::input_error unless the offsets rise from 0 to the number of subscripts.
std::size_t check_offsets(std::span<std::size_t const> offsets, std::size_t subscripts);

/// Subscripts in the stored width; throws for values that do not fit it.
template <std::integral Index>
std::vector<subscript> narrowed(std::vector<Index> index, std::span<std::size_t const> offsets, std::size_t width,
                                std::size_t elements) {
  if constexpr (std::same_as<Index, subscript>) {
    return index;
  } else {
    std::vector<subscript> narrow(index.size());
    bool fits = true;
    for (std::size_t k = 0; k < index.size(); ++k) {
      fits &= std::in_range<subscript>(index[k]);
      narrow[k] = static_cast<subscript>(index[k]);
    }
    if (fits) return narrow;
    for (std::size_t k = 0; k < index.size(); ++k)
      if (!std::in_range<subscript>(index[k])) {
        auto const [iteration, slot] = place_of(k, offsets, width);
        refuse_subscript(iteration, slot, static_cast<long long>(index[k]), elements);
      }
    return narrow;
  }
}

}  // namespace pattern_detail

template <std::integral Index>
pattern::pattern(std::size_t iterations, std::size_t elements, std::vector<Index> index)
    : iterations_(iterations),
      elements_(elements),
      width_(pattern_detail::even_width(iterations, index.size())),
      index_(pattern_detail::narrowed(std::move(index), {}, width_, elements)),
      version_(pattern_detail::new_version()) {
  check();
}

template <std::integral Index>
pattern pattern::rows(std::size_t elements, std::vector<std::size_t> offsets, std::vector<Index> index) {
  std::size_t const widest = pattern_detail::check_offsets(offsets, index.size());
  auto narrow = pattern_detail::narrowed(std::move(index), offsets, widest, elements);
  return {elements, std::move(offsets), std::move(narrow), widest};
}

template <class Edit>
void pattern::change(Edit&& edit) {
  // A copy from the time of an edit has another version than the edited pattern, also if the edit throws.
  struct renewal {
    explicit renewal(std::uint64_t& of) : version(of) { version = pattern_detail::new_version(); }
    renewal(renewal const&) = delete;
    renewal& operator=(renewal const&) = delete;
    ~renewal() { version = pattern_detail::new_version(); }
    std::uint64_t& version;
  } const both_ends(version_);
  editor pen(*this);
  std::forward<Edit>(edit)(pen);
}

/// A pattern with given features: the synthetic loop of the paper's setup phase, with further features of real
/// patterns.
/// Source: Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M, section 5.1, figure 5 and table 3.
struct synthetic_pattern {
  std::size_t elements = 1;  ///< N, at least 1
  double connectivity = 1;   ///< CON: iterations over elements
  std::size_t mobility = 2;  ///< MOB: subscripts of an iteration
  std::size_t parts = 1;     ///< P, at least 1
  double sparsity = 1;       ///< SP: share of the elements that each part's iterations draw from, 0 < SP <= 1
  std::size_t clusters = 1;  ///< CLUS: runs in which these elements lie
  /// The places of runs: 0: anywhere, so that parts meet by chance; 1: side by side, so that they meet as little as
  /// possible.
  double apart = 0;
  /// The places of an iteration's subscripts: 0: anywhere in its part's elements. Otherwise within this share of them,
  /// about a place that moves through them from the first iteration to the last.
  double reach = 0;
};

/// O(subscripts). The same for the same seed. Too few subscripts touch fewer elements. Throws skel::input_error for
/// values out of the ranges above.
pattern make_pattern(synthetic_pattern const& wanted, std::uint64_t seed);

/// A pattern as meshes and molecules have them: the sites of a periodic lattice are the elements, and an iteration has
/// a site and some near it. The numbers of sites and the order of iterations go from those of the lattice to any.
struct synthetic_lattice {
  std::size_t elements = 1;       ///< about N, at least 1: a power of the dimensions
  double connectivity = 1;        ///< CON: iterations over elements
  std::size_t mobility = 2;       ///< MOB: subscripts of an iteration, at least 1
  std::size_t dimensions = 2;     ///< 1 to 3
  std::size_t distance = 1;       ///< in each dimension, to sites of one iteration, at the most; at least 1
  std::size_t element_run = 0;    ///< blocks of so many elements are in any order; 0: all in the lattice's
  std::size_t iteration_run = 0;  ///< and of iterations
  bool sorted = false;            ///< instead, iterations come in the order of their first subscripts
};

/// O(subscripts). The same for the same seed. Throws skel::input_error for values out of the ranges above.
pattern make_lattice(synthetic_lattice const& wanted, std::uint64_t seed);

}  // namespace skel
