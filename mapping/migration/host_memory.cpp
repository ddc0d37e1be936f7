#include <skel/detail/mapping/migration/host_memory.hpp>

#include <algorithm>

namespace skel::mapping::migration {

host_memory::host_memory(cost::bsp::machine const& machine, record::superstep const& step)
    : needs_(step.memory), state_bytes_(&step.state_bytes), left_(machine.memory) {
  if (left_.empty()) return;
  hosts_ = step.hosts;
  if (needs_) {
    uses_.resize(left_.size());
    for (std::size_t h = 0; h < left_.size(); ++h) left_[h] -= needs_->reserved[h];
  }
  for (std::size_t p = 0; p < hosts_.size(); ++p) come(p, hosts_[p]);
}

bool host_memory::fits(std::size_t host, std::size_t process) const {
  if (left_.empty()) return true;
  if (!needs_) return left_[host] >= (*state_bytes_)[process];
  auto const block = needs_->block[process];
  double const shared =
      block == record::memory_needs::no_block || has_block(host, block) ? 0 : needs_->block_bytes[block];
  return left_[host] >= needs_->footprint[process] + shared + std::max(uses_[host].most(), needs_->working[process]);
}

bool host_memory::is_kept(std::size_t host) const {
  return left_.empty() || left_[host] >= (needs_ ? uses_[host].most() : 0);
}

void host_memory::leave(std::size_t process) {
  if (left_.empty()) return;
  auto const host = hosts_[process];
  if (!needs_) {
    left_[host] += (*state_bytes_)[process];
    return;
  }
  auto& its = uses_[host];
  left_[host] += needs_->footprint[process];
  if (auto const found = its.working.find(needs_->working[process]); --found->second == 0) its.working.erase(found);
  auto const block = needs_->block[process];
  if (block == record::memory_needs::no_block) return;
  if (auto const found = its.holders.find(block); --found->second == 0) {
    its.holders.erase(found);
    left_[host] += needs_->block_bytes[block];
  }
}

void host_memory::come(std::size_t process, std::size_t host) {
  if (left_.empty()) return;
  hosts_[process] = host;
  if (!needs_) {
    left_[host] -= (*state_bytes_)[process];
    return;
  }
  auto& its = uses_[host];
  left_[host] -= needs_->footprint[process];
  ++its.working[needs_->working[process]];
  auto const block = needs_->block[process];
  if (block != record::memory_needs::no_block && ++its.holders[block] == 1) left_[host] -= needs_->block_bytes[block];
}

bool host_memory::can_exchange(std::size_t one, std::size_t other) {
  if (left_.empty()) return true;
  auto const here = hosts_[one], there = hosts_[other];
  leave(one), leave(other);
  bool const can = fits(there, one) && fits(here, other);
  come(one, here), come(other, there);
  return can;
}

}  // namespace skel::mapping::migration
