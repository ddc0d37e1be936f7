#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/for_each.hpp>

#include <skel/pattern/runtime_pipeline.hpp>
#include <skel/pattern/shape.hpp>
#include <skel/runtime/worker.hpp>

/// A composition as engines run it: a line of stations whose item types are hidden behind batches.
namespace skel::runtime {

/// One stage of the line. Source first, sink last.
struct station {
  patterns::annotations notes;  ///< name, work, width, at; `ordered` as the outermost farm around it says
  bool replicable = false;      ///< stands inside a farm
  codec const* input =
      nullptr;  ///< how the items that enter it cross ranks; nullptr: they cannot (or it is the source)
  std::function<std::unique_ptr<producer>()> make_producer;  ///< the source only
  std::function<std::unique_ptr<worker>()> make_worker;      ///< all others; one call per worker
};

/// The line of a program. Refers to the functions inside the composition it was made from, which must outlive it.
struct program {
  std::vector<station> stations;

  std::size_t size() const { return stations.size(); }
};

namespace program_detail {

/// The farms around a part.
struct scope {
  bool replicated = false;
  bool ordered = true;
  std::size_t width = 1;
  std::vector<std::string> at;
  std::string prefix;
};

/// Walks a composition and appends its stations; the flow's type goes along as a template argument.
class lowering {
 public:
  explicit lowering(std::vector<station>& to) : to_(to) {}

  template <class In, class F>
  void add(patterns::source<F>& part, scope const& around) {
    using T = typename patterns::flow_through<patterns::source<F>, void>::type;
    station s = make(part.notes, around);
    s.make_producer = [&f = part.produce] { return std::make_unique<source_producer<F, T>>(f); };
    to_.push_back(std::move(s));
  }

  template <class In, class F>
  void add(patterns::stage<F>& part, scope const& around) {
    using Out = typename patterns::flow_through<patterns::stage<F>, In>::type;
    station s = make(part.notes, around);
    s.input = codec_of<In>();
    constexpr bool copyable = std::copy_constructible<F>;
    if (around.replicated) {
      if constexpr (copyable)
        s.make_worker = [&f = part.function] { return std::make_unique<stage_worker<F, In, Out>>(f); };
    } else {
      s.make_worker = [&f = part.function] { return std::make_unique<stage_worker<F&, In, Out>>(f); };
    }
    to_.push_back(std::move(s));
  }

  template <class In, class F>
  void add(patterns::sink<F>& part, scope const& around) {
    station s = make(part.notes, around);
    s.input = codec_of<In>();
    s.make_worker = [&f = part.consume] { return std::make_unique<sink_worker<F, In>>(f); };
    to_.push_back(std::move(s));
  }

  template <class In, class T>
  void add(patterns::runtime_pipeline<T>& part, scope const& around) {
    for (auto& entry : part.stages()) {
      scope inner = around;
      if (entry.replicated) inner = inside(around, entry.notes);
      inner.prefix = around.prefix;
      station s = make(entry.notes, inner);
      s.input = codec_of<T>();
      if (inner.replicated)
        s.make_worker = [&f = entry.call] { return std::make_unique<stage_worker<std::function<T(T)>, T, T>>(f); };
      else
        s.make_worker = [&f = entry.call] { return std::make_unique<stage_worker<std::function<T(T)>&, T, T>>(f); };
      to_.push_back(std::move(s));
    }
  }

  template <class In, class W>
  void add(patterns::farm<W>& part, scope const& around) {
    scope inner = inside(around, part.notes);
    check_workers(part.worker);
    std::size_t const first = to_.size();
    add<In>(part.worker, inner);
    if (to_.size() == first + 1 && std::isnan(to_[first].notes.work)) to_[first].notes.work = part.notes.work;
    if (to_.size() == first + 1 && !part.notes.name.empty()) {
      std::string const& own = to_[first].notes.name;
      std::string const prefixed = around.prefix + part.notes.name;
      if (own.empty() || own == inner.prefix) to_[first].notes.name = prefixed;
    }
  }

  template <class In, class... Parts>
  void add(patterns::pipeline<Parts...>& line, scope const& around) {
    along<0, In>(line, around);
  }

 private:
  template <std::size_t Index, class In, class... Parts>
  void along(patterns::pipeline<Parts...>& line, scope const& around) {
    if constexpr (Index < sizeof...(Parts)) {
      auto& part = boost::hana::at_c<Index>(line.parts);
      add<In>(part, around);
      along<Index + 1, typename patterns::flow_through<std::remove_cvref_t<decltype(part)>, In>::type>(line, around);
    }
  }

  /// Every function inside a farm must be copyable; asked where the farm is known, so that the message names it.
  template <class F>
  static void check_workers(patterns::stage<F> const&) {
    static_assert(patterns::check_worker<F>::value);
  }
  template <class W>
  static void check_workers(patterns::farm<W> const& part) {
    check_workers(part.worker);
  }
  template <class T>
  static void check_workers(patterns::runtime_pipeline<T> const&) {}
  template <class... Parts>
  static void check_workers(patterns::pipeline<Parts...> const& line) {
    boost::hana::for_each(line.parts, [](auto const& part) { check_workers(part); });
  }

  static scope inside(scope const& around, patterns::annotations const& farm) {
    scope inner = around;
    inner.ordered = around.replicated ? around.ordered : farm.ordered;
    inner.replicated = true;
    inner.width = around.width * farm.width;  // 0, "the mapper decides", stays 0
    if (!farm.at.empty()) inner.at = farm.at;
    if (!farm.name.empty()) inner.prefix = around.prefix + farm.name + "/";
    return inner;
  }

  static station make(patterns::annotations const& notes, scope const& around) {
    station s;
    s.notes = notes;
    s.notes.name = notes.name.empty() ? "" : around.prefix + notes.name;
    s.notes.ordered = around.ordered;
    s.notes.width = around.replicated ? around.width : 1;
    if (s.notes.at.empty()) s.notes.at = around.at;
    s.replicable = around.replicated;
    return s;
  }

  std::vector<station>& to_;
};

}  // namespace program_detail

/// The line of a composition with a source and a sink. Stages without a name are called after their place
/// ("stage 2"); a stage inside a farm with a name is called "farm/stage". O(stages).
template <patterns::program Composition>
program make_program(Composition& composition) {
  program result;
  program_detail::lowering(result.stations).add<void>(composition, program_detail::scope{});
  for (std::size_t i = 0; i < result.stations.size(); ++i) {
    std::string& name = result.stations[i].notes.name;
    if (name.empty())
      name = i == 0 ? "source" : i + 1 == result.stations.size() ? "sink" : "stage " + std::to_string(i);
  }
  return result;
}

}  // namespace skel::runtime
