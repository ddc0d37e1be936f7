#include "grid/collective_data.hpp"

#include <cstring>

#include <skel/detail/base/hash.hpp>

namespace bench {
namespace {

using skel::plan::collective;

template <class Word>
void fill_block(std::span<std::byte> block, std::uint64_t a) {
  for (std::size_t i = 0; i < block.size() / sizeof(Word); ++i) {
    Word const value = static_cast<Word>(a * (2 * i + 1));
    std::memcpy(block.data() + i * sizeof(Word), &value, sizeof value);
  }
}

template <class Word>
std::optional<std::size_t> wrong_in(std::span<std::byte const> block, std::uint64_t a) {
  for (std::size_t i = 0; i < block.size() / sizeof(Word); ++i) {
    Word value;
    std::memcpy(&value, block.data() + i * sizeof(Word), sizeof value);
    if (value != static_cast<Word>(a * (2 * i + 1))) return i * sizeof(Word);
  }
  return std::nullopt;
}

template <class Word>
void add(std::span<std::byte const> received, std::span<std::byte> work) {
  for (std::size_t i = 0; i < work.size() / sizeof(Word); ++i) {
    Word theirs, mine;
    std::memcpy(&theirs, received.data() + i * sizeof(Word), sizeof theirs);
    std::memcpy(&mine, work.data() + i * sizeof(Word), sizeof mine);
    mine = static_cast<Word>(mine + theirs);
    std::memcpy(work.data() + i * sizeof(Word), &mine, sizeof mine);
  }
}

}  // namespace

std::uint64_t collective_data::factor(std::size_t from, std::size_t to) const {
  return skel::mixed(skel::mixed(salt_) + from * ranks_ + to);
}

collective_data::factors collective_data::inputs(std::size_t rank) const {
  factors all;
  switch (operation_) {
    case collective::broadcast:
      if (rank == root_) all.push_back(factor(rank, 0));
      break;
    case collective::reduce:
    case collective::allreduce:
    case collective::gather:
    case collective::allgather:
      all.push_back(factor(rank, 0));
      break;
    case collective::scatter:
      if (rank != root_) break;
      [[fallthrough]];
    case collective::alltoall:
      for (std::size_t to = 0; to < ranks_; ++to) all.push_back(factor(rank, to));
      break;
    case collective::barrier:
      break;
  }
  return all;
}

collective_data::factors collective_data::outputs(std::size_t rank) const {
  factors all;
  switch (operation_) {
    case collective::broadcast:
      all.push_back(factor(root_, 0));
      break;
    case collective::reduce:
      if (rank != root_) break;
      [[fallthrough]];
    case collective::allreduce:
      all.push_back(0);
      for (std::size_t from = 0; from < ranks_; ++from) all.back() += factor(from, 0);
      break;
    case collective::scatter:
      all.push_back(factor(root_, rank));
      break;
    case collective::gather:
      if (rank != root_) break;
      [[fallthrough]];
    case collective::allgather:
      for (std::size_t from = 0; from < ranks_; ++from) all.push_back(factor(from, 0));
      break;
    case collective::alltoall:
      for (std::size_t from = 0; from < ranks_; ++from) all.push_back(factor(from, rank));
      break;
    case collective::barrier:
      break;
  }
  return all;
}

void collective_data::fill(std::size_t rank, std::span<std::byte> input) const {
  std::size_t at = 0;
  for (std::uint64_t const a : inputs(rank)) {
    auto const block = input.subspan(at, bytes_);
    word() == 1 ? fill_block<std::uint8_t>(block, a) : fill_block<std::uint64_t>(block, a);
    at += bytes_;
  }
}

std::optional<std::uint64_t> collective_data::first_wrong(std::size_t rank, std::span<std::byte const> output) const {
  std::size_t at = 0;
  for (std::uint64_t const a : outputs(rank)) {
    auto const block = output.subspan(at, bytes_);
    auto const wrong = word() == 1 ? wrong_in<std::uint8_t>(block, a) : wrong_in<std::uint64_t>(block, a);
    if (wrong) return at + *wrong;
    at += bytes_;
  }
  return std::nullopt;
}

void add_words(std::size_t word, std::span<std::byte const> received, std::span<std::byte> work) {
  word == 1 ? add<std::uint8_t>(received, work) : add<std::uint64_t>(received, work);
}

}  // namespace bench
