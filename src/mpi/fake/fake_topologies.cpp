// SPDX-License-Identifier: BSD-3-Clause
// No communicator here has a topology: the neighbourhood collectives are tested with real MPI
// libraries.
#include <mpi.h>

int PMPI_Topo_test(MPI_Comm /*comm*/, int* topology) {
  *topology = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int PMPI_Cart_create(MPI_Comm /*comm*/, int /*dimensions*/, const int* /*sizes*/,
                     const int* /*periodic*/, int /*reorder*/, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Cartdim_get(MPI_Comm /*comm*/, int* /*dimensions*/) { return MPI_ERR_TOPOLOGY; }

int PMPI_Cart_shift(MPI_Comm /*comm*/, int /*dimension*/, int /*by*/, int* /*source*/,
                    int* /*target*/) {
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Graph_neighbors_count(MPI_Comm /*comm*/, int /*rank*/, int* /*number*/) {
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Graph_neighbors(MPI_Comm /*comm*/, int /*rank*/, int /*most*/, int* /*ranks*/) {
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Dist_graph_neighbors_count(MPI_Comm /*comm*/, int* /*sources*/, int* /*targets*/,
                                    int* /*is_weighted*/) {
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Dist_graph_neighbors(MPI_Comm /*comm*/, int /*most_sources*/, int* /*sources*/,
                              int* /*source_weights*/, int /*most_targets*/, int* /*targets*/,
                              int* /*target_weights*/) {
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Neighbor_alltoall(const void* /*send*/, int /*send_count*/, MPI_Datatype /*send_type*/,
                           void* /*receive*/, int /*receive_count*/, MPI_Datatype /*receive_type*/,
                           MPI_Comm /*comm*/) {
  return MPI_ERR_TOPOLOGY;
}

int PMPI_Ineighbor_alltoall(const void* /*send*/, int /*send_count*/, MPI_Datatype /*send_type*/,
                            void* /*receive*/, int /*receive_count*/, MPI_Datatype /*receive_type*/,
                            MPI_Comm /*comm*/, MPI_Request* /*request*/) {
  return MPI_ERR_TOPOLOGY;
}
