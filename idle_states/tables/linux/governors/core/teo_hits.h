/* teo's first generation: a replay_fn, a switched_on_fn and a finish_fn of its features. */
#ifndef IDLE_STATES_TEO_HITS_H
#define IDLE_STATES_TEO_HITS_H

#include "teo.h"

void teo_hits(const struct teo_features *f, const struct table *t, void *memory,
	      const struct row *rows, size_t row_count, struct decision *decisions,
	      struct estimate *made);
void teo_hits_switched_on(const struct teo_features *f, void *memory, int state, u64 residency_ns);
void teo_hits_finish(const struct teo_features *f, const struct table *t, void *memory,
		     const struct row *row, u32 selected);
u64 teo_hits_look(const struct teo_features *f, const struct table *t, const struct row *row,
		  u32 selected);

#endif
