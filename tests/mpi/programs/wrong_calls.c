/* SPDX-License-Identifier: BSD-3-Clause
 * wrong_calls [MISTAKE [COLLECTIVE]]: each collective with each kind of mistake, by PMPI_ and then
 * by MPI_ from the first call to the third. Both have to give the same error class and to call the
 * same error handlers as often.
 *
 * Only ranks whose arguments are wrong call: the others would wait for them. Afterwards a right
 * call has to work. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "every_call.h"

enum { elements = 4, most_ranks = 8, root_rank = 1 };

static MPI_Comm comm;
static MPI_Op own_op;
static MPI_Datatype uncommitted, committed;
static int send_memory[elements * most_ranks], receive_memory[elements * most_ranks];
static int counts[most_ranks], places[most_ranks], negative[most_ranks];
static MPI_Datatype types[most_ranks], null_types[most_ranks], uncommitted_types[most_ranks];
static int told_class, told_of_comm, told_of_world;
static char current[128];

static void count_comm(MPI_Comm* of, int* code, ...) {
  MPI_Error_class(*code, &told_class);
  *of == comm ? ++told_of_comm : ++told_of_world;
}

static void keep_first(void* from, void* into, int* length, MPI_Datatype* type) {
  (void)from, (void)into, (void)length, (void)type;
}

static void give_up(int number) {
  (void)number;
  static const char message[] = "has not returned: ";
  if (write(1, message, sizeof message - 1) < 0 || write(1, current, strlen(current)) < 0) _exit(3);
  _exit(2);
}

static struct call right_call(enum collective collective) {
  struct call call = {.collective = collective,
                      .send = send_memory,
                      .receive = receive_memory,
                      .root = root_rank,
                      .send_count = elements,
                      .receive_count = elements,
                      .send_type = MPI_INT,
                      .receive_type = MPI_INT,
                      .send_counts = counts,
                      .receive_counts = counts,
                      .send_places = places,
                      .receive_places = places,
                      .send_types = types,
                      .receive_types = types,
                      .op = MPI_SUM,
                      .comm = comm};
  return call;
}

/* What a call of this collective uses. */
static int is_reduction(enum collective c) {
  return c == reduce || c == allreduce || c == reduce_scatter_block || c == reduce_scatter ||
         c == scan || c == exscan;
}
static int is_rooted(enum collective c) {
  return c == bcast || c == reduce || c == gather || c == gatherv || c == scatter || c == scatterv;
}
static int has_send_counts(enum collective c) {
  return c == scatterv || c == alltoallv || c == alltoallw || c == reduce_scatter;
}
static int has_receive_counts(enum collective c) {
  return c == allgatherv || c == gatherv || c == alltoallv || c == alltoallw;
}
static int sends(enum collective c) { return c != barrier && c != bcast; }

/* Whether the argument means something on this rank. */
static int send_matters(enum collective c) {
  return sends(c) && ((c != scatter && c != scatterv) || rank == root_rank);
}
static int receive_matters(enum collective c) {
  return c != barrier && ((c != gather && c != gatherv && c != reduce) || rank == root_rank);
}

/* Each changes a right call into a wrong one; 0 where that would not be one on this rank. */
typedef int (*mistake_fn)(struct call* call);

static int send_null_type(struct call* call) {
  call->send_type = MPI_DATATYPE_NULL;
  call->send_types = null_types;
  return send_matters(call->collective);
}
static int receive_null_type(struct call* call) {
  if (is_reduction(call->collective)) return 0;
  call->receive_type = MPI_DATATYPE_NULL;
  call->receive_types = null_types;
  return receive_matters(call->collective);
}
static int send_uncommitted(struct call* call) {
  call->send_type = uncommitted;
  call->send_types = uncommitted_types;
  call->op = own_op;
  return send_matters(call->collective);
}
static int receive_uncommitted(struct call* call) {
  if (is_reduction(call->collective)) return 0;
  call->receive_type = uncommitted;
  call->receive_types = uncommitted_types;
  return receive_matters(call->collective);
}
static int send_negative(struct call* call) {
  call->send_count = -1;
  call->send_counts = negative;
  return send_matters(call->collective);
}
static int receive_negative(struct call* call) {
  call->receive_count = -1;
  call->receive_counts = negative;
  return !is_reduction(call->collective) && receive_matters(call->collective);
}
static int send_nowhere(struct call* call) {
  call->send = NULL;
  return send_matters(call->collective);
}
static int receive_nowhere(struct call* call) {
  call->receive = NULL;
  return receive_matters(call->collective);
}
static int one_buffer(struct call* call) {
  call->receive = call->send;
  return call->collective != bcast && send_matters(call->collective) &&
         receive_matters(call->collective);
}
static int send_in_place(struct call* call) {
  call->send = MPI_IN_PLACE;
  switch (call->collective) {
    case gather:
    case gatherv:
    case reduce:
      return rank != root_rank;
    case scatter:
    case scatterv:
      return rank == root_rank;
    default:
      return 0;
  }
}
static int receive_in_place(struct call* call) {
  call->receive = MPI_IN_PLACE;
  switch (call->collective) {
    case scatter:
    case scatterv:
      return rank != root_rank;
    default:
      return receive_matters(call->collective);
  }
}
static int both_in_place(struct call* call) {
  call->send = call->receive = MPI_IN_PLACE;
  return sends(call->collective);
}
static int root_beyond(struct call* call) {
  call->root = size;
  return is_rooted(call->collective);
}
static int root_negative(struct call* call) {
  call->root = -7;
  return is_rooted(call->collective);
}
static int no_op(struct call* call) {
  call->op = MPI_OP_NULL;
  return is_reduction(call->collective);
}
static int bits_of_reals(struct call* call) {
  call->send_type = call->receive_type = MPI_FLOAT;
  call->op = MPI_BAND;
  return is_reduction(call->collective);
}
static int place_of_plain(struct call* call) {
  call->op = MPI_MAXLOC;
  return is_reduction(call->collective);
}
static int sum_of_pairs(struct call* call) {
  call->send_type = call->receive_type = MPI_2INT;
  call->send_count = call->receive_count = 2;
  return is_reduction(call->collective) && call->collective != reduce_scatter;
}
static int sum_of_derived(struct call* call) {
  call->send_type = call->receive_type = committed;
  return is_reduction(call->collective);
}
static int largest_byte(struct call* call) {
  call->send_type = call->receive_type = MPI_BYTE;
  call->op = MPI_MAX;
  return is_reduction(call->collective);
}
static int replaces(struct call* call) {
  call->op = MPI_REPLACE;
  return is_reduction(call->collective);
}
static int no_comm(struct call* call) {
  call->comm = MPI_COMM_NULL;
  return 1;
}
static int no_counts(struct call* call) {
  call->send_counts = call->receive_counts = NULL;
  return (has_send_counts(call->collective) && send_matters(call->collective)) ||
         (has_receive_counts(call->collective) && receive_matters(call->collective));
}
static int no_places(struct call* call) {
  call->send_places = call->receive_places = NULL;
  return call->collective != reduce_scatter && no_counts(call) &&
         (call->send_counts = call->receive_counts = counts, 1);
}
static int no_types(struct call* call) {
  call->send_types = call->receive_types = NULL;
  return call->collective == alltoallw;
}

static const struct {
  const char* name;
  mistake_fn make;
} mistakes[] = {
    {"send_null_type", send_null_type},
    {"receive_null_type", receive_null_type},
    {"send_uncommitted", send_uncommitted},
    {"receive_uncommitted", receive_uncommitted},
    {"send_negative", send_negative},
    {"receive_negative", receive_negative},
    {"send_nowhere", send_nowhere},
    {"receive_nowhere", receive_nowhere},
    {"one_buffer", one_buffer},
    {"send_in_place", send_in_place},
    {"receive_in_place", receive_in_place},
    {"both_in_place", both_in_place},
    {"root_beyond", root_beyond},
    {"root_negative", root_negative},
    {"no_op", no_op},
    {"bits_of_reals", bits_of_reals},
    {"place_of_plain", place_of_plain},
    {"sum_of_pairs", sum_of_pairs},
    {"sum_of_derived", sum_of_derived},
    {"largest_byte", largest_byte},
    {"replaces", replaces},
    {"no_comm", no_comm},
    {"no_counts", no_counts},
    {"no_places", no_places},
    {"no_types", no_types},
};

/* What the MPI library itself does not survive, or takes although other ranks do not call: "*" is
 * every collective. */
static const struct {
  const char *mistake, *of;
} fatal[] = {
#ifdef OPEN_MPI
    {"send_nowhere", "*"},
    {"receive_nowhere", "*"},
    {"receive_uncommitted", "gather gatherv"},
    {"send_null_type", "scatter"},
    {"send_uncommitted", "scatter"},
    {"send_negative", "scatter"},
    {"receive_negative", "allgatherv"},
    {"one_buffer", "gather gatherv scatter scatterv"},
    {"receive_in_place", "exscan"},
    {"both_in_place", "exscan"},
    {"no_comm", "allgather"},
    {"no_counts", "*"},
    {"no_places", "*"},
#else
    {"send_null_type", "reduce allreduce reduce_scatter_block reduce_scatter scan exscan"},
    {"send_negative", "reduce allreduce reduce_scatter_block scan exscan"},
    {"one_buffer", "allgather gather allgatherv gatherv scatter scatterv"},
    {"send_in_place", "reduce gather gatherv"},
    {"receive_in_place", "bcast scatter scatterv"},
    {"both_in_place", "reduce gather scatter gatherv scatterv"},
    {"no_counts", "*"},
    {"no_places", "*"},
    {"no_types", "*"},
#endif
};

static int is_fatal(const char* mistake, enum collective collective) {
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; ++i) {
    if (strcmp(fatal[i].mistake, mistake) != 0) continue;
    if (strcmp(fatal[i].of, "*") == 0) return 1;
    char among[160], name[40];
    snprintf(among, sizeof among, " %s ", fatal[i].of);
    snprintf(name, sizeof name, " %s ", name_of[collective]);
    if (strstr(among, name) != NULL) return 1;
  }
  return 0;
}

/* The code that the call returns, and what error handlers have been called with. */
struct answer {
  int class, told, of_comm, of_world;
};

static struct answer answer_of(const struct call* call, int (*perform)(const struct call*)) {
  told_class = told_of_comm = told_of_world = 0;
  struct answer answer = {MPI_SUCCESS, 0, 0, 0};
  alarm(20);
  const int code = perform(call);
  alarm(0);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &answer.class);
  answer.told = told_class;
  answer.of_comm = told_of_comm;
  answer.of_world = told_of_world;
  return answer;
}

static void compare(enum collective collective, int mistake) {
  struct call call = right_call(collective);
  snprintf(current, sizeof current, "%s %s on rank %d", name_of[collective], mistakes[mistake].name,
           rank);
  if (!is_fatal(mistakes[mistake].name, collective) && mistakes[mistake].make(&call)) {
    const struct answer library = answer_of(&call, by_library);
    for (int again = 0; again < 3; ++again) {
      const struct answer ours = answer_of(&call, by_program);
      char text[256];
      snprintf(text, sizeof text, "%s: class %d for %d, handlers %d %d %d for %d %d %d", current,
               ours.class, library.class, ours.told, ours.of_comm, ours.of_world, library.told,
               library.of_comm, library.of_world);
      expect(memcmp(&ours, &library, sizeof ours) == 0, text);
    }
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  call = right_call(collective);
  expect(answer_of(&call, by_program).class == MPI_SUCCESS, current);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  signal(SIGALRM, give_up);
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_comm, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op_create(keep_first, 1, &own_op);
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  MPI_Type_contiguous(1, MPI_INT, &committed);
  MPI_Type_commit(&committed);
  for (int i = 0; i < most_ranks; ++i) {
    counts[i] = elements;
    places[i] = elements * i;
    negative[i] = -1;
    types[i] = MPI_INT;
    null_types[i] = MPI_DATATYPE_NULL;
    uncommitted_types[i] = uncommitted;
  }
  const int mistakes_of = (int)(sizeof mistakes / sizeof *mistakes);
  for (int mistake = 0; mistake < mistakes_of; ++mistake) {
    if (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], mistakes[mistake].name) != 0)
      continue;
    for (int collective = 0; collective < collectives; ++collective) {
      if (argc > 2 && strcmp(argv[2], name_of[collective]) != 0) continue;
      compare((enum collective)collective, mistake);
    }
  }
  long all[2] = {checks, failures}, sums[2] = {0, 0};
  MPI_Reduce(all, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", sums[0], sums[1]);
  MPI_Finalize();
  return failures > 0;
}
