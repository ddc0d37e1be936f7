#include <skel/detail/runtime/ranks/quiet.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <skel/detail/base/error.hpp>

#include "answers.hpp"

namespace skel::runtime::quiet {
namespace {

/// MPI counts are int.
int count_of(std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw error("a message of " + std::to_string(bytes) + " bytes is more than one MPI call can carry");
  return static_cast<int>(bytes);
}

}  // namespace

void wait(MPI_Request request) {
  int done = 0;
  waiting_pause pause;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) {
    pause.sleep();
    expect_answers();
  }
}

void barrier(MPI_Comm among) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(among, &request);
  wait(request);
}

std::vector<std::string> all_gather(MPI_Comm among, std::string const& mine) {
  int ranks = 0;
  MPI_Comm_size(among, &ranks);
  std::uint64_t const my_size = mine.size();
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&my_size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, among, &request);
  wait(request);

  std::uint64_t total = 0;
  std::vector<int> counts, offsets;
  for (std::uint64_t size : sizes) {
    offsets.push_back(count_of(total));
    counts.push_back(count_of(size));
    total += size;
  }
  std::string bytes(static_cast<std::size_t>(count_of(total)), '\0');
  MPI_Iallgatherv(mine.data(), count_of(my_size), MPI_BYTE, bytes.data(), counts.data(), offsets.data(), MPI_BYTE,
                  among, &request);
  wait(request);

  std::vector<std::string> all;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
    all.push_back(bytes.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(counts[rank])));
  return all;
}

std::string broadcast(MPI_Comm among, std::string bytes) {
  std::uint64_t size = bytes.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, among, &request);
  wait(request);
  bytes.resize(static_cast<std::size_t>(count_of(size)));
  MPI_Ibcast(bytes.data(), count_of(size), MPI_BYTE, 0, among, &request);
  wait(request);
  return bytes;
}

}  // namespace skel::runtime::quiet
