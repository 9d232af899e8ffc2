/* menu: the body for each instruction set, and for each release's features. */
#include "core.h"
#include "menu.h"

#define PASTE_(name, level) name##_##level
#define PASTE(name, level) PASTE_(name, level)
#define LEVELED(name) PASTE(name, LEVEL)

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define LEVELS 1
#define SUPPORTS_3 __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
#define SUPPORTS_4                                                             \
	SUPPORTS_3 && __builtin_cpu_supports("avx512f") &&                     \
	__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && \
	__builtin_cpu_supports("avx512bw")
#endif

#define LEVEL 0
#include "menu_body.h"
#undef LEVEL

#ifdef LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define LEVEL 3
#include "menu_body.h"
#undef LEVEL
#pragma GCC pop_options
#endif

#define ERA(name, ...) {__VA_ARGS__},
static const struct menu_features eras[] = {
#include "menu_eras.h"
};
#undef ERA

#define MENU_NAME(name) #name,
const char *const menu_names[] = {MENU_FEATURES(MENU_NAME) NULL};

static bool level3(void)
{
#ifdef LEVELS
	return SUPPORTS_3;
#else
	return false;
#endif
}

const char *instruction_set(void)
{
	return level3() ? "x86-64-v3" : "baseline";
}

replay_fn *menu_specialised(const u32 *features)
{
	for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++) {
		if (memcmp(&eras[i], features, sizeof(eras[i])))
			continue;
#ifdef LEVELS
		if (level3())
			return specialised_3[i];
#endif
		return specialised_0[i];
	}
	return NULL;
}

void menu_any(const u32 *features, const struct state *states, u32 count, u32 hz,
	      const struct row *rows, size_t row_count, struct decision *decisions)
{
#ifdef LEVELS
	if (level3()) {
		run_any_3(features, states, count, hz, rows, row_count, decisions);
		return;
	}
#endif
	run_any_0(features, states, count, hz, rows, row_count, decisions);
}
