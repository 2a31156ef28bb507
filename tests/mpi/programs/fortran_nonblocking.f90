! SPDX-License-Identifier: BSD-3-Clause
! Nonblocking collectives from Fortran, completed in every way that MPI has. Built for `use mpi` and, with USE_F08, for
! mpi_f08; with SECTIONS its arguments may be sections of arrays; with PERSISTENT persistent ones too, which with PRELOADED are
! those of what is preloaded.
program fortran_nonblocking
#ifdef USE_F08
  use mpi_f08
#define REQUEST type(MPI_Request)
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#else
  use mpi
#define REQUEST integer
#define COMM integer
#define DATATYPE integer
#endif
  use fortran_checks
  implicit none
  integer, parameter :: block = 700
  integer :: own, ranks, round, total(3), error
  integer, allocatable, asynchronous :: sent(:), received(:), wide(:, :)
  REQUEST :: request

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, own, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate (sent(block*ranks), received(block*ranks), wide(2, block*ranks))
  do round = 0, 13
    call fill(round)
    call MPI_Ialltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, request, error)
    call check('ialltoall has started', error == MPI_SUCCESS)
    call complete(request, round)
    call check('ialltoall', exchanged(received, round))

    received = sent
    call MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, request, error)
    call complete(request, round + 1)
    call check('ialltoall in place', exchanged(received, round))

    received = -1
    if (own == mod(round, ranks)) received(1:block) = round
    call MPI_Ibcast(received, block, MPI_INTEGER, mod(round, ranks), MPI_COMM_WORLD, request, error)
    call complete(request, round + 2)
    call check('ibcast', all(received(1:block) == round) .and. all(received(block + 1:) == -1))
#ifdef SECTIONS
    if (MPI_SUBARRAYS_SUPPORTED) then
      wide = -7
      call MPI_Ialltoall(sent, block, MPI_INTEGER, wide(2, :), block, MPI_INTEGER, MPI_COMM_WORLD, request)
      call complete(request, round + 3)
      call check('ialltoall into a section', exchanged(wide(2, :), round) .and. all(wide(1, :) == -7))
    end if
#endif
    call with_types(round)
    call with_neighbours(round)
    call among_others(round)
#ifdef PERSISTENT
    if (round < 3) call started_again(round)
#endif
  end do
  call MPI_Reduce([checks, failures, replaced], total, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (own == 0) print '(3(a, i0))', 'checks=', total(1), ' failures=', total(2), ' replaced=', total(3)
  call MPI_Finalize(error)

contains

  integer function number(from, into, i, round)
    integer, intent(in) :: from, into, i, round
    number = from*100003 + into*1009 + i*7 + round
  end function

  subroutine fill(round)
    integer, intent(in) :: round
    integer :: to, i
    do to = 0, ranks - 1
      do i = 1, block
        sent(to*block + i) = number(own, to, i, round)
      end do
    end do
    received = -1
  end subroutine

  logical function exchanged(got, round)
    integer, intent(in) :: got(:), round
    integer :: from, i
    exchanged = .true.
    do from = 0, ranks - 1
      do i = 1, block
        exchanged = exchanged .and. got(from*block + i) == number(from, own, i, round)
      end do
    end do
  end function

  subroutine complete(request, way)
    REQUEST, intent(inout) :: request
    integer, intent(in) :: way
    REQUEST :: list(2)
    integer :: place, some, places(2), error
    logical :: done
    done = .false.
    list = [MPI_REQUEST_NULL, request]
    select case (mod(way, 8))
    case (0)
      call MPI_Wait(list(2), MPI_STATUS_IGNORE, error)
    case (1)
      do while (.not. done)
        call MPI_Test(list(2), done, MPI_STATUS_IGNORE, error)
      end do
    case (2)
      call MPI_Waitall(2, list, MPI_STATUSES_IGNORE, error)
    case (3)
      call MPI_Waitany(2, list, place, MPI_STATUS_IGNORE, error)
      call check('waitany tells which', place == 2)
    case (4)
      call MPI_Waitsome(2, list, some, places, MPI_STATUSES_IGNORE, error)
      call check('waitsome tells which', some == 1 .and. places(1) == 2)
    case (5)
      do while (.not. done)
        call MPI_Testany(2, list, place, done, MPI_STATUS_IGNORE, error)
      end do
      call check('testany tells which', place == 2)
    case (6)
      do  ! MPI_Request_get_status of Open MPI 4's Fortran is never true
        call MPI_Testsome(2, list, some, places, MPI_STATUSES_IGNORE, error)
        if (some == 1) exit
      end do
    case (7)
      do while (.not. done)
        call MPI_Testall(2, list, done, MPI_STATUSES_IGNORE, error)
      end do
    end select
    call check('a complete request is null', list(2) == MPI_REQUEST_NULL)
    request = list(2)
  end subroutine

  subroutine with_types(round)
    integer, intent(in) :: round
    DATATYPE :: types(ranks)
    integer :: counts(ranks), places(ranks), i, error
    types = MPI_INTEGER
    counts = block
    places = [(i*block*4, i=0, ranks - 1)]
    received = -1
    call MPI_Ialltoallw(sent, counts, places, types, received, counts, places, types, MPI_COMM_WORLD, request, error)
    call complete(request, round)
    call check('ialltoallw', exchanged(received, round))
    received = sent
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, received, counts, places, types, MPI_COMM_WORLD, error)
    call check('alltoallw in place', exchanged(received, round))
  end subroutine

  ! On a ring: what comes from the lower neighbour, it has sent to its upper one.
  logical function from_neighbours(round)
    integer, intent(in) :: round
    integer :: i, lower, upper
    lower = modulo(own - 1, ranks)
    upper = modulo(own + 1, ranks)
    from_neighbours = all(received(2*block + 1:) == -1)
    do i = 1, block
      from_neighbours = from_neighbours .and. received(i) == number(lower, 1, i, round) .and. &
                        received(block + i) == number(upper, 0, i, round)
    end do
  end function

  subroutine with_neighbours(round)
    integer, intent(in) :: round
    COMM :: ring
    DATATYPE :: types(2)
    integer(MPI_ADDRESS_KIND) :: addresses(2)
    integer :: counts(2), places(2), error
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, error)
    call MPI_Barrier(ring, error)
    received = -1
    call MPI_Neighbor_alltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, ring, error)
    call check('neighbor_alltoall', from_neighbours(round))
    counts = block
    places = [0, block]
    received = -1
    call MPI_Ineighbor_alltoallv(sent, counts, places, MPI_INTEGER, received, counts, places, MPI_INTEGER, ring, request, error)
    call complete(request, round)
    call check('ineighbor_alltoallv', from_neighbours(round))
    types = MPI_INTEGER
    addresses = [0, block*4]
    received = -1
    call MPI_Neighbor_alltoallw(sent, counts, addresses, types, received, counts, addresses, types, ring, error)
    call check('neighbor_alltoallw', from_neighbours(round))
    received = -1
    call MPI_Ineighbor_alltoallw(sent, counts, addresses, types, received, counts, addresses, types, ring, request, error)
    call complete(request, round + 1)
    call check('ineighbor_alltoallw', from_neighbours(round))
    call MPI_Comm_free(ring, error)
  end subroutine

#ifdef PERSISTENT
  ! Started again and again, what lies in its buffers then is what is sent.
  subroutine started_again(first)
    integer, intent(in) :: first
    REQUEST :: list(2)
    DATATYPE :: types(ranks)
    integer :: counts(ranks), places(ranks), by_type(block*ranks), i, round, error
#ifdef PRELOADED
#define MPI_Alltoall_init preloaded_alltoall_init
#define MPI_Alltoallw_init preloaded_alltoallw_init
    external :: MPI_Alltoall_init, MPI_Alltoallw_init
#endif
    types = MPI_INTEGER
    counts = block
    places = [(i*block*4, i=0, ranks - 1)]
    call MPI_Alltoall_init(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, list(1), error)
    call MPI_Alltoallw_init(sent, counts, places, types, by_type, counts, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, list(2), error)
    call check('persistent calls are made', error == MPI_SUCCESS)
    do round = first, first + 4
      call fill(round)
      if (mod(round, 2) == 0) then
        call MPI_Startall(2, list, error)
      else
        call MPI_Start(list(1), error)
        call MPI_Start(list(2), error)
      end if
      call MPI_Waitall(2, list, MPI_STATUSES_IGNORE, error)
      call check('persistent alltoall', exchanged(received, round))
      call check('persistent alltoallw', exchanged(by_type, round))
    end do
    call MPI_Request_free(list(1), error)
    call MPI_Request_free(list(2), error)
    call check('a freed request is null', list(1) == MPI_REQUEST_NULL .and. list(2) == MPI_REQUEST_NULL)
    call fill(first)
  end subroutine
#endif

  subroutine among_others(round)
    integer, intent(in) :: round
    REQUEST :: list(4)
    integer :: given, got, completed, place, error
    given = own + round
    call MPI_Irecv(got, 1, MPI_INTEGER, modulo(own - 1, ranks), 5, MPI_COMM_WORLD, list(1), error)
    call MPI_Ialltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, list(2), error)
    call MPI_Isend(given, 1, MPI_INTEGER, modulo(own + 1, ranks), 5, MPI_COMM_WORLD, list(3), error)
    call MPI_Ibarrier(MPI_COMM_WORLD, list(4), error)
    do completed = 1, 4
      call MPI_Waitany(4, list, place, MPI_STATUS_IGNORE, error)
    end do
    call check('a message beside', got == modulo(own - 1, ranks) + round)
    call check('ialltoall among others', exchanged(received, round))
  end subroutine

end program
