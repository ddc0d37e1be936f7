#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/base/fields.hpp>

namespace skel::record {

/// The outcome of the checkpoints of a run.
struct checkpoint_record {
  std::uint64_t written = 0;  ///< whole, and on the disk
  std::uint64_t skipped = 0;  ///< due while the one before was not done, or a state was not on its stage's rank
  std::uint64_t failed = 0;   ///< that could not be written
  std::uint64_t bytes = 0;    ///< of all that were written
  double seconds = 0;         ///< that writing them took, beside the line [s]
  std::uint64_t item = 0;     ///< the first item that is not in the last one
  std::string problem;        ///< why the first failed one could not be written
  SKEL_FIELDS(written, skipped, failed, bytes, seconds, item, problem);
};

}  // namespace skel::record
