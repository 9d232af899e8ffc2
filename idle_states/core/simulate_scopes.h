/* Cores, pairs and quads: how deep they are; simulation/scopes.py. */
#ifndef IDLE_STATES_SIMULATE_SCOPES_H
#define IDLE_STATES_SIMULATE_SCOPES_H

#include "simulate.h"

#define AWAKE (-1)
#define THREAD 0

/* Parts of each whole: those of whole w are parts[first[w]] to parts[first[w + 1] - 1]. */
struct split {
	u32 *first, *parts;
	u32 wholes;
};

struct scope {
	s32 *levels;
	u64 *ready, *since;
	struct split split; /* into instances of the scope below */
	u32 *whole;	    /* of each instance of the scope below; of a thread, itself */
	u32 count;
};

struct scopes {
	struct scope scope[SCOPES];
	const struct effect *effects;
	u64 *scope_ns;
	u32 states;
};

INLINE void account(struct scopes *s, u32 scope, u32 instance, u64 now)
{
	struct scope *of = &s->scope[scope];
	u64 *times = s->scope_ns + scope * (s->states + 1);

	times[of->levels[instance] + 1] += now - of->since[instance];
	of->since[instance] = now;
}

INLINE void scopes_ask(struct scopes *s, u32 cpu, s32 level, u64 now)
{
	u32 instance = cpu;

	for (u32 scope = 0; scope < SCOPES; scope++) {
		struct scope *of = &s->scope[scope];

		if (scope > THREAD) {
			const s32 *levels = of[-1].levels;
			const struct split *split = &of->split;

			instance = of->whole[instance];
			for (u32 i = split->first[instance]; i < split->first[instance + 1]; i++)
				if (levels[split->parts[i]] < level)
					level = levels[split->parts[i]];
		}
		if (level == of->levels[instance])
			return;
		account(s, scope, instance, now);
		of->levels[instance] = level;
	}
}

/* The instance of each scope that a CPU belongs to. */
INLINE void instances_of(const struct scopes *s, u32 cpu, u32 *instances)
{
	instances[THREAD] = cpu;
	for (u32 scope = 1; scope < SCOPES; scope++)
		instances[scope] = s->scope[scope].whole[instances[scope - 1]];
}

INLINE u32 scopes_reached(const struct scopes *s, u32 cpu)
{
	u32 instances[SCOPES];

	instances_of(s, cpu, instances);
	for (s32 state = s->scope[THREAD].levels[cpu]; state > 0; state--) {
		u32 scope = s->effects[state].scope;

		if (s->scope[scope].levels[instances[scope]] >= state)
			return (u32)state;
	}
	return 0;
}

INLINE u64 scopes_wake(struct scopes *s, u32 cpu, u32 state, u64 done)
{
	u32 instances[SCOPES], scope = s->effects[state].scope;

	instances_of(s, cpu, instances);
	for (u32 i = 1; i < SCOPES; i++)
		done = greatest(done, s->scope[i].ready[instances[i]]);
	if (scope > THREAD)
		s->scope[scope].ready[instances[scope]] = done;
	return done;
}

INLINE void scopes_close(struct scopes *s, u64 now)
{
	for (u32 scope = 0; scope < SCOPES; scope++)
		for (u32 i = 0; i < s->scope[scope].count; i++)
			account(s, scope, i, now);
}

#endif
