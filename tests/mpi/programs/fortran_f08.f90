! SPDX-License-Identifier: BSD-3-Clause
! Every intercepted collective through `use mpi_f08`: array sections of every kind as arguments, MPI_IN_PLACE, error
! arguments given and left out. MPICH 4.0 itself fails at some of it (reductions and block exchanges of sections).
module affine_maps
  use mpi_f08
  implicit none

contains

  subroutine compose_maps(in, inout, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: first(:, :), second(:, :)
    integer :: k
    if (datatype == MPI_DATATYPE_NULL) return
    call c_f_pointer(in, first, [2, length])
    call c_f_pointer(inout, second, [2, length])
    do k = 1, length
      second(:, k) = modulo([first(1, k)*second(1, k), first(2, k)*second(1, k) + second(2, k)], 10007)
    end do
  end subroutine

end module

program fortran_f08
  use mpi_f08
  use affine_maps
  use fortran_checks
  implicit none
  integer, parameter :: n = 24
  integer :: world_rank, total(3)
  type(MPI_Comm) :: other, half, row

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call collectives(MPI_COMM_WORLD)
  call MPI_Comm_dup(MPI_COMM_WORLD, other)
  call collectives(other)
  call MPI_Comm_free(other)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(world_rank, 2), -world_rank, half)
  call collectives(half)
  call MPI_Comm_free(half)
  row = row_of_grid()
  call collectives(row)
  call MPI_Comm_free(row)

  call MPI_Reduce([checks, failures, replaced], total, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (world_rank == 0) print '(3(a, i0))', 'checks=', total(1), ' failures=', total(2), ' replaced=', total(3)
  call MPI_Finalize()

contains

  function row_of_grid() result(row)
    type(MPI_Comm) :: grid, row
    integer :: sizes(2), ranks
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    sizes = 0
    call MPI_Dims_create(ranks, 2, sizes)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, [.false., .true.], .false., grid)
    call MPI_Cart_sub(grid, [.true., .false.], row)
    call MPI_Comm_free(grid)
  end function

  subroutine collectives(comm)
    type(MPI_Comm), intent(in) :: comm
    integer :: rank, ranks, root, error
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    call MPI_Barrier(comm)
    call check('barrier', .true.)
    call MPI_Barrier(comm, error)
    call check('barrier with an error argument', error == MPI_SUCCESS)
    do root = 0, ranks - 1
      call bcasts(comm, rank, root)
      call reductions(comm, rank, ranks, root)
      call rooted_blocks(comm, rank, ranks, root)
    end do
    call exchanges(comm, rank, ranks)
    call scans(comm, rank, ranks)
    call unequal_blocks(comm, rank, ranks)
    call user_operation(comm, rank, ranks)
  end subroutine

  ! Each rank may give a section of another kind: layout is its own affair.
  subroutine bcasts(comm, rank, root)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, root
    integer :: table(8, 12), message(n), expected(n), i, scalar
    expected = [(100*root + i, i=1, n)]
    scalar = merge(4711 + root, 0, rank == root)
    call MPI_Bcast(scalar, 1, MPI_INTEGER, root, comm)
    call check('bcast of a scalar', scalar == 4711 + root)
    table = -1
    if (mod(rank, 3) == 0) then
      if (rank == root) table(1:8:2, 2:12:2) = reshape(expected, [4, 6])
      call MPI_Bcast(table(1:8:2, 2:12:2), n, MPI_INTEGER, root, comm)
      message = reshape(table(1:8:2, 2:12:2), [n])
    else if (mod(rank, 3) == 1) then
      if (rank == root) table(8:1:-1, 12:8:-2) = reshape(expected, [8, 3])
      call MPI_Bcast(table(8:1:-1, 12:8:-2), n, MPI_INTEGER, root, comm)
      message = reshape(table(8:1:-1, 12:8:-2), [n])
    else
      if (rank == root) table(:, 3:5) = reshape(expected, [8, 3])
      call MPI_Bcast(table(:, 3:5), n, MPI_INTEGER, root, comm)
      message = reshape(table(:, 3:5), [n])
    end if
    call check('bcast of sections', all(message == expected))
    call check('bcast leaves the rest of the array', count(table == -1) == 96 - n)
    table = merge(7, -1, rank == root)
    call MPI_Bcast(table(2:8:3, 1:12:5), 5, MPI_INTEGER, root, comm)
    call check('bcast of a part of a section', count(table == 7) == merge(96, 5, rank == root))
    call of_assumed_size(table, comm, root)
    call check('bcast of an assumed-size array', all(table(:, 1:2) == 7))
  end subroutine

  subroutine of_assumed_size(table, comm, root)
    integer, intent(inout) :: table(4, *)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: root
    call MPI_Bcast(table, 16, MPI_INTEGER, root, comm)
  end subroutine

  subroutine reductions(comm, rank, ranks, root)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, ranks, root
    double precision :: a(2*n), b(3*n), whole(n), expected(n)
    integer :: i, error
    a = 1d30
    a(2::2) = [(dble(i*(rank + 1)), i=1, n)]
    whole = a(2::2)
    expected = [(dble(i)*ranks*(ranks + 1)/2, i=1, n)]
    b = -1
    call MPI_Allreduce(whole, b(1:n), n, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
    call check('allreduce', all(b(1:n) == expected) .and. all(b(n + 1:) == -1))
    b(1:n) = a(2::2)
    call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
    call check('allreduce in place', all(b(1:n) == expected) .and. error == MPI_SUCCESS)
    b = -1
    call MPI_Reduce(whole, b(1:n), n, MPI_DOUBLE_PRECISION, MPI_SUM, root, comm)
    call check('reduce', all(b(1:n) == merge(expected, [(-1d0, i=1, n)], rank == root)))
    b = -1
    call MPI_Allreduce(a(2::2), b(1:3*n:3), n, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
    call check('allreduce of sections', all(b(1:3*n:3) == expected) .and. count(b == -1) == 2*n)
    b = -1
    b(3*n:1:-3) = a(2::2)
    call MPI_Allreduce(MPI_IN_PLACE, b(3*n:1:-3), n, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
    call check('allreduce of a section in place', all(b(3*n:1:-3) == expected) .and. count(b == -1) == 2*n)
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, a(2::2), n, MPI_DOUBLE_PRECISION, MPI_SUM, root, comm)
    else
      call MPI_Reduce(a(2::2), b, n, MPI_DOUBLE_PRECISION, MPI_SUM, root, comm)
    end if
    call check('reduce of a section in place', rank /= root .or. all(a(2::2) == expected))
  end subroutine

  ! Sections with every other column.
  subroutine rooted_blocks(comm, rank, ranks, root)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, ranks, root
    integer :: table(n, 0:2*ranks - 1), expected(n, 0:ranks - 1), own(2*n), i, j
    expected = reshape([((i + 1000*j + root, i=1, n), j=0, ranks - 1)], [n, ranks])
    own = -1
    own(::2) = expected(:, rank)
    table = -1
    call MPI_Gather(own(::2), n, MPI_INTEGER, table(:, ::2), n, MPI_INTEGER, root, comm)
    call check('gather of sections', all(table(:, 1::2) == -1) .and. &
               all(table(:, ::2) == merge(expected, -1, rank == root)))
    own = -1
    table = -1
    table(:, ::2) = expected
    if (rank == root) then
      call MPI_Scatter(table(:, ::2), n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, comm)
      own(2::2) = expected(:, rank)
    else
      call MPI_Scatter(table(:, ::2), n, MPI_INTEGER, own(2::2), n, MPI_INTEGER, root, comm)
    end if
    call check('scatter of sections in place', all(own(2::2) == expected(:, rank)) .and. all(own(::2) == -1))
  end subroutine

  subroutine scans(comm, rank, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, ranks
    integer :: own(2*n), result(2*n), vector(n, ranks), counts(ranks), i, error
    own = -1
    own(::2) = [(i*(rank + 1), i=1, n)]
    result = -1
    call MPI_Scan(own(::2), result(2::2), n, MPI_INTEGER, MPI_SUM, comm)
    call check('scan of sections', all(result(2::2) == [(i*(rank + 1)*(rank + 2)/2, i=1, n)]))
    result = -1
    call MPI_Exscan(own(::2), result(::2), n, MPI_INTEGER, MPI_SUM, comm, error)
    call check('exscan of sections', rank == 0 .or. all(result(::2) == [(i*rank*(rank + 1)/2, i=1, n)]))
    vector = spread([(i, i=1, ranks)], 1, n)*(rank + 1)
    call MPI_Reduce_scatter_block(vector, result(1:n), n, MPI_INTEGER, MPI_SUM, comm)
    call check('reduce_scatter_block', all(result(1:n) == (rank + 1)*ranks*(ranks + 1)/2))
    counts = [(mod(i, 3), i=1, ranks)]
    result = -1
    vector = rank + 1
    call MPI_Reduce_scatter(vector, result, counts, MPI_INTEGER, MPI_SUM, comm)
    call check('reduce_scatter', all(result(1:counts(rank + 1)) == ranks*(ranks + 1)/2) .and. &
               count(result == -1) == 2*n - counts(rank + 1))
  end subroutine

  ! What rank i sends to rank j: j + 1 times 100 i + j.
  subroutine unequal_blocks(comm, rank, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, ranks
    integer :: send(ranks*ranks), receive(2*ranks*ranks), send_counts(ranks), send_places(ranks)
    integer :: counts(ranks), places(ranks), i, j
    type(MPI_Datatype) :: types(ranks)
    send_counts = [(i, i=1, ranks)]
    send_places = [(ranks*(i - 1), i=1, ranks)]
    counts = rank + 1
    places = [(ranks*(ranks - i), i=1, ranks)]
    types = MPI_INTEGER
    send = [((100*rank + j, i=1, ranks), j=0, ranks - 1)]
    receive = -1
    call MPI_Alltoallv(send, send_counts, send_places, MPI_INTEGER, receive(::2), counts, places, MPI_INTEGER, comm)
    call check('alltoallv into a section', exchange_is_right(receive(::2), rank, ranks))
    receive = -1
    call MPI_Alltoallw(send, send_counts, 4*send_places, types, receive(1:ranks*ranks), counts, 4*places, types, comm)
    call check('alltoallw', exchange_is_right(receive(1:ranks*ranks), rank, ranks))
    receive = -1
    call MPI_Allgatherv(send, rank + 1, MPI_INTEGER, receive(2::2), send_counts, places, MPI_INTEGER, comm)
    call check('allgatherv into a section', all(receive(::2) == -1) .and. &
               all([(all(receive(2*places(i) + 2:2*(places(i) + i):2) == 100*(i - 1)), i=1, ranks)]))
    receive = -1
    call MPI_Gatherv(send, rank + 1, MPI_INTEGER, receive, send_counts, places, MPI_INTEGER, 0, comm)
    call check('gatherv', rank /= 0 .or. all([(all(receive(places(i) + 1:places(i) + i) == 100*(i - 1)), i=1, ranks)]))
    receive = -1
    call MPI_Scatterv(send, send_counts, send_places, MPI_INTEGER, receive(::2), rank + 1, MPI_INTEGER, 0, comm)
    call check('scatterv into a section', all(receive(1:2*rank + 1:2) == rank) .and. &
               count(receive == -1) == 2*ranks*ranks - rank - 1)
  end subroutine

  function exchange_is_right(receive, rank, ranks) result(right)
    integer, intent(in) :: rank, ranks, receive(ranks*ranks)
    integer :: i, first
    logical :: right
    right = count(receive == -1) == ranks*(ranks - rank - 1)
    do i = 0, ranks - 1
      first = ranks*(ranks - i - 1) + 1
      right = right .and. all(receive(first:first + rank) == 100*i + rank)
    end do
  end function

  subroutine exchanges(comm, rank, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, ranks
    integer :: send(2*n, 0:ranks - 1), receive(n, 0:2*ranks - 1), expected(n, 0:ranks - 1), i, j
    expected = reshape([((i + 1000*j, i=1, n), j=0, ranks - 1)], [n, ranks])
    send(::2, rank) = expected(:, rank)
    receive = -1
    call MPI_Allgather(send(::2, rank), n, MPI_INTEGER, receive(:, ::2), n, MPI_INTEGER, comm)
    call check('allgather', all(receive(:, ::2) == expected) .and. all(receive(:, 1::2) == -1))
    receive = -1
    receive(:, 2*rank) = expected(:, rank)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive(:, ::2), n, MPI_INTEGER, comm)
    call check('allgather in place', all(receive(:, ::2) == expected) .and. all(receive(:, 1::2) == -1))
    send(::2, :) = reshape([((i + 1000*j + 100000*rank, i=1, n), j=0, ranks - 1)], [n, ranks])
    expected = reshape([((i + 1000*rank + 100000*j, i=1, n), j=0, ranks - 1)], [n, ranks])
    receive = -1
    call MPI_Alltoall(send(::2, :), n, MPI_INTEGER, receive(:, 2*ranks - 1:0:-2), n, MPI_INTEGER, comm)
    call check('alltoall', all(receive(:, 2*ranks - 1:0:-2) == expected))
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, send(::2, :), n, MPI_INTEGER, comm)
    call check('alltoall in place', all(send(::2, :) == expected))
  end subroutine

  ! A Fortran function as operation, on a type of two numbers: x -> a x + b after x -> c x + d, not commutative.
  subroutine user_operation(comm, rank, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, ranks
    type(MPI_Datatype) :: pair
    type(MPI_Op) :: compose
    integer :: map(2), composed(2), expected(2), r
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call MPI_Op_create(compose_maps, .false., compose)
    expected = [1, 0]
    do r = 0, ranks - 1
      expected = modulo([expected(1)*(r + 2), expected(2)*(r + 2) + 3*r + 1], 10007)
    end do
    map = [rank + 2, 3*rank + 1]
    call MPI_Allreduce(map, composed, 1, pair, compose, comm)
    call check('allreduce of maps', all(composed == expected))
    call MPI_Op_free(compose)
    call MPI_Type_free(pair)
  end subroutine

end program
