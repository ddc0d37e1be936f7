#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/pattern/flow.hpp>
#include <skel/detail/pattern/user_function.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/station/items.hpp>
#include <skel/detail/runtime/station/worker.hpp>

/// A broadcast stage and the reduce behind it: one station with copies of a worker. All copies see every batch, and
/// their results are joined item by item.
namespace skel::runtime {

/// One copy of the worker of a broadcast stage. Used by one thread at a time; others read the same batch meanwhile.
class stage_copy {
 public:
  virtual ~stage_copy() = default;

  /// This copy's results, one for each item. `position` and `bytes` as in worker::process().
  virtual std::unique_ptr<items_base> process(items_base const& batch, std::size_t& position, std::uint64_t& bytes) = 0;
  virtual void finish() = 0;
};

/// The common part of the copies. Any thread may call.
class joint_stage {
 public:
  virtual ~joint_stage() = default;

  virtual std::unique_ptr<stage_copy> make_copy(portion which) const = 0;
  /// Joins several batches of as many items into one; they come in the order of the copies. `position` and `bytes` as
  /// in worker::process(). Precondition: there is one at least.
  virtual std::unique_ptr<items_base> join(std::vector<std::unique_ptr<items_base>> parts, std::size_t& position,
                                           std::uint64_t& bytes) const = 0;
};

template <class F, class Op, class In, class Out>
class typed_joint_stage final : public joint_stage {
 public:
  typed_joint_stage(F const& worker, Op const& op) : worker_(worker), op_(op) {}

  std::unique_ptr<stage_copy> make_copy(portion which) const override { return std::make_unique<copy>(worker_, which); }

  std::unique_ptr<items_base> join(std::vector<std::unique_ptr<items_base>> parts, std::size_t& position,
                                   std::uint64_t& bytes) const override {
    std::unique_ptr<items_base> all = std::move(parts.front());
    for (std::size_t p = 1; p < parts.size(); ++p) {
      auto& left = static_cast<items<Out>&>(*all);
      auto& right = static_cast<items<Out>&>(*parts[p]);
      auto out = std::make_unique<items<Out>>(left.size());
      for (position = 0; position < left.size(); ++position)
        out->emplace([&]() -> Out { return op_(std::move(left[position]), std::move(right[position])); });
      all = std::move(out);
      parts[p] = nullptr;
    }
    for (Out const& one : static_cast<items<Out>&>(*all)) bytes += item_bytes(one);
    return all;
  }

 private:
  class copy final : public stage_copy {
   public:
    copy(F const& worker, portion which) : worker_(worker), which_(which) {}

    std::unique_ptr<items_base> process(items_base const& batch, std::size_t& position, std::uint64_t& bytes) override {
      auto const& in = static_cast<items<In> const&>(batch);
      auto out = std::make_unique<items<Out>>(in.size());
      std::uint64_t size = 0;
      for (position = 0; position < in.size(); ++position) {
        out->emplace([&]() -> Out {
          if constexpr (skeletons::check_copy<F, In>::takes_portion)
            return std::invoke(worker_, in[position], which_);
          else
            return std::invoke(worker_, in[position]);
        });
        size += item_bytes((*out)[position]);
      }
      bytes += size;
      return out;
    }
    void finish() override { skeletons::finish(worker_); }

   private:
    F worker_;
    portion which_;
  };

  F const& worker_;
  Op const& op_;
};

/// All copies, one after the other, and their results joined: a whole broadcast stage as one worker, for measuring it.
class joint_worker final : public worker {
 public:
  joint_worker(joint_stage const& of, std::size_t copies) : stage_(of) {
    for (std::size_t i = 0; i < copies; ++i) copies_.push_back(of.make_copy({i, copies}));
  }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    std::vector<std::unique_ptr<items_base>> parts;
    std::uint64_t of_all = 0;
    joins_ = false;
    for (auto& one : copies_) parts.push_back(one->process(*batch, position, of_all));
    std::uint64_t joined = 0;
    joins_ = true;
    auto all = stage_.join(std::move(parts), position, joined);
    bytes += joined;
    return all;
  }
  bool combines() const override { return joins_; }
  void finish() override {
    for (auto& one : copies_) one->finish();
  }

 private:
  joint_stage const& stage_;
  std::vector<std::unique_ptr<stage_copy>> copies_;
  bool joins_ = false;
};

}  // namespace skel::runtime
