#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skel::skeletons {

/// One stage as a mapper reads it: its name, its costs, and the ways to run it.
struct stage_shape {
  std::string name{};
  double work = 0;                ///< work units per item; time on a host alone = work / host speed [s]
  double output_bytes = 0;        ///< bytes that one item has when it leaves the stage [B]
  bool replicable = false;        ///< may run as a farm: several workers, each item by one of them
  bool ordered = true;            ///< a farm of it must deliver items in the order in which they came
  std::size_t width = 0;          ///< number of workers that the user asked for; 0: the mapper decides
  std::vector<std::string> at{};  ///< hosts the user pinned it to, one per worker; empty: the mapper decides
};

/// The begin or end of the stream, if that is a fixed host.
struct terminal {
  std::string at;    ///< host name
  double bytes = 0;  ///< bytes per item that cross to (from) the first (last) stage [B]
};

/// A program as a mapper reads it: the line of its stages. Nested farms and pipelines are flat here: a stage inside
/// farms is a replicable stage.
struct shape {
  std::vector<stage_shape> stages{};
  std::optional<terminal> input{};   ///< absent: the first move happens at the local latency of the first stage's host
  std::optional<terminal> output{};  ///< absent: the last move happens at the local latency of the last stage's host
};

}  // namespace skel::skeletons
