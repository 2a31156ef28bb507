! SPDX-License-Identifier: BSD-3-Clause
! For a shared library that a Python process loads, as extension modules in Fortran are: the whole of an MPI program.
subroutine sum_of_ranks()
  implicit none
  include 'mpif.h'
  integer :: error, rank, sum(4)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  sum = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'sum=', sum(4)
  call MPI_Finalize(error)
end subroutine
