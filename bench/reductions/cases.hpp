#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>
#include "train/trial.hpp"

#include "programs/catalogue.hpp"

namespace bench::reductions {

/// A loop as it is timed.
struct timed_loop {
  skel::pattern of;
  skel::training::trial_value value = skel::training::trial_value::number;
  std::size_t other_work = 0;  ///< dependent multiply-adds of an iteration
};

/// The names of all programs with their inputs: "irreg/foil".
std::vector<std::string> program_names();
/// The program of such a name. Throws skel::input_error, with a near name, when there is none.
catalogue_entry const& program_named(std::string const& name);

/// A program in one of its phases, the first of which is 0; its other work as multiply-adds of two operations each.
/// Throws skel::input_error when it does not have so many phases.
timed_loop loop_of(catalogue_entry const& entry, options const& how, std::size_t phase = 0);

/// A loop of the suite. It is made when it is its turn, as all of them would not fit into memory.
struct suite_case {
  std::string name;     ///< unique: "irreg/foil x1 rcm"
  std::string program;  ///< what cases are grouped by: "irreg"
  std::function<timed_loop()> make;
};

/// What a suite is made of.
struct suite_choice {
  bool programs = true;
  std::vector<std::filesystem::path> meshes;
  std::vector<double> scales{1};        ///< of programs
  std::vector<std::size_t> refines{0};  ///< of meshes
  std::vector<std::string> only;        ///< programs or programs with their inputs; empty: all
};

/// Every program and input of the catalogue in its first phase, and every mesh (with one value in each node, and where
/// its cells are no lines the symmetric product of Spark98 too), at each scale or refinement, in native, RCM and random
/// numbering. Nodes and cells are renumbered alike. Meshes are read here. Throws skel::input_error for meshes that
/// cannot be read and programs that do not exist.
std::vector<suite_case> make_suite(suite_choice const& of);

}  // namespace bench::reductions
