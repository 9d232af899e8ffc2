/* Cores, pairs and quads: how deep they are; simulation/scopes.py. */
#ifndef IDLE_STATES_SIMULATE_SCOPES_H
#define IDLE_STATES_SIMULATE_SCOPES_H

#include "simulate.h"

#define AWAKE (-1)
#define THREAD 0
#define CORE 1

enum { BUSY, HOLDS, FREE, TAKES };

/* level: the least of its parts'. parts: by level, from AWAKE on, how many of them have it. Of a core
 * also what its threads take of it (simulate_shares.h), which is asked for with it. */
struct instance {
	u64 since, ready;
	u32 whole; /* in the scope above */
	u32 first_thread, threads;
	u16 parts[STATES_MAX + 1];
	u16 takes[TAKES];
	s8 level;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct instance) == 64, "a line of a cache");

/* A CPU. */
struct thread {
	u64 since;
	u32 core;
	s8 level;
};

/* deepest: the highest scope that a state acts on. last: that, or the highest whose instances have
 * several parts: those beyond it are as deep as what they have, at all times. */
struct scopes {
	struct instance *instances[SCOPES]; /* from the core on */
	u32 count[SCOPES], deepest, last, states;
	const struct effect *effects;
	u64 *scope_ns;
};

INLINE void account(struct scopes *s, u32 scope, s32 level, u64 *since, u64 now)
{
	s->scope_ns[scope * (s->states + 1) + (u32)(level + 1)] += now - *since;
	*since = now;
}

/* The level of an instance with a part that has another one than before. */
INLINE s32 level_with(struct instance *of, s32 before, s32 now)
{
	s32 level = of->level;

	of->parts[before + 1]--;
	of->parts[now + 1]++;
	if (now <= level)
		return now;
	while (!of->parts[level + 1])
		level++;
	return level;
}

INLINE void scopes_ask(struct scopes *s, struct thread *thread, s32 level, u64 now)
{
	s32 before = thread->level;
	u32 whole = thread->core;

	if (level == before)
		return;
	account(s, THREAD, before, &thread->since, now);
	thread->level = (s8)level;
	for (u32 scope = 1; scope <= s->last; scope++) {
		struct instance *of = &s->instances[scope][whole];
		s32 was = of->level;

		level = level_with(of, before, level);
		if (level == was)
			return;
		account(s, scope, was, &of->since, now);
		of->level = (s8)level;
		before = was;
		whole = of->whole;
	}
}

/* The instance of a scope, beyond THREAD, that a CPU belongs to. */
INLINE struct instance *instance_of(const struct scopes *s, const struct thread *thread, u32 scope)
{
	u32 at = thread->core;

	for (u32 below = 1; below < scope; below++)
		at = s->instances[below][at].whole;
	return &s->instances[scope][at];
}

INLINE u32 scopes_reached(const struct scopes *s, const struct thread *thread)
{
	s32 state = thread->level;

	for (; state > 0; state--) {
		u32 scope = s->effects[state].scope;

		if (scope == THREAD || instance_of(s, thread, scope)->level >= state)
			break;
	}
	return state > 0 ? (u32)state : 0;
}

INLINE u64 scopes_wake(struct scopes *s, const struct thread *thread, u32 state, u64 done)
{
	u32 scope = s->effects[state].scope;

	for (u32 i = 1; i <= s->deepest; i++)
		done = greatest(done, instance_of(s, thread, i)->ready);
	if (scope > THREAD)
		instance_of(s, thread, scope)->ready = done;
	return done;
}

/* Beyond threads. */
INLINE void scopes_close(struct scopes *s, u64 now)
{
	const u32 levels = s->states + 1;

	for (u32 scope = 1; scope <= s->last; scope++)
		for (u32 i = 0; i < s->count[scope]; i++) {
			struct instance *of = &s->instances[scope][i];

			account(s, scope, of->level, &of->since, now);
		}
	for (u32 scope = s->last + 1; scope < SCOPES; scope++)
		memcpy(s->scope_ns + scope * levels, s->scope_ns + s->last * levels,
		       levels * sizeof(*s->scope_ns));
}

#endif
