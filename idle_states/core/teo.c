/* teo: which generation, and which instruction set. */
#include "levels.h"
#include "teo.h"

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

#define TEO_NAME(name) #name,
const char *const teo_names[] = {TEO_FEATURES(TEO_NAME) NULL};

#define ERA(name, ...) {__VA_ARGS__},
static const struct teo_features eras[] = {
#include "teo_eras.h"
};
#undef ERA

/* The first generation is not specialised. */
replay_fn *teo_specialised(const u32 *features)
{
	for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++) {
		if (memcmp(&eras[i], features, sizeof(eras[i])))
			continue;
#ifdef LEVELS
		if (level() >= 3)
			return specialised_3[i];
#endif
		return specialised_0[i];
	}
	return NULL;
}

void teo_any(const u32 *features, const struct table *table, void *memory,
	     const struct row *rows, size_t row_count, struct decision *decisions)
{
	const struct teo_features *f = (const struct teo_features *)features;

	if (!f->bins)
		teo_hits(f, table, memory, rows, row_count, decisions);
#ifdef LEVELS
	else if (level() >= 3)
		run_any_3(features, table, memory, rows, row_count, decisions);
#endif
	else
		run_any_0(features, table, memory, rows, row_count, decisions);
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
