/* teo: which generation, and which instruction set. */
#include "levels.h"
#include "teo_hits.h"

#define LEVEL 0
#include "teo_body.h"
#undef LEVEL

#ifdef LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define LEVEL 3
#include "teo_body.h"
#undef LEVEL
#pragma GCC pop_options
#endif

const struct feature teo_known[] = {TEO_KNOWN {NULL, NULL}};

/* The first generation is not specialised. */
replay_fn *teo_specialised(const u32 *features)
{
#ifdef LEVELS
	if (level() >= 3)
		return specialised_3(features);
#endif
	return specialised_0(features);
}

void teo_any(const u32 *features, const struct table *table, void *memory,
	     const struct row *rows, size_t row_count, struct decision *decisions,
	     struct estimate *made)
{
	const struct teo_features *f = (const struct teo_features *)features;

	if (!f->bins)
		teo_hits(f, table, memory, rows, row_count, decisions, made);
#ifdef LEVELS
	else if (level() >= 3)
		run_any_3(features, table, memory, rows, row_count, decisions, made);
#endif
	else
		run_any_0(features, table, memory, rows, row_count, decisions, made);
}

void teo_finish(const u32 *features, const struct table *table, void *memory,
		const struct row *row, u32 selected)
{
	const struct teo_features *f = (const struct teo_features *)features;
	char *place = (char *)memory + offsetof(struct teo_0, pending);
	struct pending pending;

	if (!f->bins) {
		teo_hits_finish(f, table, memory, row, selected);
		return;
	}
	memcpy(&pending, place, sizeof(pending));
	finish(&pending, row, table, true, selected);
	memcpy(place, &pending, sizeof(pending));
}

void teo_switched_on(const u32 *features, const struct table *table, void *memory, int state,
		     u64 residency_ns)
{
	const struct teo_features *f = (const struct teo_features *)features;
	struct teo_0 teo;

	(void)table;
	if (!f->bins) {
		teo_hits_switched_on(f, memory, state, residency_ns);
		return;
	}
	boot_0(&teo);
	learn_from(&teo.pending, state, residency_ns);
	memcpy(memory, &teo, sizeof(teo));
}
