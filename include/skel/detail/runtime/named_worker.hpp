#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <pthread.h>

#include <skel/detail/runtime/items.hpp>
#include <skel/detail/runtime/worker.hpp>

/// Reports of the thread sanitizer name stages. Only in programs that are compiled with it: elsewhere nothing is done.
#if defined(__SANITIZE_THREAD__)
#define SKEL_NAMES_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKEL_NAMES_THREADS 1
#endif
#endif
#ifndef SKEL_NAMES_THREADS
#define SKEL_NAMES_THREADS 0
#endif

namespace skel::runtime {

/// A worker whose thread is called after its stage while it works: by the first 15 bytes of its name.
class named_worker final : public worker {
 public:
  named_worker(std::unique_ptr<worker> inner, std::string const& stage)
      : inner_(std::move(inner)), name_(stage.substr(0, 15)) {}

  void stop_by(std::stop_token const& token) override { inner_->stop_by(token); }
  void stands_for(std::uint64_t first_item, std::uint64_t source_items) override {
    inner_->stands_for(first_item, source_items);
  }
  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    ::pthread_setname_np(::pthread_self(), name_.c_str());
    return inner_->process(std::move(batch), position, bytes);
  }
  std::uint64_t folded_bytes() const override { return inner_->folded_bytes(); }
  bool combines() const override { return inner_->combines(); }
  std::unique_ptr<items_base> rest(std::uint64_t& bytes) override { return inner_->rest(bytes); }
  void finish() override { inner_->finish(); }

 private:
  std::unique_ptr<worker> inner_;
  std::string name_;
};

/// What makes the workers of a stage, so that reports name it.
inline std::function<std::unique_ptr<worker>()> named(std::function<std::unique_ptr<worker>()> make,
                                                      [[maybe_unused]] std::string const& stage) {
  if constexpr (SKEL_NAMES_THREADS != 0)
    if (make) return [make = std::move(make), stage] { return std::make_unique<named_worker>(make(), stage); };
  return make;
}

}  // namespace skel::runtime
