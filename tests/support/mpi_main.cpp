// main of the GoogleTest executables that run under mpirun (see skel_mpi_test).
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

namespace {

// Only rank 0 reports progress; the others report what fails.
class failures_only : public testing::EmptyTestEventListener {
 public:
  explicit failures_only(int rank) : rank_(rank) {}

 private:
  void OnTestStart(testing::TestInfo const& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  // GoogleTest calls this with its lock held: it must not be asked for the current test here.
  void OnTestPartResult(testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s: %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "?", result.line_number(), result.summary());
  }

  int rank_;
  std::string test_ = "outside of a test";
};

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failures_only(rank));
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
