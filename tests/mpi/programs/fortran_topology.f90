! SPDX-License-Identifier: BSD-3-Clause
! Topologies with leave to reorder, from Fortran: the ring that was asked for, LOGICALs, MPI_UNWEIGHTED,
! neighbours handed over in their order. Built for `use mpi` and, with USE_F08, for mpi_f08.
program fortran_topology
#ifdef USE_F08
  use mpi_f08
#define COMMUNICATOR type(MPI_Comm)
#else
  use mpi
#define COMMUNICATOR integer
#endif
  implicit none
  integer :: world_rank, ranks, checks = 0, failures = 0, moved = 0, total(3), error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call ring(ranks)
  call ring(ranks - 1)
  call neighbours(.false.)
  call neighbours(.true.)
  call MPI_Reduce([checks, failures, moved], total, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (world_rank == 0) print '(3(a, i0))', 'checks=', total(1), ' failures=', total(2), ' reordered=', total(3)
  call MPI_Finalize(error)

contains

  subroutine check(what, holds)
    character(*), intent(in) :: what
    logical, intent(in) :: holds
    checks = checks + 1
    if (holds) return
    failures = failures + 1
    print '(2a)', 'wrong: ', what
  end subroutine

  subroutine ring(cells)
    integer, intent(in) :: cells
    COMMUNICATOR :: grid
    integer :: here, left, right, got, sizes(1), at(1)
    logical :: periodic(1)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [cells], [.true.], .true., grid, error)
    call check('no error of a grid', error == MPI_SUCCESS)
    if (grid == MPI_COMM_NULL) then
      call check('only who is beyond the grid is left out', cells < ranks)
      return
    end if
    call MPI_Comm_rank(grid, here, error)
    if (here /= world_rank) moved = moved + 1
    call MPI_Cart_get(grid, 1, sizes, periodic, at, error)
    call check('the grid that was asked for', sizes(1) == cells .and. periodic(1) .and. at(1) == here)
    call MPI_Cart_shift(grid, 0, 1, left, right, error)
    call MPI_Sendrecv(here, 1, MPI_INTEGER, right, 0, got, 1, MPI_INTEGER, left, 0, grid, MPI_STATUS_IGNORE, error)
    call check('the left neighbour', got == modulo(here - 1, cells) .and. got == left)
    call MPI_Comm_free(grid, error)
  end subroutine

  subroutine neighbours(weighted)
    logical, intent(in) :: weighted
    COMMUNICATOR :: graph
    integer :: here, in(2), out(2), found_in(2), found_out(2), weights_in(2), weights_out(2)
    in = [modulo(world_rank - 1, ranks), modulo(world_rank + 1, ranks)]
    out = [modulo(world_rank + 1, ranks), modulo(world_rank - 1, ranks)]
    if (weighted) then
      weights_in = 100*(in + 1) + world_rank
      weights_out = 100*(world_rank + 1) + out
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, weights_in, 2, out, weights_out, &
                                          MPI_INFO_NULL, .true., graph, error)
    else
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, MPI_UNWEIGHTED, 2, out, MPI_UNWEIGHTED, &
                                          MPI_INFO_NULL, .true., graph, error)
    end if
    call check('no error of a graph', error == MPI_SUCCESS)
    call MPI_Comm_rank(graph, here, error)
    if (here /= world_rank) moved = moved + 1
    call MPI_Dist_graph_neighbors(graph, 2, found_in, weights_in, 2, found_out, weights_out, error)
    call check('sources', all(found_in == [modulo(here - 1, ranks), modulo(here + 1, ranks)]))
    call check('destinations', all(found_out == [modulo(here + 1, ranks), modulo(here - 1, ranks)]))
    if (weighted) then
      call check('weights of sources', all(weights_in == 100*(found_in + 1) + here))
      call check('weights of destinations', all(weights_out == 100*(here + 1) + found_out))
    end if
    call MPI_Comm_free(graph, error)
  end subroutine

end program
