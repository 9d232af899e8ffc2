#include "core.h"
const char *const teo_names[] = {NULL};
void teo_any(const u32 *f, const struct state *s, u32 c, u32 hz, const struct row *r, size_t n, struct decision *d){(void)f;(void)s;(void)c;(void)hz;(void)r;(void)n;(void)d;}
