#include "options.h"

const char *const options_usage[] = {
    "usage: mpiexec -n 2 hockney-engine pingpong [option ...]   measure, JSON lines to stdout\n"
    "       mpiexec -n 2 hockney-engine overheads --trains LIST [option ...]\n"
    "       mpiexec -n N hockney-engine pairs [option ...]      all ranks in pairs\n"
    "       mpiexec -n N hockney-engine cores [option ...]      every two ranks\n"
    "       mpiexec -n N hockney-engine fabric [option ...]     a pass over all pairs, compact records\n"
    "       mpiexec -n N hockney-engine collective NAME [option ...]\n"
    "       mpiexec -n 2 hockney-engine rma NAME [option ...]   one-sided, such as put\n"
    "       mpiexec -n N hockney-engine startup --sizes N [option ...]  what it takes until ranks can work\n"
    "       mpiexec -n N hockney-engine halo --grid SIDES [option ...]   every rank with its neighbours\n"
    "       mpiexec -n N hockney-engine congestion NAME --loads LIST --roles ROLES [option ...]  under load\n"
    "       mpiexec -n 2 hockney-engine overlap [option ...]     one message while a rank computes\n"
    "       hockney-engine algorithms [all]                     control variables, those of collectives or all\n"
    "       hockney-engine features                             what the library has beyond MPI 3.0\n"
    "       hockney-engine fit [--ordinary] [FILE]              alpha and beta of lines `bytes ... seconds'\n"
    "\n",
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) usage,
#include "options.def"
    NULL,
};
