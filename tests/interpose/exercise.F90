! Calls MPI's collectives as a Fortran program does and compares with what it computes itself: with `use mpi`, or, with
! SKEL_MPI_F08, with `use mpi_f08`. Knows nothing of skel.
module checks
#ifdef SKEL_MPI_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: failures = 0, done = 0
contains
  subroutine expect(fine, what)
    logical, intent(in) :: fine
    character(*), intent(in) :: what
    done = done + 1
    if (fine) return
    failures = failures + 1
    print '(3a)', 'exercise: ', what, ' is wrong'
  end subroutine expect

  ! Not commutative: x -> a x + b in the ring of integers modulo 1009, as pairs (a, b); first, then second.
  subroutine combine(first, second, length)
    integer, intent(in) :: length, first(2, length)
    integer, intent(inout) :: second(2, length)
    integer :: i
    do i = 1, length
      second(2, i) = mod(first(2, i) * second(1, i) + second(2, i), 1009)
      second(1, i) = mod(first(1, i) * second(1, i), 1009)
    end do
  end subroutine combine
#ifdef SKEL_MPI_F08
  subroutine after(first, second, length, type)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: first, second
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: a(:, :), b(:, :)
    call c_f_pointer(first, a, [2, length])
    call c_f_pointer(second, b, [2, length])
    call combine(a, b, length)
  end subroutine after
#else
  subroutine after(first, second, length, type)
    integer :: length, type
    integer :: first(2, length), second(2, length)
    call combine(first, second, length)
  end subroutine after
#endif
end module checks

program exercise
  use checks
  implicit none
#ifdef SKEL_MPI_F08
  type(MPI_Comm) :: comm, part
  type(MPI_Datatype) :: column, pair
  type(MPI_Op) :: ordered
#else
  integer :: comm, part, column, pair, ordered
#endif
  integer :: rank, ranks, error, provided, round, n, root, i, r, value
  integer, allocatable :: mine(:), whole(:), wanted(:), matrix(:, :), pairs(:, :), result(:, :)
  real(8), allocatable :: x(:), y(:)
  complex :: z, w
  logical :: yes, every

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, ranks, error)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, error)
  call MPI_Type_commit(pair, error)
  call MPI_Op_create(after, .false., ordered, error)

  do round = 1, 12
    n = mod(round * 37, 50)
    root = mod(round, ranks)
    allocate (mine(n), whole(n * ranks), wanted(n * ranks), x(n), y(n), pairs(2, n), result(2, n))

    mine = [(1000 * rank + i + round, i=1, n)]
    wanted = [((1000 * r + i + round, i=1, n), r=0, ranks - 1)]
    call MPI_Allgather(mine, n, MPI_INTEGER, whole, n, MPI_INTEGER, comm, error)
    call expect(all(whole == wanted) .and. error == MPI_SUCCESS, 'allgather')

    whole = -1
    whole(rank * n + 1:(rank + 1) * n) = mine
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole, n, MPI_INTEGER, comm, error)
    call expect(all(whole == wanted), 'allgather in place')

    whole = -1
    call MPI_Gather(mine, n, MPI_INTEGER, whole, n, MPI_INTEGER, root, comm, error)
    if (rank == root) call expect(all(whole == wanted), 'gather')

    if (rank == root) whole = wanted
    mine = -1
    call MPI_Scatter(whole, n, MPI_INTEGER, mine, n, MPI_INTEGER, root, comm, error)
    call expect(all(mine == wanted(rank * n + 1:(rank + 1) * n)), 'scatter')

    whole = [((100 * rank + r, i=1, n), r=0, ranks - 1)]
    wanted = -1
    call MPI_Alltoall(whole, n, MPI_INTEGER, wanted, n, MPI_INTEGER, comm, error)
    call expect(all(wanted == [((100 * r + rank, i=1, n), r=0, ranks - 1)]), 'alltoall')

    if (rank == root) mine = [(round - i, i=1, n)]
    call MPI_Bcast(mine, n, MPI_INTEGER, root, comm, error)
    call expect(all(mine == [(round - i, i=1, n)]), 'bcast')

    x = [(real(rank + i, 8), i=1, n)]
    call MPI_Allreduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
    call expect(all(y == [(real(ranks * (ranks - 1) / 2 + ranks * i, 8), i=1, n)]), 'allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
    call expect(all(x == y), 'allreduce in place')
    x = [(real(rank - i, 8), i=1, n)]
    y = -1
    call MPI_Reduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_MAX, root, comm, error)
    if (rank == root) call expect(all(y == [(real(ranks - 1 - i, 8), i=1, n)]), 'reduce')

    do i = 1, n
      pairs(:, i) = [3, rank + i]
    end do
    call MPI_Allreduce(pairs, result, n, pair, ordered, comm, error)
    do i = 1, n
      value = i
      do r = 1, ranks - 1
        value = mod(value * 3 + r + i, 1009)
      end do
      call expect(result(2, i) == value, 'allreduce by an ordered operator of the program')
    end do
    deallocate (mine, whole, wanted, x, y, pairs, result)
  end do

  z = cmplx(rank, 1)
  call MPI_Allreduce(z, w, 1, MPI_COMPLEX, MPI_SUM, comm, error)
  call expect(w == cmplx(ranks * (ranks - 1) / 2, ranks), 'sum of complex numbers')
  yes = rank /= 0
  call MPI_Allreduce(yes, every, 1, MPI_LOGICAL, MPI_LAND, comm, error)
  call expect(.not. every, 'logical and')

  ! A row of a matrix, which is not in one piece.
  allocate (matrix(5, 8))
  call MPI_Type_vector(8, 1, 5, MPI_INTEGER, column, error)
  call MPI_Type_commit(column, error)
  matrix = rank
  if (rank == 0) matrix(2, :) = 77
  call MPI_Bcast(matrix(2, 1), 1, column, 0, comm, error)
  call expect(all(matrix(2, :) == 77) .and. all(matrix(3, :) == rank), 'bcast of a row')
  call MPI_Type_free(column, error)

  call MPI_Comm_split(comm, mod(rank, 2), rank, part, error)
  value = rank
  call MPI_Bcast(value, 1, MPI_INTEGER, 0, part, error)
  call expect(value == mod(rank, 2), 'bcast in a part')
  call MPI_Comm_free(part, error)

  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, error)
  call MPI_Bcast(value, 1, MPI_INTEGER, ranks, comm, error)
  call expect(error /= MPI_SUCCESS, 'the error of a wrong root')

  call MPI_Barrier(comm, error)
  i = failures
  call MPI_Reduce(i, failures, 1, MPI_INTEGER, MPI_SUM, 0, comm, error)
  i = done
  call MPI_Reduce(i, done, 1, MPI_INTEGER, MPI_SUM, 0, comm, error)
  if (rank == 0) print '(i0,a,i0,a)', failures, ' of ', done, ' checks failed'
  call MPI_Op_free(ordered, error)
  call MPI_Type_free(pair, error)
  call MPI_Comm_free(comm, error)
  call MPI_Finalize(error)
  if (rank == 0 .and. failures > 0) stop 1
end program exercise
