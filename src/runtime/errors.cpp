#include <skel/runtime/errors.hpp>

namespace skel::runtime {

failure describe_failure(std::string const& stage, std::uint64_t item, bool in_finish, int rank) {
  failure what{stage, item, in_finish, rank, "", std::current_exception()};
  try {
    throw;
  } catch (std::exception const& e) {
    what.what = e.what();
  } catch (...) {
    what.what = "an exception that is not a std::exception";
  }
  return what;
}

void throw_failure(failure const& what) {
  std::string const item = std::to_string(what.item);
  std::string const where = what.in_finish ? "finish() of stage '" + what.stage + "' threw after " + item + " items"
                                           : "stage '" + what.stage + "' threw on item " + item;
  throw stage_error(what.stage, what.item, what.rank,
                    where + " on rank " + std::to_string(what.rank) + ": " + what.what, what.exception);
}

}  // namespace skel::runtime
