/* Hockney's T(b) = alpha + beta b by least squares. */
#ifndef HOCKNEY_FIT_H
#define HOCKNEY_FIT_H

struct fit {
    double alpha_s, beta_s_per_B;
    int count; /* of points; 0 when there was nothing to fit */
};

/* Minimises the squared relative residuals (T - alpha - beta b) / T with alpha, beta >= 0; when
   `ordinary`, the plain squared residuals without bounds. Times must be above 0. */
struct fit fit_line(const double *bytes, const double *seconds, int count, int ordinary);

/* `fit [--ordinary] [FILE]`: the first and last number of each line are bytes and seconds. */
int fit_main(int argc, char **argv);

#endif
