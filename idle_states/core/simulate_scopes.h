/* Cores, pairs and quads: how deep they are; simulation/scopes.py. */
#ifndef IDLE_STATES_SIMULATE_SCOPES_H
#define IDLE_STATES_SIMULATE_SCOPES_H

#include "simulate.h"

#define AWAKE (-1)
#define THREAD 0

/* level: the least of its parts'. parts: by level, from AWAKE on, how many of them have it. */
struct instance {
	u64 since, ready;
	u32 whole; /* in the scope above */
	u16 parts[STATES_MAX + 1];
	s8 level;
} __attribute__((aligned(64)));

struct thread {
	u64 since;
	u32 core;
	s32 level;
};

/* deepest: the highest scope that a state acts on. */
struct scopes {
	struct thread *threads;
	struct instance *instances[SCOPES]; /* from the core on */
	u32 count[SCOPES], deepest, states;
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

INLINE void scopes_ask(struct scopes *s, u32 cpu, s32 level, u64 now)
{
	struct thread *thread = &s->threads[cpu];
	s32 before = thread->level;
	u32 whole = thread->core;

	if (level == before)
		return;
	account(s, THREAD, before, &thread->since, now);
	thread->level = level;
	for (u32 scope = 1; scope < SCOPES; scope++) {
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
INLINE struct instance *instance_of(const struct scopes *s, u32 cpu, u32 scope)
{
	u32 at = s->threads[cpu].core;

	for (u32 below = 1; below < scope; below++)
		at = s->instances[below][at].whole;
	return &s->instances[scope][at];
}

INLINE u32 scopes_reached(const struct scopes *s, u32 cpu)
{
	s32 state = s->threads[cpu].level;

	for (; state > 0; state--) {
		u32 scope = s->effects[state].scope;

		if (scope == THREAD || instance_of(s, cpu, scope)->level >= state)
			break;
	}
	return state > 0 ? (u32)state : 0;
}

INLINE u64 scopes_wake(struct scopes *s, u32 cpu, u32 state, u64 done)
{
	u32 scope = s->effects[state].scope;

	for (u32 i = 1; i <= s->deepest; i++)
		done = greatest(done, instance_of(s, cpu, i)->ready);
	if (scope > THREAD)
		instance_of(s, cpu, scope)->ready = done;
	return done;
}

INLINE void scopes_close(struct scopes *s, u64 now)
{
	for (u32 i = 0; i < s->count[THREAD]; i++)
		account(s, THREAD, s->threads[i].level, &s->threads[i].since, now);
	for (u32 scope = 1; scope < SCOPES; scope++)
		for (u32 i = 0; i < s->count[scope]; i++) {
			struct instance *of = &s->instances[scope][i];

			account(s, scope, of->level, &of->since, now);
		}
}

#endif
