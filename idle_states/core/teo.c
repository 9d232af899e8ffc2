/* teo: which generation, and which instruction set. */
#include "levels.h"
#include "teo.h"

typedef void run_fn(const u32 *features, const struct table *t, const struct row *rows,
		    size_t row_count, struct decision *decisions);

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

static int era_of(const u32 *features)
{
	for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++)
		if (!memcmp(&eras[i], features, sizeof(eras[i])))
			return (int)i;
	return -1;
}

static void run(int era, const u32 *features, const struct state *states, u32 count, u32 hz,
		const struct row *rows, size_t row_count, struct decision *decisions)
{
	const struct teo_features *f = (const struct teo_features *)features;
	run_fn *chosen = era < 0 ? run_any_0 : specialised_0[era];
	struct table table;

	make_table(&table, states, count, hz, f->nanoseconds);
	if (!f->bins) {
		teo_hits(f, &table, rows, row_count, decisions);
		return;
	}
#ifdef LEVELS
	if (level() >= 3)
		chosen = era < 0 ? run_any_3 : specialised_3[era];
#endif
	chosen(features, &table, rows, row_count, decisions);
}

static void run_era(const u32 *features, const struct state *states, u32 count, u32 hz,
		    const struct row *rows, size_t row_count, struct decision *decisions)
{
	run(era_of(features), features, states, count, hz, rows, row_count, decisions);
}

void teo_any(const u32 *features, const struct state *states, u32 count, u32 hz,
	     const struct row *rows, size_t row_count, struct decision *decisions)
{
	run(-1, features, states, count, hz, rows, row_count, decisions);
}

/* The first generation is not specialised. */
replay_fn *teo_specialised(const u32 *features)
{
	return era_of(features) < 0 ? NULL : run_era;
}
