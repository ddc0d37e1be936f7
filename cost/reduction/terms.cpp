#include <skel/detail/cost/reduction/terms.hpp>

#include <algorithm>

namespace skel::cost {

namespace {

using enum plan::reduction_algorithm;

/// The share of a working set that a cache of this capacity does not hold.
double beyond(double capacity, double bytes) {
  return bytes <= capacity ? 0 : 1 - capacity / bytes;
}

class term_list {
 public:
  explicit term_list(cache_sizes const& caches) : caches_(caches) { terms_.reserve(24); }

  void add(std::string_view name, double amount) { terms_.push_back({name, amount}); }

  /// Accesses to `bytes` of memory, of which `misses` come to a line that was not there before.
  void add_misses(std::string_view second, std::string_view last, std::string_view memory, double misses,
                  double bytes) {
    add(second, misses * beyond(caches_.first, bytes));
    add(last, misses * beyond(caches_.second, bytes));
    add(memory, misses * beyond(caches_.last, bytes));
  }

  /// Bytes that threads on caches of their own move through the memory that they share.
  void add_shared(std::string_view name, reduction_problem const& problem, double bytes, double footprint) {
    double const own = static_cast<double>(problem.pattern.parts) * caches_.second;
    add(name, problem.virtual_threads ? bytes * beyond(own, footprint) : 0);
  }

  std::vector<reduction_term> take() { return std::move(terms_); }

 private:
  cache_sizes caches_;
  std::vector<reduction_term> terms_;
};

/// The quantities that terms are made of, for the busiest part.
struct amounts {
  explicit amounts(reduction_problem const& problem) {
    auto const& of = problem.pattern;
    parts = static_cast<double>(of.parts);
    n = static_cast<double>(of.elements);
    iterations = static_cast<double>(of.iterations);
    subscripts = static_cast<double>(of.subscripts);
    words = problem.value_bytes / 8;
    others = (parts - 1) / parts;
    lines = problem.value_bytes / 64;
  }

  double parts, n, iterations, subscripts;
  double words;   // of 8 bytes in an element
  double others;  // (P - 1) / P
  double lines;   // of 64 bytes in an element
};

/// The loop of the busiest part: `share` of all iterations, into `bytes` of elements.
void add_loop(term_list& terms, reduction_problem const& problem, double share, double bytes) {
  amounts const a(problem);
  double const updates = a.subscripts * share;
  terms.add("start", 1);
  terms.add("iterations", a.iterations * share);
  terms.add("other work", a.iterations * share * problem.other_seconds);
  terms.add("updates", updates);
  terms.add("updated words", updates * a.words);
  terms.add_misses("update misses L1", "update misses L2", "update misses L3",
                   updates * problem.pattern.turnover * std::max(1.0, a.lines), bytes);
  double const streams = a.iterations * 8 + a.subscripts * 4;  // what an iteration reads, and the subscripts
  terms.add_misses("stream L1", "stream L2", "stream L3", streams * share / 64, streams);
  terms.add_shared("subscript memory", problem, a.subscripts * 4, a.subscripts * 4);
}

}  // namespace

std::vector<reduction_term> run_terms(plan::reduction_algorithm algorithm, reduction_problem const& problem,
                                      cache_sizes const& caches) {
  amounts const a(problem);
  auto const& of = problem.pattern;
  double const b = problem.value_bytes;
  double const touched = std::min(1.0, of.sparsity) * a.n;        // by a part, mean
  double const all = std::min(1.0, of.sparsity * a.parts) * a.n;  // at the most
  term_list terms(caches);
  auto const merge = [&](double elements, double footprint) {
    terms.add("merged elements", elements);
    terms.add("merged words", elements * a.words);
    terms.add_misses("merge misses L1", "merge misses L2", "merge misses L3", elements * a.lines, footprint);
    double const privates = elements * a.parts, all_elements = privates + std::min(privates, a.n);
    terms.add_shared("merge memory", problem, 2 * all_elements * b, all_elements * b);
  };
  switch (algorithm) {
    case sequential:
      add_loop(terms, problem, 1, all * b);
      break;
    case replicated_buffer:
      add_loop(terms, problem, 1 / a.parts, touched * b);
      merge(a.n * a.others, a.n * b * a.parts);
      break;
    case replicated_links:
      add_loop(terms, problem, 1 / a.parts, touched * b);
      merge(touched * a.others, touched * b * a.parts);
      terms.add("runs", of.clusters * a.others);
      break;
    case selective_privates: {
      add_loop(terms, problem, 1 / a.parts, touched * b);
      terms.add("private updates", a.subscripts * of.private_subscripts / a.parts);
      terms.add("private mixture", a.subscripts * of.private_subscripts * (1 - of.private_subscripts) / a.parts);
      double const bordering = std::min(1.0, of.private_subscripts * of.mobility());  // of the iterations, at the most
      terms.add("bordering iterations", a.iterations * bordering / a.parts);
      double const privates = of.privates * a.n / a.parts;
      merge(privates, of.privates * a.n * b);
      terms.add_misses("scattered L1", "scattered L2", "scattered L3", privates * a.lines, all * b);
      break;
    }
    case local_write: {
      double const share = of.load / a.parts;
      add_loop(terms, problem, share, a.n * b / a.parts);
      double const crossing = of.copies == 0 ? 0 : (of.copies - 1 + of.crossing) / of.copies;  // of what a part runs
      terms.add("crossing updates", a.subscripts * share * crossing);
      terms.add("crossing iterations", a.iterations * share * crossing);
      double const random = a.iterations * share * std::min(1.0, of.copies - 1);
      terms.add_misses("crossing reads L1", "crossing reads L2", "crossing reads L3", random, a.subscripts * 4);
      break;
    }
    case atomic:
      add_loop(terms, problem, 1 / a.parts, touched * b);
      terms.add("atomic updates", a.subscripts / a.parts * a.words);
      terms.add("contended updates", a.subscripts / a.parts * a.words * of.contended);
      break;
    case lazy_blocks: {
      add_loop(terms, problem, 1 / a.parts, touched * b);
      terms.add("block look-ups", a.subscripts / a.parts * a.others);
      double const blocks = a.n * b / 4096;
      double const open = std::min(blocks, of.clusters + touched * b / 4096);
      terms.add("blocks", blocks / a.parts);
      merge(open * 4096 / b * a.others, open * 4096 * a.parts);
      break;
    }
    case segmented_gather:
      add_loop(terms, problem, 1 / a.parts, a.subscripts * b / a.parts);
      terms.add("stored words", a.subscripts / a.parts * a.words);
      terms.add_shared("store memory", problem, a.subscripts * (4 + b), a.subscripts * (4 + b));
      terms.add_shared("gather memory", problem, a.subscripts * (4 + b), a.subscripts * (4 + b));
      terms.add("gathered words", a.subscripts / a.parts * a.words);
      terms.add("gathered elements", a.n / a.parts);
      terms.add_misses("gather misses L1", "gather misses L2", "gather misses L3",
                       a.subscripts / a.parts * std::max(1.0, a.lines), a.subscripts * b);
      break;
  }
  return terms.take();
}

std::vector<reduction_term> setup_terms(plan::reduction_algorithm algorithm, reduction_problem const& problem,
                                        cache_sizes const& caches) {
  amounts const a(problem);
  auto const& of = problem.pattern;
  double const b = problem.value_bytes;
  term_list terms(caches);
  auto const fill = [&](double elements) {
    terms.add("filled elements", elements);
    terms.add("filled words", elements * a.words);
    terms.add_misses("filled L1", "filled L2", "filled L3", elements * a.lines, elements * b);
    terms.add_shared("filled memory", problem, elements * a.parts * b, elements * a.parts * b);
  };
  auto const touch = [&] {
    double const subscripts = a.subscripts / a.parts;
    terms.add("touched", subscripts);
    terms.add_misses("touched L1", "touched L2", "touched L3", subscripts * of.turnover, a.n / 8);
    terms.add("bitmaps", a.n / 64);
  };
  terms.add("start", 1);
  if (plan::traits_of(algorithm).inspects)
    terms.add_shared("subscript memory", problem, a.subscripts * 4, a.subscripts * 4);
  switch (algorithm) {
    case sequential:
    case atomic:
      break;
    case replicated_buffer:
      fill(a.n);
      break;
    case replicated_links:
      touch();
      terms.add("runs", of.clusters);
      fill(a.n);
      break;
    case selective_privates: {
      touch();
      double const privates = of.privates * a.n / a.parts;
      terms.add("looked up", a.subscripts / a.parts);
      terms.add("iterations", a.iterations / a.parts);
      terms.add("bordering updates", a.subscripts * std::min(1.0, of.private_subscripts * of.mobility()) / a.parts);
      terms.add("privates", privates);
      fill(privates);
      break;
    }
    case local_write:
      terms.add("owners", a.subscripts / a.parts);
      terms.add("crossing", a.subscripts * of.crossing / a.parts);
      terms.add("iterations", a.iterations / a.parts);
      terms.add("copies", a.iterations * of.load / a.parts);
      break;
    case lazy_blocks:
      terms.add("blocks", a.n * b / 4096);
      break;
    case segmented_gather:
      terms.add("dealt", a.subscripts / a.parts);
      terms.add("crossing", a.subscripts * of.crossing / a.parts);
      terms.add_misses("sorted L1", "sorted L2", "sorted L3", a.subscripts / a.parts, a.subscripts * 4 / a.parts);
      terms.add_misses("counted L1", "counted L2", "counted L3", a.subscripts / a.parts * of.turnover,
                       a.n * 8 / a.parts);
      terms.add("elements", a.n / a.parts);
      fill(a.subscripts);
      break;
  }
  return terms.take();
}

}  // namespace skel::cost
