! SPDX-License-Identifier: BSD-3-Clause
! Counts checks and failures of one rank; how many calls Quadrille executed.
module fortran_checks
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  public :: check, checks, failures, replaced

  integer :: checks = 0
  integer :: failures = 0
  integer :: replaced = 0

  interface
    function executed_by_quadrille() bind(C) result(yes)
      import :: c_int
      integer(c_int) :: yes
    end function
  end interface

contains

  subroutine check(what, holds)
    character(*), intent(in) :: what
    logical, intent(in) :: holds
    checks = checks + 1
    replaced = replaced + executed_by_quadrille()
    if (.not. holds) then
      failures = failures + 1
      print '(2a)', 'wrong: ', what
    end if
  end subroutine

end module
