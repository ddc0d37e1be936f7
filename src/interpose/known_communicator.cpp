#include "known_communicator.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <skel/base/error.hpp>
#include <skel/plan/collective.hpp>
#include <skel/plan/collective_plan.hpp>

#include "process.hpp"

namespace skel::interpose {
namespace {

extern "C" int skel_delete_known(MPI_Comm, int, void* known, void*) {
  inside const guard;
  delete static_cast<known_communicator*>(known);
  return MPI_SUCCESS;
}

bool legal(plan::order operands, mapping::collective_request const& request) {
  return request.commutative || operands == plan::order::any || (operands == plan::order::rotated && request.root == 0);
}

}  // namespace

int known_communicator::make_key() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, skel_delete_known, &key, nullptr);
  return key;
}

known_communicator* known_communicator::of(MPI_Comm original) {
  process const& run = process::self();
  void* found = nullptr;
  int is_there = 0;
  if (MPI_Comm_get_attr(original, run.key(), &found, &is_there) != MPI_SUCCESS) return nullptr;
  if (!is_there) {
    std::unique_ptr<known_communicator> known(new known_communicator(original));
    if (MPI_Comm_set_attr(original, run.key(), known.get()) != MPI_SUCCESS) return nullptr;
    found = known.release();
  }
  auto* const known = static_cast<known_communicator*>(found);
  return known->mapper_ ? known : nullptr;
}

known_communicator::known_communicator(MPI_Comm original) {
  process const& run = process::self();
  int between = 0, size = 0, rank = 0;
  MPI_Comm_test_inter(original, &between);
  MPI_Comm_size(original, &size);
  MPI_Comm_rank(original, &rank);
  size_ = static_cast<std::size_t>(size), rank_ = static_cast<std::size_t>(rank);
  if (between != 0 || size_ == 1) return;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(original, &group);
  std::vector<plan::host_id> hosts = run.hosts_of(group);
  if (!hosts.empty()) {
    try {
      mapper_.emplace(run.machine(), std::move(hosts));
    } catch (error const& problem) {
      if (run.first())
        std::fprintf(stderr, "skel: warning: %s; collectives of these ranks are left to MPI\n", problem.what());
    }
  }
  // Not a duplicate: copying would call the copy functions of the program's attributes.
  if (mapper_ && MPI_Comm_create(original, group, &messages_) == MPI_SUCCESS)
    MPI_Comm_set_errhandler(messages_, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&group);
}

known_communicator::~known_communicator() {
  // MPI_Finalize frees what is left, and allows no more calls when it deletes the attributes of MPI_COMM_WORLD.
  if (messages_ != MPI_COMM_NULL && process::self().serving()) MPI_Comm_free(&messages_);
}

plan::rank_schedule const* known_communicator::steps(mapping::collective_request const& request) {
  if (auto const* forced = forced_steps(request)) return forced;
  try {
    if (process::self().verbose()) {
      mapping::collective_decision const& decision = mapper_->decide(request);
      char predicted[32];
      std::snprintf(predicted, sizeof predicted, "%.3g", 1e3 * decision.predicted);
      tell(request, decision.name + ", predicted " + predicted + " ms; " + decision.why);
    }
    return &mapper_->steps(request, rank_);
  } catch (error const& problem) {
    tell(request, "left to MPI: " + std::string(problem.what()));
    return nullptr;
  }
}

plan::rank_schedule const* known_communicator::forced_steps(mapping::collective_request const& request) {
  auto const& all = process::self().forced();
  auto const wanted = all.find(request.operation);
  if (wanted == all.end()) return nullptr;
  auto const& [name, segment] = wanted->second;
  if (!legal(plan::find_algorithm(request.operation, name)->operands, request)) return nullptr;
  tell(request, name + (segment > 0 ? ", " + std::to_string(segment) + " B" : "") + ", as SKEL_MPI_ALGORITHM says");
  forced_ = plan::steps_of({.operation = request.operation, .algorithm = name, .segment = segment},
                           {.ranks = size_, .root = request.root, .bytes = request.bytes, .unit = request.unit}, rank_);
  return &forced_;
}

void known_communicator::tell(mapping::collective_request const& request, std::string const& how) {
  if (!process::self().verbose() || !process::self().first()) return;
  if (!told_.emplace(request.operation, request.bytes, request.root).second) return;
  std::fprintf(stderr, "skel: %s of %llu bytes among %zu ranks, root %zu: %s\n",
               std::string(plan::name_of(request.operation)).c_str(), static_cast<unsigned long long>(request.bytes),
               size_, request.root, how.c_str());
}

}  // namespace skel::interpose
