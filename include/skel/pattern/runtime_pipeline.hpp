#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <skel/pattern/compose.hpp>

namespace skel {
namespace patterns {

/// A pipeline whose stages are known only when the program runs. Every stage takes and gives items of type T.
template <class T>
class runtime_pipeline {
 public:
  using function = std::function<T(T)>;

  struct entry {
    function call;
    annotations notes;
    bool replicated = false;  ///< a farm
  };

  /// Appends a stage: `call(T)` returns a T. Options: at, work.
  template <class F, annotation... Options>
  runtime_pipeline& stage(std::string name, F call, Options... options) {
    stages_.push_back({function(std::move(call)), annotate(std::move(name), std::move(options)...), false});
    return *this;
  }
  /// Appends a farm of `call`. Options: ordered, unordered, width, at, work.
  template <class F, annotation... Options>
  runtime_pipeline& farm(std::string name, F call, Options... options) {
    stages_.push_back({function(std::move(call)), annotate(std::move(name), std::move(options)...), true});
    return *this;
  }

  std::size_t size() const { return stages_.size(); }
  std::vector<entry>& stages() { return stages_; }
  std::vector<entry> const& stages() const { return stages_; }

 private:
  std::vector<entry> stages_;
};

}  // namespace patterns

template <class T>
using runtime_pipeline = patterns::runtime_pipeline<T>;

}  // namespace skel
