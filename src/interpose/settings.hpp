#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/plan/collective.hpp>

namespace skel::interpose {

/// An algorithm of the catalogue that is taken wherever it is legal.
struct forced_algorithm {
  std::string name{};
  std::uint64_t segment = 0;  ///< [B]; 0: the whole vector

  friend bool operator==(forced_algorithm const&, forced_algorithm const&) = default;
  SKEL_FIELDS(name, segment);
};

/// The reaction to hosts of the run that are not in the platform file.
enum class mismatch : std::uint8_t {
  pass,     ///< a warning, and all calls go to the library underneath
  measure,  ///< the hosts of the run are measured, as if there were no file
  refuse    ///< the run ends with an error
};

/// The settings of the user in the environment of rank 0.
struct settings {
  bool on = true;                       ///< SKEL_MPI=off
  bool always = false;                  ///< SKEL_MPI=always: skel's way wherever there is one, slower or not
  int verbose = 0;                      ///< SKEL_MPI_VERBOSE=0|1|2
  std::string platform{};               ///< SKEL_PLATFORM=FILE; empty: measured, and kept for a day
  mismatch otherwise = mismatch::pass;  ///< SKEL_PLATFORM_MISMATCH=pass|measure|refuse
  std::vector<std::string> hosts{};     ///< SKEL_MPI_HOSTS="a b c": the host of each rank; empty: what MPI says
  std::map<plan::collective, forced_algorithm> forced{};  ///< SKEL_MPI_ALGORITHM="reduce=binomial allreduce=ring"
  std::string decisions{};  ///< SKEL_DECISIONS=FILE: decisions of the models are written there
};

/// Reads them. Throws skel::input_error (source "environment") for a text that it cannot read.
settings read_settings();

/// Words between blanks, commas, semicolons or ends of lines.
std::vector<std::string> words_of(std::string const& text);

/// True if MPI's own collectives on several hosts are those of Open MPI 4.1 as nobody has configured them. Its
/// component coll/tuned runs them by its fixed decisions then, and mapping::tuned_price holds for them. Called when MPI
/// has been initialised. Local.
bool is_tuned_open_mpi();

}  // namespace skel::interpose
