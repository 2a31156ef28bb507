! SPDX-License-Identifier: BSD-3-Clause
! Every intercepted collective through mpif.h (or, with -DUSE_MPI, through `use mpi`), checked against what it must
! give; the MPI library's error goes to `error`.
program fortran_mpif
#ifdef USE_MPI
  use mpi
#endif
  use fortran_checks
  implicit none
#ifndef USE_MPI
  include 'mpif.h'
#endif
  integer, parameter :: n = 100
  integer :: error, world_rank, provided, half, other, grid, row, total(3), mine(3)

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, error)
  call collectives(MPI_COMM_WORLD)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, error)
  call collectives(other)
  call MPI_Comm_free(other, error)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(world_rank, 2), -world_rank, half, error)
  call collectives(half)
  call MPI_Comm_free(half, error)
  call grid_of_rows(grid, row)
  call collectives(row)
  call MPI_Comm_free(row, error)
  call MPI_Comm_free(grid, error)

  mine = [checks, failures, replaced]
  call MPI_Reduce(mine, total, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (world_rank == 0) print '(3(a, i0))', 'checks=', total(1), ' failures=', total(2), ' replaced=', total(3)
  call MPI_Finalize(error)

contains

  subroutine grid_of_rows(grid, row)
    integer, intent(out) :: grid, row
    integer :: sizes(2), ranks
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    sizes = 0
    call MPI_Dims_create(ranks, 2, sizes, error)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, [.false., .true.], .false., grid, error)
    call MPI_Cart_sub(grid, [.true., .false.], row, error)
  end subroutine

  subroutine collectives(comm)
    integer, intent(in) :: comm
    integer :: rank, ranks, root
    call MPI_Comm_rank(comm, rank, error)
    call MPI_Comm_size(comm, ranks, error)
    call MPI_Barrier(comm, error)
    call check('barrier', error == MPI_SUCCESS)
    do root = 0, ranks - 1
      call bcasts(comm, rank, root)
      call reductions(comm, rank, ranks, root)
      call rooted_blocks(comm, rank, ranks, root)
    end do
    call logicals(comm, rank, ranks, 1)
    call logicals(comm, rank, ranks, 1000)
    call exchanges(comm, rank, ranks)
    call scans(comm, rank, ranks)
    call unequal_blocks(comm, rank, ranks)
    call absolute_addresses(comm, rank)
  end subroutine

  subroutine bcasts(comm, rank, root)
    integer, intent(in) :: comm, rank, root
    double precision :: x(n), table(10, 10)
    character(len=8) :: text
    integer :: i
    x = merge([(1.5d0*i + root, i=1, n)], [(0d0, i=1, n)], rank == root)
    call MPI_Bcast(x, n, MPI_DOUBLE_PRECISION, root, comm, error)
    call check('bcast', all(x == [(1.5d0*i + root, i=1, n)]))
    table = merge(reshape(x, [10, 10]), -1d0, rank == root)
    call MPI_Bcast(table(2:8:2, 3:5), 12, MPI_DOUBLE_PRECISION, root, comm, error)
    call check('bcast of a section', all(table(2:8:2, 3:5) == section_of(x)))
    call check('bcast leaves the rest', rank == root .or. count(table == -1d0) == 88)
    text = merge('quadrill', '        ', rank == root)
    call MPI_Bcast(text, 8, MPI_CHARACTER, root, comm, error)
    call check('bcast of characters', text == 'quadrill')
  end subroutine

  function section_of(x) result(section)
    double precision, intent(in) :: x(n)
    double precision :: table(10, 10), section(4, 3)
    table = reshape(x, [10, 10])
    section = table(2:8:2, 3:5)
  end function

  subroutine reductions(comm, rank, ranks, root)
    integer, intent(in) :: comm, rank, ranks, root
    integer :: a(n), b(n), expected(n), i, pair(2), worst(2)
    logical :: here, everywhere
    a = [(i + rank, i=1, n)]
    expected = [(ranks*i + ranks*(ranks - 1)/2, i=1, n)]
    b = -1
    call MPI_Allreduce(a, b, n, MPI_INTEGER, MPI_SUM, comm, error)
    call check('allreduce', all(b == expected))
    b = a
    call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm, error)
    call check('allreduce in place', all(b == expected))
    b = -1
    call MPI_Reduce(a, b, n, MPI_INTEGER, MPI_SUM, root, comm, error)
    call check('reduce', all(b == merge(expected, -1, rank == root)))
    b = a
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, root, comm, error)
    else
      call MPI_Reduce(a, b, n, MPI_INTEGER, MPI_SUM, root, comm, error)
    end if
    call check('reduce in place', all(b == merge(expected, a, rank == root)))
    pair = [mod(7*rank + root, 5), rank]
    call MPI_Allreduce(pair, worst, 1, MPI_2INTEGER, MPI_MAXLOC, comm, error)
    call check('maxloc', mod(7*worst(2) + root, 5) == worst(1) .and. worst(1) >= pair(1))
    here = rank /= root
    call MPI_Allreduce(here, everywhere, 1, MPI_LOGICAL, MPI_LAND, comm, error)
    call check('land', .not. everywhere)
  end subroutine

  ! Compilers differ in how they store .true.: as 1 (GNU) or as -1 (Portland), here as integers.
  subroutine logicals(comm, rank, ranks, length)
    integer, intent(in) :: comm, rank, ranks, length
    integer, parameter :: operations(3) = [MPI_LAND, MPI_LOR, MPI_LXOR], stored(2) = [1, -1]
    integer :: mine(length), before(length), found(length), trues(length), i, k, op
    logical :: expected(length)
    ! How many of the ranks say .true. in each place: from none to all, all but one among them.
    trues = [(mod(i, ranks + 1), i=1, length)]
    if (length == 1) trues = ranks
    do k = 1, 2
      mine = merge(stored(k), 0, rank < trues)
      before = mine
      do op = 1, 3
        if (op == 1) expected = trues == ranks
        if (op == 2) expected = trues > 0
        if (op == 3) expected = mod(trues, 2) == 1
        found = 7
        call MPI_Allreduce(mine, found, length, MPI_LOGICAL, operations(op), comm, error)
        call check('logicals', all((found /= 0) .eqv. expected))
        call check('logicals that are sent stay as they are', all(mine == before))
      end do
    end do
  end subroutine

  subroutine exchanges(comm, rank, ranks)
    integer, intent(in) :: comm, rank, ranks
    complex, allocatable :: send(:, :), receive(:, :), expected(:, :)
    integer :: i, j
    allocate (send(n, ranks), receive(n, ranks), expected(n, ranks))
    expected = reshape([((cmplx(i, j), i=1, n), j=1, ranks)], [n, ranks])
    receive = 0
    call MPI_Allgather(expected(:, rank + 1), n, MPI_COMPLEX, receive, n, MPI_COMPLEX, comm, error)
    call check('allgather', all(receive == expected))
    receive = 0
    receive(:, rank + 1) = expected(:, rank + 1)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, n, MPI_COMPLEX, comm, error)
    call check('allgather in place', all(receive == expected))
    send = reshape([((cmplx(i + 1000*j, rank), i=1, n), j=1, ranks)], [n, ranks])
    expected = reshape([((cmplx(i + 1000*(rank + 1), j - 1), i=1, n), j=1, ranks)], [n, ranks])
    call MPI_Alltoall(send, n, MPI_COMPLEX, receive, n, MPI_COMPLEX, comm, error)
    call check('alltoall', all(receive == expected))
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, send, n, MPI_COMPLEX, comm, error)
    call check('alltoall in place', all(send == expected))
  end subroutine

  subroutine rooted_blocks(comm, rank, ranks, root)
    integer, intent(in) :: comm, rank, ranks, root
    integer, allocatable :: all_blocks(:, :), expected(:, :), counts(:), places(:)
    integer :: own(n), i, j, length
    allocate (all_blocks(n, ranks), expected(n, ranks), counts(ranks), places(ranks))
    expected = reshape([((i + 1000*j + root, i=1, n), j=1, ranks)], [n, ranks])
    own = expected(:, rank + 1)
    all_blocks = -1
    call MPI_Gather(own, n, MPI_INTEGER, all_blocks, n, MPI_INTEGER, root, comm, error)
    call check('gather', all(all_blocks == merge(expected, -1, rank == root)))
    all_blocks = -1
    all_blocks(:, rank + 1) = own
    if (rank == root) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, all_blocks, n, MPI_INTEGER, root, comm, error)
    else
      call MPI_Gather(own, n, MPI_INTEGER, all_blocks, n, MPI_INTEGER, root, comm, error)
    end if
    call check('gather in place', rank /= root .or. all(all_blocks == expected))
    own = -1
    call MPI_Scatter(expected, n, MPI_INTEGER, own, n, MPI_INTEGER, root, comm, error)
    call check('scatter', all(own == expected(:, rank + 1)))
    own = -1
    if (rank == root) then
      call MPI_Scatter(expected, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, comm, error)
    else
      call MPI_Scatter(expected, n, MPI_INTEGER, own, n, MPI_INTEGER, root, comm, error)
    end if
    call check('scatter in place', all(own == merge([(-1, i=1, n)], expected(:, rank + 1), rank == root)))
    counts = [(mod(i + root, 4)*7, i=1, ranks)]
    places = [(n*(ranks - i), i=1, ranks)]
    length = counts(rank + 1)
    all_blocks = -1
    call MPI_Gatherv(expected(:, rank + 1), length, MPI_INTEGER, all_blocks, counts, places, MPI_INTEGER, root, &
                     comm, error)
    call check('gatherv', rank /= root .or. all([(all(all_blocks(1:counts(i), ranks + 1 - i) == &
                                                      expected(1:counts(i), i)), i=1, ranks)]))
    call check('gatherv leaves the rest', count(all_blocks /= -1) == merge(sum(counts), 0, rank == root))
    own = -1
    call MPI_Scatterv(expected, counts, places, MPI_INTEGER, own, length, MPI_INTEGER, root, comm, error)
    call check('scatterv', all(own(1:length) == expected(1:length, ranks - rank)) .and. all(own(length + 1:) == -1))
  end subroutine

  subroutine scans(comm, rank, ranks)
    integer, intent(in) :: comm, rank, ranks
    integer, allocatable :: vector(:, :), counts(:)
    integer :: own(n), result(n), i
    own = [(i*(rank + 1), i=1, n)]
    call MPI_Scan(own, result, n, MPI_INTEGER, MPI_SUM, comm, error)
    call check('scan', all(result == [(i*(rank + 1)*(rank + 2)/2, i=1, n)]))
    result = own
    call MPI_Exscan(MPI_IN_PLACE, result, n, MPI_INTEGER, MPI_SUM, comm, error)
    call check('exscan in place', all(result == merge(own, [(i*rank*(rank + 1)/2, i=1, n)], rank == 0)))
    allocate (vector(n, ranks), counts(ranks))
    vector = spread([(i, i=1, ranks)], 1, n)*(rank + 1)
    call MPI_Reduce_scatter_block(vector, result, n, MPI_INTEGER, MPI_SUM, comm, error)
    call check('reduce_scatter_block', all(result == (rank + 1)*ranks*(ranks + 1)/2))
    counts = [(mod(i, 3), i=1, ranks)]
    result = -1
    vector = rank + 1
    call MPI_Reduce_scatter(vector, result, counts, MPI_INTEGER, MPI_SUM, comm, error)
    call check('reduce_scatter', all(result(1:counts(rank + 1)) == ranks*(ranks + 1)/2) .and. &
               count(result == -1) == n - counts(rank + 1))
  end subroutine

  ! What rank i sends to rank j: j + 1 times 100 i + j.
  subroutine unequal_blocks(comm, rank, ranks)
    integer, intent(in) :: comm, rank, ranks
    integer :: send(ranks*ranks), receive(ranks*ranks), send_counts(ranks), send_places(ranks)
    integer :: counts(ranks), places(ranks), types(ranks), i, j
    send_counts = [(i, i=1, ranks)]
    send_places = [(ranks*(i - 1), i=1, ranks)]
    counts = rank + 1
    places = [(ranks*(ranks - i), i=1, ranks)]
    types = MPI_INTEGER
    send = [((100*rank + j, i=1, ranks), j=0, ranks - 1)]
    receive = -1
    call MPI_Alltoallv(send, send_counts, send_places, MPI_INTEGER, receive, counts, places, MPI_INTEGER, comm, error)
    call check('alltoallv', exchange_is_right(receive, rank, ranks))
    receive = -1
    call MPI_Alltoallw(send, send_counts, 4*send_places, types, receive, counts, 4*places, types, comm, error)
    call check('alltoallw', exchange_is_right(receive, rank, ranks))
    receive = -1
    call MPI_Allgatherv(send, rank + 1, MPI_INTEGER, receive, send_counts, places, MPI_INTEGER, comm, error)
    call check('allgatherv', all([(all(receive(places(i) + 1:places(i) + i) == 100*(i - 1)), i=1, ranks)]) .and. &
               count(receive == -1) == ranks*ranks - ranks*(ranks + 1)/2)
  end subroutine

  function exchange_is_right(receive, rank, ranks) result(right)
    integer, intent(in) :: rank, ranks, receive(ranks, ranks)
    integer :: i
    logical :: right
    right = all([(all(receive(1:rank + 1, ranks - i) == 100*i + rank), i=0, ranks - 1)]) .and. &
            count(receive == -1) == ranks*(ranks - rank - 1)
  end function

  ! MPI_BOTTOM with a type that holds absolute addresses.
  subroutine absolute_addresses(comm, rank)
    integer, intent(in) :: comm, rank
    integer, volatile :: first(4), second(3)  ! changed without the compiler's knowledge
    integer(kind=MPI_ADDRESS_KIND) :: where(2)
    integer :: type
    first = merge(11, 0, rank == 0)
    second = merge(22, 0, rank == 0)
    call MPI_Get_address(first, where(1), error)
    call MPI_Get_address(second, where(2), error)
    call MPI_Type_create_hindexed(2, [4, 3], where, MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    call MPI_Bcast(MPI_BOTTOM, 1, type, 0, comm, error)
    call check('bcast at MPI_BOTTOM', all(first == 11) .and. all(second == 22))
    call MPI_Type_free(type, error)
  end subroutine

end program
