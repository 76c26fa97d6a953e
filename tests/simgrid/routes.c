/* Prints the links of the route between every two hosts of a simulated platform. */

#include <mpi.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <stdio.h>
#include <xbt/dynar.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    size_t count = sg_host_count();
    sg_host_t *hosts = sg_host_list();
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (i == j)
                continue;
            xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
            sg_host_get_route(hosts[i], hosts[j], links);
            printf("route %s %s", sg_host_get_name(hosts[i]), sg_host_get_name(hosts[j]));
            for (unsigned k = 0; k < xbt_dynar_length(links); k++)
                printf(" %s", sg_link_get_name(xbt_dynar_get_as(links, k, sg_link_t)));
            printf("\n");
            xbt_dynar_free(&links);
        }
    }
    MPI_Finalize();
    return 0;
}
